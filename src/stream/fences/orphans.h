/*
 * orphans: fences that do not continue the chain (fences.h), by the value they read and by the
 * value they wrote.
 *
 * Several may read, or write, the same value: they are a linked list in order of arrival, and the
 * table has the first one.
 */
#ifndef ALIBI_STREAM_FENCES_ORPHANS_H
#define ALIBI_STREAM_FENCES_ORPHANS_H

#include "stream/core/table.h"
#include "stream/rounds/rounds.h"

enum fence_value { FENCE_READ, FENCE_WROTE, FENCE_VALUES };

struct orphan_link {
	struct held_txn *before, *after;
	struct held_txn *last; /* of the first one: the last of the list */
};

/* A transaction that is not in the window yet. */
struct held_txn {
	struct held_txn *next; /* in its session */
	struct fence_session *session;
	struct window_txn w;
	bool orphan;
	struct value values[FENCE_VALUES]; /* of a fence; they belong to w.t */
	struct orphan_link links[FENCE_VALUES];
};

struct orphans {
	struct table by[FENCE_VALUES];
	uint64_t seed, count;
};

void orphans_init(struct orphans *o, struct pool *pool, uint64_t seed);
void orphans_add(struct orphans *o, struct held_txn *x);
void orphans_remove(struct orphans *o, struct held_txn *x);
/* The first one that read, or wrote, this value; or NULL. */
struct held_txn *orphans_find(const struct orphans *o, enum fence_value by, struct value v);
/* Follows reads back to an orphan that read from none; depth: how many steps. */
struct held_txn *orphans_root(const struct orphans *o, struct held_txn *x, uint64_t *depth);

#endif
