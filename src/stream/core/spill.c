/* spill: see spill.h. */
#include "stream/core/spill.h"

#include "base/guard.h"
#include "format/source.h"
#include "stream/core/core.h"

#include <string.h>

enum { NAME_BYTES = 500, SWEEP_SHARE = 16, SWEEP_LEAST = 256 };

static _Noreturn void store_failed(const struct stream *s)
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

void spill_open(struct stream *s)
{
	struct spill *sp = &s->spill;
	sp->table = s->options.store;
	sp->above = s->options.store_above;
	sp->store = sp->table->open(s->options.store_data, s->options.shard);
	if (!sp->store)
		guard_fail(s->guard, ALIBI_MEMORY, NULL, "out of memory");
	pool_defer(s->pool, close_store, sp);
	if (sp->table->why(sp->store))
		store_failed(s);
	codec_write(&sp->codec, s->pool, &s->store, add_bytes, s);
}

void spill_pin(struct key *k)
{
	k->use |= KEY_PINNED;
}

/* ---- eviction ---- */

/* Encodes the name into sp->record. */
static void write_name(struct stream *s, struct value name)
{
	s->spill.record.count = 0;
	codec_any(&s->spill.codec, &name);
	codec_flush(&s->spill.codec);
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
	versions_codec_key(&s->versions, &sp->codec, k);
	codec_flush(&sp->codec);
	if (!sp->table->put(sp->store, sp->name.items, sp->name.count, sp->record.items,
	                    sp->record.count))
		store_failed(s);
}

static bool is_evictable(const struct key *k)
{
	return !(k->use & (KEY_FREE | KEY_NEEDED | KEY_PINNED)) && !k->count;
}

static bool has_short_name(const struct key *k)
{
	struct value name = key_name(k);
	return value_in_word(name) || value_text(name)->length <= NAME_BYTES;
}

/* Moves the clock hand until so many keys are evicted; returns how many were. */
static uint32_t sweep(struct stream *s, uint32_t wanted)
{
	struct spill *sp = &s->spill;
	struct keys *keys = &s->versions.keys;
	uint32_t evicted = 0;
	for (uint64_t left = 2 * (uint64_t)keys->count; left && evicted < wanted; left--) {
		uint32_t number = sp->hand = (sp->hand + 1) % keys->count;
		struct key *k = keys_at(keys, number);
		bool spared = k->use & KEY_USED;
		guard_tick(s->guard);
		k->use &= (uint8_t)~KEY_USED;
		if (spared || !is_evictable(k) || !has_short_name(k))
			continue;
		if (!(k->use & KEY_STORED))
			put(s, k);
		versions_drop(&s->versions, number);
		evicted++;
	}
	return evicted;
}

void spill_some(struct stream *s, size_t keys)
{
	struct spill *sp = &s->spill;
	const struct keys *ks = &s->versions.keys;
	if (!sp->store || ks->free_count >= keys || s->guard->used < sp->above || !ks->count ||
	    s->stats.txns < sp->next)
		return;
	uint32_t wanted = ks->count / SWEEP_SHARE + SWEEP_LEAST + (uint32_t)keys;
	s->engine->mark_needed(s->state, true);
	uint32_t evicted = sweep(s, wanted);
	s->engine->mark_needed(s->state, false);
	sp->count += evicted;
	if (evicted < wanted / 2) /* most keys are needed */
		sp->next = s->stats.txns + ks->count / 4;
	if (evicted && !sp->table->flush(sp->store))
		store_failed(s);
}

/* ---- fetching ---- */

void spill_fetch(struct stream *s, uint32_t key)
{
	struct spill *sp = &s->spill;
	struct key *k = versions_key(&s->versions, key);
	const void *bytes = NULL;
	size_t length = 0;
	struct codec c;
	if (!sp->count || !has_short_name(k))
		return;
	write_name(s, key_name(k));
	if (!sp->table->get(sp->store, sp->record.items, sp->record.count, &bytes, &length))
		store_failed(s);
	if (!bytes)
		return;
	codec_open_record(&c, s->pool, &s->store, bytes, length);
	versions_codec_key(&s->versions, &c, k);
	k->use |= KEY_STORED;
	sp->count--;
}

/* ---- checkpoints ---- */

struct spill_writing {
	struct codec *c;
	struct stream *s;
	struct text name, record; /* as the store has them */
};

/* A record of the store, unless its key is in memory. */
static void write_stored(void *data)
{
	struct spill_writing *d = data;
	struct stream *s = d->s;
	struct codec c;
	struct value name = {0};
	uint64_t length = d->record.length;
	codec_open_record(&c, s->pool, &s->store, d->name.bytes, d->name.length);
	codec_any(&c, &name);
	if (keys_find(&s->versions.keys, name) == ID_NONE) {
		codec_any(d->c, &name);
		codec_any(d->c, &length);
		codec_bytes(d->c, (void *)(uintptr_t)d->record.bytes, length);
	}
	value_drop(&s->store, name);
}

/* The store's code is between this and the job: it must not be jumped over. */
static bool take_stored(void *data, const void *name, size_t name_length, const void *bytes,
                        size_t length)
{
	struct spill_writing *d = data;
	d->name = (struct text){name, name_length};
	d->record = (struct text){bytes, length};
	return guard_try(d->s->guard, write_stored, d);
}

/* Into memory; the next batch evicts what is too much. */
static void read_spilled(struct stream *s, struct codec *c)
{
	struct value name = {0};
	struct codec key;
	uint64_t length;
	codec_any(c, &name);
	codec_any(c, &length);
	if (length > (size_t)(c->end - c->at) || name.kind == ALIBI_LIST)
		codec_reject(c);
	spill_some(s, 1);
	struct key *k = versions_key(&s->versions, keys_add(&s->versions.keys, name));
	codec_open_record(&key, s->pool, &s->store, c->at, length);
	versions_codec_key(&s->versions, &key, k);
	c->at += length;
}

void spill_codec(struct stream *s, struct codec *c)
{
	uint64_t count = s->spill.count;
	codec_any(c, &count);
	if (c->write && count &&
	    !s->spill.table->each(s->spill.store, take_stored,
	                          &(struct spill_writing){.c = c, .s = s})) {
		if (s->guard->error.code != ALIBI_OK)
			guard_out(s->guard);
		store_failed(s);
	}
	for (uint64_t i = 0; i < count && !c->write; i++)
		read_spilled(s, c);
}
