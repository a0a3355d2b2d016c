/*
 * keys: the keys that a stream knows, by name.
 *
 * A batch numbers its keys anew (builder.h); here they have numbers for as long as they
 * are known. All there is to a key that was not written lately is one cache line, with
 * its name in it if that is short, so that finding a key and looking at it are two
 * misses: a slot of the table, and the key. Many keys of a batch are looked up together,
 * so that these misses overlap.
 *
 * With shards (shards.h), a stream knows only the keys of its own: the others have no
 * number. Which shard a name belongs to is the same in every process.
 */
#ifndef ALIBI_STREAM_KEYS_H
#define ALIBI_STREAM_KEYS_H

#include "stream/value.h"

#define NO_KEY UINT32_MAX

enum key_state {
	HELD_LIST = 1,    /* value is a pointer to a struct held_list */
	HELD_WRITTEN = 2, /* the base is no initial value */
	HELD_INITIAL = 4, /* the base is an initial value of its own */
	HELD_TIED = 8,    /* see struct version */
	HELD_UNCLEAR = 16 /* what transactions of unknown outcome wrote does not fit any more */
};

enum key_use {                 /* see spill.h */
	       KEY_USED = 1,   /* since the hand passed */
	       KEY_STORED = 2, /* the store has it as it is */
	       KEY_NEEDED = 4, /* by a transaction in the queue */
	       KEY_PINNED = 8, /* must stay */
	       KEY_FREE = 16   /* there is no such key; seen_op is the next free one, or NO_KEY */
};

struct key {            /* see versions.h */
	uint64_t value; /* the base's, a value with value_kind, */
	uint64_t writer;
	alibi_stamp commit;
	struct version *recent;
	uint64_t name;
	uint32_t seen_op; /* the transaction that is being judged saw it last by this one … */
	uint32_t count;   /* of the recent ones */
	uint8_t room;     /* for them, as a power of 2 */
	uint8_t value_kind, writer_kind, name_kind;
	uint8_t state;
	uint8_t flags; /* enum key_flag, of all batches */
	bool own;      /* … because it had written it */
	uint8_t use;   /* enum key_use */
};

/* A part of the keys, sessions and transactions; all, if there is one part. */
struct shard {
	uint32_t number, count; /* number below count */
};

bool shard_has(struct shard s, struct value v);

struct keys {
	struct store *store;
	struct shard shard;
	uint64_t seed;
	VEC(struct key *) chunks;
	uint32_t count;            /* numbers that were given out … */
	uint32_t free, free_count; /* … and may be given out again; the first of them, or NO_KEY */
	uint64_t *slots;           /* a tag in the upper half, number + 1 in the lower; 0: free */
	size_t mask;
	VEC(uint64_t) hashes; /* of the batch at hand */
	VEC(uint32_t) added;  /* by the last keys_of_batch() */
};

void keys_init(struct keys *ks, struct store *store, struct shard shard, uint64_t seed);

enum { KEY_CHUNK_BITS = 12 };

static inline struct key *keys_at(const struct keys *ks, uint32_t key)
{
	return &ks->chunks.items[key >> KEY_CHUNK_BITS][key & ((1u << KEY_CHUNK_BITS) - 1)];
}

static inline struct value key_name(const struct key *k)
{
	return (struct value){.word = k->name, .kind = k->name_kind};
}

/* The numbers of some keys of a batch, by their numbers there; NO_KEY: it is of another
 * shard. Those that are new are added. */
void keys_of_batch(struct keys *ks, const struct atoms *names, uint32_t from, uint32_t end,
                   uint32_t *numbers);

/* A number for a name that is not there yet and belongs to the key now. */
uint32_t keys_add(struct keys *ks, struct value name);
uint32_t keys_find(const struct keys *ks, struct value name); /* or NO_KEY */
/* Its name is dropped, its number free. */
void keys_remove(struct keys *ks, uint32_t number);

#endif
