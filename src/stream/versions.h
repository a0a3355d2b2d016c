/*
 * versions: what each key held, as far back as a transaction may still read.
 *
 * A key has a base, the last version that committed at or before some moment, and the
 * recent versions after that, by commit and then by arrival. When the moment moves on,
 * versions are collapsed: the last one that it passes becomes the base, and those
 * before it are gone. Most keys have no recent versions at most times, and then all
 * there is to a key is one cache line.
 *
 * The elements of a list key are kept one after the other, as their appends commit; a
 * version says how many it added, so that each version is a prefix.
 *
 * Cost. 64 bytes a key and 64 a recent version; arrivals are nearly in order, so a new
 * version is put in near the end.
 */
#ifndef ALIBI_STREAM_VERSIONS_H
#define ALIBI_STREAM_VERSIONS_H

#include "history/history.h"
#include "stream/keys.h"

struct version {
	alibi_stamp commit, start;
	uint64_t number; /* of the transaction that wrote it, in order of arrival */
	uint64_t value;  /* of a list key: how many elements it appended */
	uint64_t writer; /* its id */
	uint8_t value_kind, writer_kind;
	bool tied; /* who wrote last in this instant is not known */
};

struct held_list {
	VEC(struct value) items;
	size_t base; /* so many of them are the base's */
	bool tied;
};

struct versions {
	struct store *store;
	struct keys keys;
	struct value initial; /* of keys that have none of their own */
	uint64_t kept;        /* recent versions */
};

void versions_init(struct versions *vs, struct store *store, struct shard shard, uint64_t seed);

static inline struct key *versions_key(const struct versions *vs, uint32_t key)
{
	return keys_at(&vs->keys, key);
}

void versions_initial(struct versions *vs, uint32_t key, struct value value);
/* Those who wrote it and are gone left this; both are copied. */
void versions_leave(struct versions *vs, uint32_t key, struct value value, struct value writer);
struct held_list *versions_list(struct versions *vs, struct key *k); /* makes it one */

/* A transaction that writes a key. */
struct writing {
	alibi_stamp commit, start;
	uint64_t number;
	struct value writer; /* copied */
};

/* Adds a version, or to the version that the same transaction added before. NULL: it
 * is older than the base, which only a transaction that is too late can be. */
struct version *versions_write(struct versions *vs, struct key *k, const struct writing *w,
                               struct value value, bool append);

/* How many of the recent versions are visible at a moment: those that commit at or
 * before it; of those that commit just then, only the ones that arrived before `number`,
 * unless `all`. A version by `number` itself is not, if it is the last. */
size_t versions_visible(const struct key *k, alibi_stamp at, uint64_t number, bool all);

/* What the first `visible` recent ones, or the base, leave. */
struct held {
	struct value value;  /* not of lists */
	struct value writer; /* null: it is the initial value */
	size_t elements;     /* of lists */
	alibi_stamp commit;  /* of who wrote it; the first moment of all: nobody did */
	bool tied;
};
struct held versions_held(const struct versions *vs, const struct key *k, size_t visible);

/* Forgets all about a key without recent versions. */
void versions_drop(struct versions *vs, uint32_t key);

/* What commits at or before this becomes the base. */
void versions_collapse_some(struct versions *vs, struct key *k, alibi_stamp base);

static inline void versions_collapse(struct versions *vs, struct key *k, alibi_stamp base)
{
	if (k->count && stamp_compare(k->recent->commit, base) <= 0)
		versions_collapse_some(vs, k, base);
}

#endif
