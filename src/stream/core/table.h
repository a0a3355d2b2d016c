/*
 * table: a hash table of pointers, with removal.
 *
 * A slot has a hash and an item. Most items begin with a struct value, which is the key; of others
 * the owner says what the hash is and which ones are equal. Open addressing with linear probing;
 * removal shifts the following items back, so there are no tombstones.
 *
 * Items may have equal keys. The one that was added first is found: items of one hash stay in
 * order of insertion, also when the table grows.
 */
#ifndef ALIBI_STREAM_CORE_TABLE_H
#define ALIBI_STREAM_CORE_TABLE_H

#include "stream/core/value.h"

struct table_slot {
	uint64_t hash;
	void *item; /* NULL: free */
};

struct table {
	struct pool *pool;
	struct table_slot *slots;
	size_t mask, used;
	uint64_t seed;
};

typedef bool table_same(const void *item, const void *wanted);

void table_init(struct table *t, struct pool *pool, uint64_t seed);

/* Items that begin with a struct value, not a list. */
void *table_get(const struct table *t, struct value v);
void table_put(struct table *t, void *item);
void table_take_out(struct table *t, const void *item); /* it must be there */

void *table_find(const struct table *t, uint64_t hash, table_same *same, const void *wanted);
void table_add(struct table *t, uint64_t hash, void *item);
void table_remove(struct table *t, uint64_t hash, const void *item);

/* Removes all items for which drop() is true; drop() may free its item. */
typedef bool table_drop(void *data, void *item);
void table_filter(struct table *t, table_drop *drop, void *data);

/* The first item at or behind slot *at, which moves behind it; NULL: no more. */
void *table_next(const struct table *t, size_t *at);

#endif
