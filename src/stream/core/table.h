/*
 * table: a hash table of pointers, with removal.
 *
 * A slot has a hash and an item, a pointer that the owner of the table can compare. Open
 * addressing with linear probing; removal shifts the following items back, so there are no
 * tombstones.
 */
#ifndef ALIBI_STREAM_CORE_TABLE_H
#define ALIBI_STREAM_CORE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool;

struct table_slot {
	uint64_t hash;
	void *item; /* NULL: free */
};

struct table {
	struct pool *pool;
	struct table_slot *slots;
	size_t mask, used;
};

typedef bool table_same(const void *item, const void *wanted);

void table_init(struct table *t, struct pool *pool);
void *table_find(const struct table *t, uint64_t hash, table_same *same, const void *wanted);
/* It must not be there yet. */
void table_add(struct table *t, uint64_t hash, void *item);
/* It must be there. */
void table_remove(struct table *t, uint64_t hash, const void *item);

/* Removes all items for which drop() is true; drop() may free its item. */
typedef bool table_drop(void *data, void *item);
void table_filter(struct table *t, table_drop *drop, void *data);

/* The first item at or behind slot *at, which moves behind it; NULL: no more. */
void *table_next(const struct table *t, size_t *at);

#endif
