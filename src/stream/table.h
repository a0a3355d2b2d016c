/*
 * table: finds things by a hash; they can be taken out again.
 *
 * A slot has a hash and an item, a pointer to whatever the owner keeps; the owner
 * says whether an item is the one that is looked for. Open addressing; taking out
 * moves those behind the gap forward, so that no slot is ever lost.
 */
#ifndef ALIBI_STREAM_TABLE_H
#define ALIBI_STREAM_TABLE_H

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

/* Takes out all for which drop() says so; drop() may free what it is shown. */
typedef bool table_drop(void *data, void *item);
void table_filter(struct table *t, table_drop *drop, void *data);

#endif
