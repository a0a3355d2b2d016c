/*
 * keys: the keys of a stream, by name.
 *
 * A batch numbers its own keys (builder.h); here a key has one number while it is in memory. A
 * key that was not written lately is one cache line, and a short name is in it. So a lookup costs
 * two cache misses: a slot of the table, and the key. Many keys of a batch are looked up
 * together, so that the misses overlap.
 *
 * With shards (shards.h), a stream knows only its own keys: the others have no number. The shard
 * of a name is the same in every process.
 */
#ifndef ALIBI_STREAM_CORE_KEYS_H
#define ALIBI_STREAM_CORE_KEYS_H

#include "base/ids.h"
#include "stream/core/value.h"

enum key_state {
	KEY_IS_LIST = 1,      /* value is a pointer to a struct list_versions */
	BASE_WRITTEN = 2,     /* the base was written by a transaction */
	BASE_INITIAL = 4,     /* the base is an initial value of its own */
	BASE_TIED = 8,        /* see struct version */
	KEY_MANY_UNKNOWN = 16 /* too many writes of unknown outcome to remember */
};

enum key_use {                 /* see spill.h */
	       KEY_USED = 1,   /* since the clock hand passed */
	       KEY_STORED = 2, /* the record in the store is up to date */
	       KEY_NEEDED = 4, /* by a transaction in memory */
	       KEY_PINNED = 8, /* must stay in memory */
	       KEY_FREE = 16   /* a free number; seen_op is the next free one, or ID_NONE */
};

struct key {            /* see versions.h */
	uint64_t value; /* of the base, with value_kind */
	uint64_t writer;
	alibi_stamp commit;
	struct version *recent;
	uint64_t name;
	uint32_t seen_op; /* the transaction being checked used it last in this operation, … */
	uint32_t count;   /* of the recent versions */
	uint8_t room;     /* for them, as a power of 2 */
	uint8_t value_kind, writer_kind, name_kind;
	uint8_t state;
	uint8_t flags; /* enum key_flag, of all batches */
	bool own;      /* … after a write of its own */
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
	uint32_t count;            /* numbers in use or free */
	uint32_t free, free_count; /* the first free number, or ID_NONE */
	uint64_t *slots;           /* a tag in the upper half, number + 1 in the lower; 0: free */
	size_t mask;
	VEC(uint64_t) hashes; /* of the current batch */
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

/* The numbers of some keys of a batch, by their numbers there; ID_NONE: of another shard. New
 * keys are added. */
void keys_of_batch(struct keys *ks, const struct atoms *names, uint32_t from, uint32_t end,
                   uint32_t *numbers);

/* The name must be new; the key owns it from now on. */
uint32_t keys_add(struct keys *ks, struct value name);
uint32_t keys_find(const struct keys *ks, struct value name); /* or ID_NONE */
/* Drops its name and frees its number. */
void keys_remove(struct keys *ks, uint32_t number);

#endif
