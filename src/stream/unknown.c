/*
 * unknown: what transactions of unknown outcome wrote.
 *
 * Such a transaction may have committed, at any time. So a read that finds what it
 * wrote proves nothing, however much later it is, and its writes are kept for ever.
 * They are rare; if there are very many after all, a key with writes that are not kept
 * is marked, and no read of it that finds something unexpected proves anything.
 */
#include "stream/inside.h"

enum { UNKNOWN_MAX = 1 << 20 };

static bool same_write(const void *item, const void *wanted)
{
	const struct unknown_write *a = item, *b = wanted;
	return a->key == b->key && value_same(a->value, b->value);
}

static uint64_t hash_write(const struct stream *s, const struct unknown_write *w)
{
	return value_hash(w->value, s->seed + w->key);
}

void unknown_add(struct stream *s, const struct unknown_write *w)
{
	uint64_t hash = hash_write(s, w);
	guard_tick(s->guard);
	if (table_find(&s->unknown, hash, same_write, w))
		return;
	if (s->unknown.used >= UNKNOWN_MAX) {
		versions_key(&s->versions, w->key)->state |= HELD_UNCLEAR;
		versions_key(&s->versions, w->key)->use &= (uint8_t)~KEY_STORED;
		return;
	}
	spill_pin(versions_key(&s->versions, w->key));
	struct unknown_write *kept = store_take(&s->store, sizeof *kept);
	*kept = (struct unknown_write){.key = w->key, .value = value_copy(&s->store, w->value)};
	table_add(&s->unknown, hash, kept);
}

void unknown_note(struct stream *s, const struct waiting *t)
{
	for (uint32_t op = 0; op < t->op_count; op++) {
		const struct waiting_op *o = &t->ops[op];
		if (o->kind != ALIBI_READ)
			unknown_add(s,
			            &(struct unknown_write){.key = o->key, .value = op_value(o)});
	}
}

bool unknown_wrote(const struct stream *s, uint32_t key, struct value value)
{
	struct unknown_write w = {.key = key, .value = value};
	size_t count;
	if (value.kind != ALIBI_LIST)
		return table_find(&s->unknown, hash_write(s, &w), same_write, &w) != NULL;
	const struct value *items = value_items(value, &count);
	for (size_t i = 0; i < count; i++)
		if (unknown_wrote(s, key, items[i])) /* an item is no list */
			return true;
	return false;
}
