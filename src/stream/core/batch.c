/* batch: see batch.h. */
#include "stream/core/batch.h"

void batch_reject(const struct stream *s, const char *why)
{
	guard_fail(s->guard, ALIBI_INPUT, &s->batch.b->place, "%s", why);
}

/* Looks up the keys of the batch up to `end`. */
static void look_up_keys(struct stream *s, uint32_t end)
{
	const struct builder *b = s->batch.b;
	struct keys *keys = &s->versions.keys;
	uint32_t from = (uint32_t)s->batch.keys.count;
	if (end <= from)
		return;
	vec_reserve(s->pool, &s->batch.keys, end);
	s->batch.keys.count = end;
	keys_of_batch(keys, b->keys, from, end, s->batch.keys.items);
	for (size_t i = 0; i < keys->added.count; i++)
		spill_fetch(s, keys->added.items[i]);
	for (uint32_t i = from; i < end && i < b->key_flags.count; i++) {
		if (s->batch.keys.items[i] == ID_NONE)
			continue;
		struct key *k = keys_at(keys, s->batch.keys.items[i]);
		if (b->key_flags.items[i] & ~k->flags)
			k->use &= (uint8_t)~KEY_STORED;
		k->flags |= b->key_flags.items[i];
	}
}

/* Keys are numbered in order of appearance. */
void batch_look_up(struct stream *s, uint32_t txn)
{
	const struct builder *b = s->batch.b;
	uint32_t last = txn < b->txns.count ? txn : (uint32_t)b->txns.count - 1, end = 0;
	for (uint32_t i = s->batch.ops_seen; i < batch_op_end(s, last); i++)
		if (op_key(b->ops.items[i]) >= end)
			end = op_key(b->ops.items[i]) + 1;
	s->batch.ops_seen = batch_op_end(s, last);
	look_up_keys(s, end);
}

static void take_header(struct stream *s)
{
	const struct builder *b = s->batch.b;
	const struct history *h = b->h;
	if (!s->options.timestamps && h->stamp_meaning)
		s->stamp_meaning = h->stamp_meaning;
	if (!s->options.initial && h->initial_default != ATOM_NULL) {
		value_drop(&s->store, s->versions.initial);
		s->versions.initial = value_take(&s->store, b->values, h->initial_default);
	}
	for (size_t i = 0; i < h->initial.count; i++) {
		uint32_t key = s->batch.keys.items[h->initial.items[i].key];
		if (key != ID_NONE)
			versions_initial(
			        &s->versions, key,
			        value_take(&s->store, b->values, h->initial.items[i].value));
	}
}

void batch_begin(struct stream *s, const struct builder *b)
{
	s->batch.b = b;
	if (b->h->queries)
		batch_reject(s, "queries (\"q\", \"u\") are not checked in a stream; save it, and "
		                "check the file");
	if (b->any_list && !s->engine->lists)
		batch_reject(s, "lists are watched only by the database's timestamps; save the "
		                "stream, and check the file");
	s->batch.keys.count = s->batch.ops_seen = 0;
	spill_some(s, atoms_count(b->keys));
	if (b->any_list || b->h->initial.count)
		look_up_keys(s, (uint32_t)atoms_count(b->keys));
	take_header(s);
}
