/* table: see table.h. */
#include "stream/core/table.h"

#include "base/pool.h"

#include <assert.h>

enum { FIRST_SLOTS = 256 };

static void set_size(struct table *t, size_t size)
{
	t->slots = pool_zarray(t->pool, size, sizeof *t->slots);
	t->mask = size - 1;
}

void table_init(struct table *t, struct pool *pool, uint64_t seed)
{
	*t = (struct table){.pool = pool, .seed = seed};
	set_size(t, FIRST_SLOTS);
}

void *table_find(const struct table *t, uint64_t hash, table_same *same, const void *wanted)
{
	for (size_t at = hash & t->mask; t->slots[at].item; at = (at + 1) & t->mask)
		if (t->slots[at].hash == hash && same(t->slots[at].item, wanted))
			return t->slots[at].item;
	return NULL;
}

static void put(struct table *t, struct table_slot slot)
{
	size_t at = slot.hash & t->mask;
	while (t->slots[at].item)
		at = (at + 1) & t->mask;
	t->slots[at] = slot;
}

/* Rehashes into as many slots as are needed. */
static void rebuild(struct table *t, table_drop *drop, void *data)
{
	struct table_slot *old = t->slots;
	size_t mask = t->mask, size = FIRST_SLOTS, first = 0;
	while (size < 3 * t->used)
		size *= 2;
	set_size(t, size);
	t->used = 0;
	while (old[first].item) /* a run of slots may go around the end */
		first++;
	for (size_t i = 0; i < mask; i++) {
		const struct table_slot *slot = &old[(first + 1 + i) & mask];
		if (!slot->item || (drop && drop(data, slot->item)))
			continue;
		put(t, *slot);
		t->used++;
	}
	pool_free(t->pool, old);
}

void table_add(struct table *t, uint64_t hash, void *item)
{
	assert(item);
	if ((t->used + 1) * 3 > t->mask * 2)
		rebuild(t, NULL, NULL);
	put(t, (struct table_slot){.hash = hash, .item = item});
	t->used++;
}

void table_remove(struct table *t, uint64_t hash, const void *item)
{
	size_t gap = hash & t->mask;
	while (t->slots[gap].item != item) {
		assert(t->slots[gap].item);
		gap = (gap + 1) & t->mask;
	}
	for (size_t at = (gap + 1) & t->mask; t->slots[at].item; at = (at + 1) & t->mask) {
		size_t home = t->slots[at].hash & t->mask;
		if (((at - home) & t->mask) < ((at - gap) & t->mask))
			continue; /* it would stand before its home slot */
		t->slots[gap] = t->slots[at];
		gap = at;
	}
	t->slots[gap].item = NULL;
	t->used--;
}

void table_filter(struct table *t, table_drop *drop, void *data)
{
	rebuild(t, drop, data);
}

static bool same_value(const void *item, const void *value)
{
	return value_same(*(const struct value *)item, *(const struct value *)value);
}

static uint64_t hash_item(const struct table *t, const void *item)
{
	return value_hash(*(const struct value *)item, t->seed);
}

void *table_get(const struct table *t, struct value v)
{
	return table_find(t, value_hash(v, t->seed), same_value, &v);
}

void table_put(struct table *t, void *item)
{
	table_add(t, hash_item(t, item), item);
}

void table_take_out(struct table *t, const void *item)
{
	table_remove(t, hash_item(t, item), item);
}

void *table_next(const struct table *t, size_t *at)
{
	while (*at <= t->mask)
		if (t->slots[(*at)++].item)
			return t->slots[*at - 1].item;
	return NULL;
}
