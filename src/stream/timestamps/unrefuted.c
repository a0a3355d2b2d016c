/* unrefuted: see unrefuted.h. */
#include "stream/timestamps/unrefuted.h"

enum { UNREFUTED_MAX = 1 << 16 };

struct misread_key {
	uint32_t key;
	alibi_stamp first;
};

static bool same_key(const void *item, const void *wanted)
{
	return ((const struct misread_key *)item)->key == *(const uint32_t *)wanted;
}

static uint64_t hash_key(const struct timestamps *e, uint32_t key)
{
	return value_hash(value_integer(key), e->s->seed);
}

static struct misread_key *find(const struct timestamps *e, uint32_t key)
{
	return table_find(&e->unrefuted, hash_key(e, key), same_key, &key);
}

void unrefuted_add(struct timestamps *e, uint32_t key, alibi_stamp moment)
{
	struct stream *s = e->s;
	struct misread_key *known = find(e, key);
	if (known && stamp_compare(moment, known->first) < 0)
		known->first = moment;
	if (known || e->unrefuted.used >= UNREFUTED_MAX)
		return;
	spill_pin(versions_key(&s->versions, key));
	known = store_take(&s->store, sizeof *known);
	*known = (struct misread_key){.key = key, .first = moment};
	table_add(&e->unrefuted, hash_key(e, key), known);
}

void unrefuted_remove(struct timestamps *e, const struct inflight *t, const alibi_stamp *from)
{
	for (uint32_t op = 0; op < t->op_count && e->unrefuted.used; op++) {
		uint32_t key = t->ops[op].key;
		struct misread_key *known = op_is_read(&t->ops[op]) ? NULL : find(e, key);
		guard_tick(e->s->guard);
		if (!known || (from && stamp_compare(*from, known->first) > 0))
			continue;
		table_remove(&e->unrefuted, hash_key(e, key), known);
		store_give(&e->s->store, known, sizeof *known);
	}
}

static bool free_key(void *store, void *item)
{
	store_give(store, item, sizeof(struct misread_key));
	return true;
}

void unrefuted_clear(struct timestamps *e)
{
	table_filter(&e->unrefuted, free_key, &e->s->store);
}

void unrefuted_codec(struct timestamps *e, struct codec *c)
{
	uint64_t count = e->unrefuted.used;
	codec_u64(c, &count);
	for (size_t i = 0, at = 0; i < count; i++) {
		struct misread_key k = {0};
		if (c->write)
			k = *(struct misread_key *)table_next(&e->unrefuted, &at);
		inflight_codec_key(e->s, c, &k.key);
		codec_stamp(c, &k.first);
		if (!c->write)
			unrefuted_add(e, k.key, k.first);
	}
}
