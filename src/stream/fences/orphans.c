/* orphans: see orphans.h. */
#include "stream/fences/orphans.h"

void orphans_init(struct orphans *o, struct pool *pool, uint64_t seed)
{
	o->count = 0;
	table_init(&o->by[FENCE_READ], pool, seed);
	table_init(&o->by[FENCE_WROTE], pool, seed);
}

struct held_txn *orphans_find(const struct orphans *o, enum fence_value by, struct value v)
{
	char *value = table_get(&o->by[by], v);
	size_t offset = offsetof(struct held_txn, values) + by * sizeof v;
	return value ? (struct held_txn *)(void *)(value - offset) : NULL;
}

void orphans_add(struct orphans *o, struct held_txn *x)
{
	assert(!x->orphan);
	table_put(&o->by[FENCE_READ], &x->values[FENCE_READ]);
	table_put(&o->by[FENCE_WROTE], &x->values[FENCE_WROTE]);
	x->orphan = true;
	o->count++;
}

void orphans_remove(struct orphans *o, struct held_txn *x)
{
	assert(x->orphan);
	table_take_out(&o->by[FENCE_READ], &x->values[FENCE_READ]);
	table_take_out(&o->by[FENCE_WROTE], &x->values[FENCE_WROTE]);
	x->orphan = false;
	o->count--;
}

struct held_txn *orphans_root(const struct orphans *o, struct held_txn *x, uint64_t *depth)
{
	struct held_txn *before;
	for (*depth = 0; *depth < o->count; ++*depth, x = before)
		if (!(before = orphans_find(o, FENCE_WROTE, x->values[FENCE_READ])))
			break;
	return x;
}
