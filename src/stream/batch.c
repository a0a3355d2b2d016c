/*
 * batch: the words of some lines become those of the stream.
 *
 * What a reader built has numbers of its own for keys and values. Before the transactions
 * of a batch arrive, its keys are looked up, those of many transactions together, so that
 * the processor waits for several of them at once; what the batch says of keys, that they
 * are lists, or what they held at first, is noted, and what cannot be watched is refused.
 */
#include "stream/inside.h"

#include "history/render.h"

uint32_t batch_op_end(const struct stream *s, uint32_t txn)
{
	const struct builder *b = s->b;
	return txn + 1 < b->txns.count ? b->txns.items[txn + 1].first_op : (uint32_t)b->ops.count;
}

static _Noreturn void reject(const struct stream *s, const char *what)
{
	guard_fail(s->guard, ALIBI_INPUT, &s->b->place, "%s", what);
}

static void reject_list(const struct stream *s, const struct key *k)
{
	struct value name = key_name(k);
	text_vec text = {0};
	text_addf(s->pool, &text,
	          "key %s is a list (it is appended to, or read as one), so it cannot be written, "
	          "deleted or read as anything else",
	          render_value(s->pool, value_public(&name)));
	reject(s, text_string(s->pool, &text));
}

/* What is a list stays one. */
static void take_lists(struct stream *s)
{
	const struct builder *b = s->b;
	s->any_list |= b->any_list;
	for (uint32_t i = 0; i < b->ops.count && s->any_list; i++) {
		struct op o = b->ops.items[i];
		uint32_t key = batch_key(s, i);
		enum alibi_kind kind = atoms_kind(b->values, o.value);
		guard_tick(s->guard);
		if (key == NO_KEY)
			continue;
		struct key *k = versions_key(&s->versions, key);
		if (!(k->flags & KEY_LIST))
			continue;
		if (k->flags & (KEY_REGISTER | KEY_INITIAL) ||
		    (!op_writes(o) && kind != ALIBI_LIST && kind != ALIBI_NULL))
			reject_list(s, k);
		versions_list(&s->versions, k);
	}
}

/* Looks up the keys of the batch up to this one, if they were not yet. */
static void take_keys(struct stream *s, uint32_t end)
{
	const struct builder *b = s->b;
	uint32_t from = (uint32_t)s->batch_keys.count;
	if (end <= from)
		return;
	vec_reserve(s->pool, &s->batch_keys, end);
	s->batch_keys.count = end;
	struct keys *keys = &s->versions.keys;
	keys_of_batch(keys, b->keys, from, end, s->batch_keys.items);
	for (size_t i = 0; i < keys->added.count; i++)
		spill_fetch(s, keys->added.items[i]);
	for (uint32_t i = from; i < end && i < b->key_flags.count; i++) {
		if (s->batch_keys.items[i] == NO_KEY)
			continue;
		struct key *k = keys_at(keys, s->batch_keys.items[i]);
		if (b->key_flags.items[i] & ~k->flags)
			k->use &= (uint8_t)~KEY_STORED;
		k->flags |= b->key_flags.items[i];
	}
}

/* Keys are numbered as they appear. */
void batch_look_up(struct stream *s, uint32_t txn)
{
	uint32_t last = txn < s->b->txns.count ? txn : (uint32_t)s->b->txns.count - 1, end = 0;
	for (uint32_t i = s->ops_seen; i < batch_op_end(s, last); i++)
		if (op_key(s->b->ops.items[i]) >= end)
			end = op_key(s->b->ops.items[i]) + 1;
	s->ops_seen = batch_op_end(s, last);
	take_keys(s, end);
}

/* What all keys hold before anybody wrote them. */
static void take_default(struct stream *s, const struct builder *b)
{
	if (b->h->initial_default == ATOM_NULL)
		return;
	value_drop(&s->store, s->versions.initial);
	s->versions.initial = value_take(&s->store, b->values, b->h->initial_default);
}

static void take_initial(struct stream *s)
{
	const struct history *h = s->b->h;
	if (!s->options.initial)
		take_default(s, s->b);
	for (size_t i = 0; i < h->initial.count; i++) {
		uint32_t key = s->batch_keys.items[h->initial.items[i].key];
		if (key != NO_KEY)
			versions_initial(
			        &s->versions, key,
			        value_take(&s->store, s->b->values, h->initial.items[i].value));
	}
}

void batch_begin(struct stream *s, const struct builder *batch)
{
	s->b = batch;
	if (batch->h->queries)
		reject(s, "queries (\"q\", \"u\") are not checked in a stream; save it, and use "
		          "alibi check");
	if (s->rounds && batch->any_list)
		reject(s, "lists are watched only by the database's timestamps; save the stream, "
		          "and use alibi check");
	s->batch_keys.count = s->ops_seen = 0;
	spill_some(s, atoms_count(batch->keys));
	if (s->any_list || batch->any_list || batch->h->initial.count)
		take_keys(s, (uint32_t)atoms_count(batch->keys));
	take_initial(s);
	take_lists(s);
}
