/* unrefuted: see unrefuted.h. */
#include "stream/timestamps/unrefuted.h"

enum { UNREFUTED_MAX = 1 << 16 };

struct misread_key {
	struct value key; /* its number */
	alibi_stamp first;
};

static struct misread_key *find(const struct timestamps *e, uint32_t key)
{
	return table_get(&e->unrefuted, value_integer(key));
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
	*known = (struct misread_key){.key = value_integer(key), .first = moment};
	table_put(&e->unrefuted, known);
}

void unrefuted_remove(struct timestamps *e, const struct inflight *t, const alibi_stamp *from)
{
	for (uint32_t op = 0; op < t->op_count && e->unrefuted.used; op++) {
		const struct inflight_op *o = &t->ops[op];
		struct misread_key *known = op_is_read(o) ? NULL : find(e, o->key);
		guard_tick(e->s->guard);
		if (!known || (from && stamp_compare(*from, known->first) > 0))
			continue;
		table_take_out(&e->unrefuted, known);
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
	codec_any(c, &count);
	for (size_t i = 0, at = 0; i < count; i++) {
		struct misread_key k = {0};
		if (c->write)
			k = *(struct misread_key *)table_next(&e->unrefuted, &at);
		uint32_t key = (uint32_t)k.key.word;
		inflight_codec_key(e->s, c, &key);
		codec_any(c, &k.first);
		if (!c->write)
			unrefuted_add(e, key, k.first);
	}
}
