/* unknown: see unknown.h. */
#include "stream/timestamps/unknown.h"

enum { UNKNOWN_MAX = 1 << 20 };

struct unknown_write {
	uint32_t key;
	struct value value;
};

static bool same_write(const void *item, const void *wanted)
{
	const struct unknown_write *a = item, *b = wanted;
	return a->key == b->key && value_same(a->value, b->value);
}

static struct unknown_write *find(const struct timestamps *e, const struct unknown_write *w)
{
	return table_find(&e->unknown, value_hash(w->value, e->s->seed + w->key), same_write, w);
}

/* Copies the value. */
static void add(struct timestamps *e, const struct unknown_write *w)
{
	struct stream *s = e->s;
	struct key *k = versions_key(&s->versions, w->key);
	guard_tick(s->guard);
	if (find(e, w))
		return;
	if (e->unknown.used >= UNKNOWN_MAX) {
		k->state |= KEY_MANY_UNKNOWN;
		k->use &= (uint8_t)~KEY_STORED;
		return;
	}
	spill_pin(k);
	struct unknown_write *copy = store_take(&s->store, sizeof *copy);
	*copy = (struct unknown_write){.key = w->key, .value = value_copy(&s->store, w->value)};
	table_add(&e->unknown, value_hash(w->value, s->seed + w->key), copy);
}

void unknown_add(struct timestamps *e, const struct inflight *t)
{
	for (const struct inflight_op *o = t->ops; o < t->ops + t->op_count; o++)
		if (!op_is_read(o))
			add(e, &(struct unknown_write){.key = o->key, .value = op_value(o)});
}

bool unknown_wrote(const struct timestamps *e, uint32_t key, struct value value)
{
	size_t count;
	if (value.kind != ALIBI_LIST)
		return find(e, &(struct unknown_write){.key = key, .value = value});
	const struct value *items = value_items(value, &count);
	for (size_t i = 0; i < count; i++)
		if (unknown_wrote(e, key, items[i])) /* an item is not a list */
			return true;
	return false;
}

void unknown_codec(struct timestamps *e, struct codec *c)
{
	uint64_t count = e->unknown.used;
	codec_any(c, &count);
	for (size_t i = 0, at = 0; i < count; i++) {
		struct unknown_write w = {0};
		if (c->write)
			w = *(struct unknown_write *)table_next(&e->unknown, &at);
		inflight_codec_key(e->s, c, &w.key);
		codec_any(c, &w.value);
		if (!c->write) {
			add(e, &w);
			value_drop(&e->s->store, w.value);
		}
	}
}
