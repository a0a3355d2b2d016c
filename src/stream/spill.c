/* spill: see spill.h. */
#include "stream/spill.h"

#include "base/guard.h"
#include "stream/inside.h"

#include <string.h>

enum { NAME_BYTES = 500, TURN_SHARE = 16, TURN_LEAST = 256 };

static _Noreturn void broken(const struct stream *s)
{
	const char *why = s->spill.table->why(s->spill.store);
	guard_fail(s->guard, ALIBI_IO, NULL, "the store for keys failed: %s",
	           why ? why : "it does not say why");
}

static void close_store(void *data)
{
	struct spill *sp = data;
	sp->table->close(sp->store);
}

static bool add_bytes(void *data, const void *bytes, size_t length)
{
	struct stream *s = data;
	size_t count = s->spill.record.count;
	vec_reserve(s->pool, &s->spill.record, count + length);
	memcpy(s->spill.record.items + count, bytes, length);
	s->spill.record.count += length;
	return true;
}

void spill_open(struct stream *s, uint32_t number)
{
	struct spill *sp = &s->spill;
	sp->table = s->options.store;
	sp->above = s->options.store_above;
	sp->store = sp->table->open(s->options.store_data, number);
	if (!sp->store)
		guard_fail(s->guard, ALIBI_MEMORY, NULL, "the system has no memory left");
	pool_defer(s->pool, close_store, sp);
	if (sp->table->why(sp->store))
		broken(s);
	tape_write(&sp->tape, s->pool, &s->store, add_bytes, s);
}

void spill_pin(struct key *k)
{
	k->use |= KEY_PINNED;
}

/* ---- there ---- */

/* The name, as the store has it, in sp->record. */
static void write_name(struct stream *s, struct value name)
{
	s->spill.record.count = 0;
	tape_value(&s->spill.tape, &name);
	tape_flush(&s->spill.tape);
}

static void put(struct stream *s, struct key *k)
{
	struct spill *sp = &s->spill;
	write_name(s, key_name(k));
	sp->name.count = 0;
	vec_reserve(s->pool, &sp->name, sp->record.count);
	memcpy(sp->name.items, sp->record.items, sp->record.count);
	sp->name.count = sp->record.count;
	sp->record.count = 0;
	tape_key(&sp->tape, &s->versions, k);
	tape_flush(&sp->tape);
	if (!sp->table->put(sp->store, sp->name.items, sp->name.count, sp->record.items,
	                    sp->record.count))
		broken(s);
}

static void mark_queue(struct stream *s, bool needed)
{
	for (struct waiting *t = s->first; t; t = t->next)
		for (uint32_t op = 0; op < t->op_count; op++) {
			struct key *k = versions_key(&s->versions, t->ops[op].key);
			k->use = (uint8_t)(needed ? k->use | KEY_NEEDED : k->use & ~KEY_NEEDED);
			guard_tick(s->guard);
		}
}

static bool can_go(const struct key *k)
{
	return !(k->use & (KEY_FREE | KEY_NEEDED | KEY_PINNED)) && !k->count;
}

static bool has_short_name(const struct key *k)
{
	struct value name = key_name(k);
	return value_in_word(name) || value_text(name)->length <= NAME_BYTES;
}

/* Turns the hand until so many keys have gone; how many have. */
static uint32_t turn(struct stream *s, uint32_t wanted)
{
	struct spill *sp = &s->spill;
	struct keys *keys = &s->versions.keys;
	uint32_t gone = 0;
	for (uint64_t left = 2 * (uint64_t)keys->count; left && gone < wanted; left--) {
		uint32_t number = sp->hand = (sp->hand + 1) % keys->count;
		struct key *k = keys_at(keys, number);
		bool spared = k->use & KEY_USED;
		guard_tick(s->guard);
		k->use &= (uint8_t)~KEY_USED;
		if (spared || !can_go(k) || !has_short_name(k))
			continue;
		if (!(k->use & KEY_STORED))
			put(s, k);
		versions_drop(&s->versions, number);
		gone++;
	}
	return gone;
}

void spill_some(struct stream *s, size_t keys)
{
	struct spill *sp = &s->spill;
	const struct keys *ks = &s->versions.keys;
	if (!sp->store || ks->free_count >= keys || s->guard->used < sp->above || !ks->count ||
	    s->stats.txns < sp->next)
		return;
	uint32_t wanted = ks->count / TURN_SHARE + TURN_LEAST + (uint32_t)keys;
	mark_queue(s, true);
	uint32_t gone = turn(s, wanted);
	mark_queue(s, false);
	sp->count += gone;
	if (gone < wanted / 2) /* most are needed */
		sp->next = s->stats.txns + ks->count / 4;
	if (gone && !sp->table->flush(sp->store))
		broken(s);
}

/* ---- and back ---- */

void spill_fetch(struct stream *s, uint32_t key)
{
	struct spill *sp = &s->spill;
	struct key *k = versions_key(&s->versions, key);
	const void *bytes = NULL;
	size_t length = 0;
	struct tape t;
	if (!sp->count || !has_short_name(k))
		return;
	write_name(s, key_name(k));
	if (!sp->table->get(sp->store, sp->record.items, sp->record.count, &bytes, &length))
		broken(s);
	if (!bytes)
		return;
	tape_open(&t, s->pool, &s->store, bytes, length);
	tape_key(&t, &s->versions, k);
	k->use |= KEY_STORED;
	sp->count--;
}

/* ---- checkpoints ---- */

struct taping {
	struct tape *t;
	struct stream *s;
};

/* A key of the store, unless it has come back. */
static bool tape_stored(void *data, const void *name_bytes, size_t name_length, const void *bytes,
                        size_t length)
{
	struct taping *d = data;
	struct stream *s = d->s;
	struct tape t;
	struct value name = {0};
	uint64_t record = length;
	tape_open(&t, s->pool, &s->store, name_bytes, name_length);
	tape_value(&t, &name);
	if (keys_find(&s->versions.keys, name) == NO_KEY) {
		tape_value(d->t, &name);
		tape_count(d->t, &record);
		tape_bytes(d->t, (void *)(uintptr_t)bytes, length);
	}
	value_drop(&s->store, name);
	return true;
}

/* Into memory; what is too much goes to the store when the next batch comes. */
static void read_spilled(struct tape *t, struct stream *s)
{
	struct value name = {0};
	struct tape key;
	uint64_t length;
	tape_value(t, &name);
	tape_count(t, &length);
	if (length > (size_t)(t->end - t->at) || name.kind == ALIBI_LIST)
		tape_refuse(t);
	spill_some(s, 1);
	struct key *k = versions_key(&s->versions, keys_add(&s->versions.keys, name));
	tape_open(&key, s->pool, &s->store, t->at, length);
	tape_key(&key, &s->versions, k);
	t->at += length;
}

void tape_spilled(struct tape *t, struct stream *s)
{
	uint64_t count = s->spill.count;
	tape_count(t, &count);
	if (t->write && count &&
	    !s->spill.table->each(s->spill.store, tape_stored, &(struct taping){t, s}))
		broken(s);
	for (uint64_t i = 0; i < count && !t->write; i++)
		read_spilled(t, s);
}
