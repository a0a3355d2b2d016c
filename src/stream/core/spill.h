/*
 * spill: cold keys are evicted to a store, and fetched when they are used again.
 *
 * Problem. A stream has to remember the last version of each key for good. That is a cache line,
 * a name and a value; a hundred million of them do not fit in memory.
 *
 * Idea. When memory has reached its limit, a clock sweep goes over the keys. A key that was used
 * since the last sweep is spared. Another one is evicted to the store, which the program
 * supplies, if no transaction needs it: it has no recent versions, and no transaction in memory
 * names it. A new key is looked up in the store first. Its record stays there; if the key does
 * not change until its next eviction, nothing is written.
 *
 * The store starts empty and is not read by another watch: a checkpoint has all keys, also those
 * in the store.
 *
 * Cost. A key that is not in memory costs a lookup in the store, and mostly the eviction of
 * another key.
 */
#ifndef ALIBI_STREAM_CORE_SPILL_H
#define ALIBI_STREAM_CORE_SPILL_H

#include "stream/core/codec.h"
#include "stream/core/versions.h"

struct stream;

struct spill {
	const alibi_store *table;
	void *store;  /* NULL: nothing is spilled */
	size_t above; /* bytes of memory */
	uint32_t hand;
	uint64_t count; /* of keys that are only in the store */
	uint64_t next;  /* no sweep before this transaction */
	struct codec codec;
	VEC(unsigned char) name, record;
};

void spill_open(struct stream *s);

/* Makes room, if needed, for so many keys that may be new. Keys lose their numbers, except those
 * that transactions in memory use. */
void spill_some(struct stream *s, size_t keys);
/* Loads a key that was just added, if the store has it. */
void spill_fetch(struct stream *s, uint32_t key);
/* Its number is remembered elsewhere, so it must stay. */
void spill_pin(struct key *k);

/* Keys that are only in the store, in a checkpoint. */
void spill_codec(struct stream *s, struct codec *c);

#endif
