/*
 * open: updates that do not report which rows they changed.
 *
 * What such an update wrote is decided by the order alone: it changes a key if what it meets
 * there matches, and what it leaves is its change applied to that. So what its transaction
 * leaves at a key is a function of the version that it meets.
 *
 * All values that can come about in this way are made when the history is finished, so that
 * they are numbers like all others: from what is written or initial, each update is applied to
 * each version of a key, as often as there are updates that ask for it. A bound keeps sums of
 * sums within reason; beyond it nothing is decided.
 *
 * A transaction reaches a key if one of its open updates matches one of these values. It is
 * a possible writer, if it does not write the key besides. What it reports of the key behind the
 * update (reads, queries) is part of the function: it cannot have met what contradicts that.
 * What a transaction of unknown outcome read does not count; what it cannot change, it leaves.
 *
 * Invariants. The transactions that reach a key rise, and so do the keys that one reaches.
 *
 * Cost. 12 to 24 bytes for each update and value that matches it, 8 for each key reached.
 */
#ifndef ALIBI_HISTORY_OPEN_H
#define ALIBI_HISTORY_OPEN_H

#include "history/where.h"

/* Those that reach a key, or the keys that a transaction reaches. */
struct reach {
	uint32_t first, end; /* in x->reach_txn, or in x->reach_key */
};

struct reach open_reachers(const struct history *h, uint32_t key);
struct reach open_reached(const struct history *h, uint32_t txn);
/* The place in x->reach_txn, or ATOM_NONE: it does not reach the key. */
uint32_t open_place(const struct history *h, uint32_t txn, uint32_t key);
/* Does it reach the key, and not write it besides? */
bool open_may_write(const struct history *h, uint32_t txn, uint32_t key);
/* Could this be the resulting value? Over-approximates. */
bool open_may_leave(const struct history *h, uint32_t txn, uint32_t key, uint32_t value);
/* Is there one of its open updates before op that asks for the key, which it reaches? */
bool open_before(const struct history *h, uint32_t txn, uint32_t key, uint32_t op);
/* What an open update makes of a value that matches, or OPEN_NEVER. */
uint32_t open_makes(const struct history *h, const struct query *q, uint32_t value);
/* What txn leaves at the key, if it meets there what writer (NO_TXN: the initial version) left. */
uint32_t open_leaves(const struct history *h, uint32_t txn, uint32_t key, uint32_t writer,
                     uint32_t value);
/* What txn, which writes the key, finally leaves there; last: by its last write. */
uint32_t open_final(const struct history *h, uint32_t txn, uint32_t key, uint32_t last);

/* For the builder: makes the values, before they get ranks. */
void open_finish(struct history *h, const struct txn *txns);

#endif
