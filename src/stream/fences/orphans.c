/* orphans: see orphans.h. */
#include "stream/fences/orphans.h"

void orphans_init(struct orphans *o, struct pool *pool, uint64_t seed)
{
	*o = (struct orphans){.seed = seed};
	table_init(&o->by[FENCE_READ], pool);
	table_init(&o->by[FENCE_WROTE], pool);
}

static bool same_read(const void *item, const void *value)
{
	return value_same(((const struct held_txn *)item)->values[FENCE_READ],
	                  *(const struct value *)value);
}

static bool same_written(const void *item, const void *value)
{
	return value_same(((const struct held_txn *)item)->values[FENCE_WROTE],
	                  *(const struct value *)value);
}

struct held_txn *orphans_find(const struct orphans *o, enum fence_value by, struct value v)
{
	return table_find(&o->by[by], value_hash(v, o->seed),
	                  by == FENCE_READ ? same_read : same_written, &v);
}

static void add_by(struct orphans *o, enum fence_value by, struct held_txn *x)
{
	struct held_txn *first = orphans_find(o, by, x->values[by]);
	x->links[by] = (struct orphan_link){.last = x};
	if (!first) {
		table_add(&o->by[by], value_hash(x->values[by], o->seed), x);
		return;
	}
	x->links[by].before = first->links[by].last;
	x->links[by].before->links[by].after = x;
	first->links[by].last = x;
}

static void remove_by(struct orphans *o, enum fence_value by, struct held_txn *x)
{
	uint64_t hash = value_hash(x->values[by], o->seed);
	struct held_txn *before = x->links[by].before, *after = x->links[by].after;
	if (after)
		after->links[by].before = before;
	if (before) {
		before->links[by].after = after;
		if (!after)
			orphans_find(o, by, x->values[by])->links[by].last = before;
		return;
	}
	table_remove(&o->by[by], hash, x);
	if (after) {
		after->links[by].last = x->links[by].last;
		table_add(&o->by[by], hash, after);
	}
}

void orphans_add(struct orphans *o, struct held_txn *x)
{
	assert(!x->orphan);
	add_by(o, FENCE_READ, x);
	add_by(o, FENCE_WROTE, x);
	x->orphan = true;
	o->count++;
}

void orphans_remove(struct orphans *o, struct held_txn *x)
{
	assert(x->orphan);
	remove_by(o, FENCE_READ, x);
	remove_by(o, FENCE_WROTE, x);
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
