/*
 * orphans: fences that do not continue the chain (fences.h), by the value they read and by the
 * value they wrote. Of several with one value, the first to arrive is found.
 */
#ifndef ALIBI_STREAM_FENCES_ORPHANS_H
#define ALIBI_STREAM_FENCES_ORPHANS_H

#include "stream/core/table.h"
#include "stream/rounds/rounds.h"

enum fence_value { FENCE_READ, FENCE_WROTE, FENCE_VALUES };

/* A transaction that is not in the window yet. */
struct held_txn {
	struct held_txn *next; /* in its session */
	struct fence_session *session;
	struct window_txn w;
	bool orphan;
	struct value values[FENCE_VALUES]; /* of a fence; they belong to w.t */
};

struct orphans {
	struct table by[FENCE_VALUES]; /* of the values in struct held_txn */
	uint64_t count;
};

void orphans_init(struct orphans *o, struct pool *pool, uint64_t seed);
void orphans_add(struct orphans *o, struct held_txn *x);
void orphans_remove(struct orphans *o, struct held_txn *x);
/* The first one that read, or wrote, this value; or NULL. */
struct held_txn *orphans_find(const struct orphans *o, enum fence_value by, struct value v);
/* Follows reads back to an orphan that read from none; depth: how many steps. */
struct held_txn *orphans_root(const struct orphans *o, struct held_txn *x, uint64_t *depth);

#endif
