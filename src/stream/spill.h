/*
 * spill: keys that nobody has touched for long go to a store, and come back when named.
 *
 * Problem. What a stream has to remember for ever is the last version of each key. That
 * is a cache line, a name and a value; a hundred million of them are more than memory.
 *
 * Idea. When memory has reached its limit, keys are looked at one after the other, round
 * and round, as the hands of a clock go. One that was named since the last time is
 * spared; another one goes to the store, which the program supplies, if no transaction
 * needs it: it has no recent versions and is not named in the queue. A key that comes up
 * and is not known is asked for there. What is in the store stays there; if the key did
 * not change until it goes again, nothing need be written.
 *
 * The store begins empty and is never read by another watch: a checkpoint has all keys,
 * also those that are in the store.
 *
 * Cost. A key that is not in memory costs a look into the store, and mostly another
 * key's way there.
 */
#ifndef ALIBI_STREAM_SPILL_H
#define ALIBI_STREAM_SPILL_H

#include "stream/tape.h"
#include "stream/versions.h"

struct stream;

struct spill {
	const alibi_store *table;
	void *store;  /* NULL: nothing is spilled */
	size_t above; /* bytes of memory */
	uint32_t hand;
	uint64_t count; /* of keys that are in the store only */
	uint64_t next;  /* not before this transaction */
	struct tape tape;
	VEC(unsigned char) name, record;
};

/* number: of the thread. */
void spill_open(struct stream *s, uint32_t number);

/* Makes room, if it is needed, for so many keys that may be new. Keys may lose their
 * numbers, but for those that transactions in the queue name. */
void spill_some(struct stream *s, size_t keys);
/* A key that was just added, as the store has it. */
void spill_fetch(struct stream *s, uint32_t key);
/* Nobody could tell any more what its number was. */
void spill_pin(struct key *k);

/* Keys that only the store has, in a checkpoint. */
void tape_spilled(struct tape *t, struct stream *s);

#endif
