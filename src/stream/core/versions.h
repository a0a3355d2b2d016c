/*
 * versions: the versions of each key, back to the garbage collection horizon.
 *
 * A key has a base, the last version that committed at or before the horizon, and the recent
 * versions after it, by commit and then by arrival. When the horizon moves, versions are
 * collapsed: the last one that it passes becomes the base, and those before it are freed. Most
 * keys have no recent versions most of the time, and then a key is one cache line.
 *
 * The elements of a list key are one array, in the order in which their appends commit. A version
 * has the number of elements it appended, so each version is a prefix.
 *
 * Invariant. The recent versions of a key rise by commit, then by arrival (versions_valid).
 *
 * Cost. 64 bytes a key and 64 a recent version. Arrivals are nearly in order, so a new version is
 * inserted near the end.
 */
#ifndef ALIBI_STREAM_CORE_VERSIONS_H
#define ALIBI_STREAM_CORE_VERSIONS_H

#include "history/history.h"
#include "stream/core/codec.h"
#include "stream/core/keys.h"

struct version {
	alibi_stamp commit, start;
	uint64_t number; /* of its writer, in order of arrival */
	uint64_t value;  /* of a list key: the number of elements appended */
	uint64_t writer; /* the id */
	uint8_t value_kind, writer_kind;
	bool tied; /* another version has the same commit timestamp */
};

struct list_versions {
	VEC(struct value) items;
	size_t base; /* length of the base */
	bool tied;   /* some version was */
};

struct versions {
	struct store *store;
	struct keys keys;
	struct value initial; /* of keys that have none of their own */
	uint64_t count;       /* of recent versions */
};

void versions_init(struct versions *vs, struct store *store, struct shard shard, uint64_t seed);

static inline struct key *versions_key(const struct versions *vs, uint32_t key)
{
	return keys_at(&vs->keys, key);
}

void versions_initial(struct versions *vs, uint32_t key, struct value value);
/* The base, after its writers were collected; both values are copied. */
void versions_set_base(struct versions *vs, uint32_t key, struct value value, struct value writer);
struct list_versions *versions_list(struct versions *vs, struct key *k); /* turns it into one */

/* The transaction that writes a key. */
struct writing {
	alibi_stamp commit, start;
	uint64_t number;
	struct value writer; /* copied */
};

/* Adds a version, or extends the one that the same transaction added before. NULL: it is older
 * than the base, which happens only with late transactions. */
struct version *versions_write(struct versions *vs, struct key *k, const struct writing *w,
                               struct value value, bool append);

/* How many of the recent versions are visible at a moment: those that commit at or before it.
 * Of those that commit exactly then, only the ones that arrived before `number`, unless `all`.
 * The last version is not visible to `number`, its own writer. */
size_t versions_visible(const struct key *k, alibi_stamp at, uint64_t number, bool all);

/* The last of the first `count` recent versions; the base, if count is 0. */
struct visible {
	struct value value;  /* not of lists */
	struct value writer; /* null: it is the initial value */
	size_t elements;     /* of lists */
	alibi_stamp commit;  /* of the initial value: the first moment of all */
	bool tied;
};
struct visible versions_read(const struct versions *vs, const struct key *k, size_t count);

/* Removes a key without recent versions. */
void versions_drop(struct versions *vs, uint32_t key);

/* A key without its name; all keys, with their names. */
void versions_codec_key(struct versions *vs, struct codec *c, struct key *k);
void versions_codec(struct versions *vs, struct codec *c);
bool versions_valid(const struct versions *vs);

/* The last version that commits at or before the horizon becomes the base. */
void versions_collapse_some(struct versions *vs, struct key *k, alibi_stamp horizon);

static inline void versions_collapse(struct versions *vs, struct key *k, alibi_stamp horizon)
{
	if (k->count && stamp_compare(k->recent->commit, horizon) <= 0)
		versions_collapse_some(vs, k, horizon);
}

#endif
