/*
 * opaque_update: updates that do not report which rows they changed, for the search.
 *
 * Problem. What such an update wrote follows from the order alone. It changes a key if the version
 * it meets there matches, and it leaves its change applied to that version.
 *
 * Idea. What a transaction leaves at a key is a function of the version that it meets. All values
 * that can result are computed when the history is finished, so that they have ids like all
 * others. Starting from what is written or initial, each update is applied to each version of a
 * key, as often as there are updates that ask for the key. The number of results is bounded;
 * beyond the bound the verdict is unknown.
 *
 * A transaction reaches a key if one of its opaque updates matches one of these values. It is a
 * possible writer if it does not write the key besides. What it reports of the key after the update
 * (reads, queries) is part of the function: it cannot have met a version that contradicts the
 * report. Reads of a transaction of unknown outcome do not count.
 *
 * Invariants. The transactions that reach a key rise, and so do the keys that one reaches.
 *
 * Cost. 12 to 24 bytes for each update and value that matches it, 8 for each key reached.
 */
#ifndef ALIBI_HISTORY_OPAQUE_UPDATE_H
#define ALIBI_HISTORY_OPAQUE_UPDATE_H

#include "history/where.h"

/* The transactions that reach a key, or the keys that a transaction reaches. */
struct reach {
	uint32_t first, end; /* in x->reach_txn, or in x->reach_key */
};

struct reach opaque_update_reachers(const struct history *h, uint32_t key);
struct reach opaque_update_reached(const struct history *h, uint32_t txn);
/* The index in x->reach_txn, or ID_NONE: it does not reach the key. */
uint32_t opaque_update_place(const struct history *h, uint32_t txn, uint32_t key);
/* Does it reach the key, and not write it besides? */
bool opaque_update_may_write(const struct history *h, uint32_t txn, uint32_t key);
/* Could this be the resulting value? Over-approximates. */
bool opaque_update_may_leave(const struct history *h, uint32_t txn, uint32_t key, uint32_t value);
/* Is there one of its opaque updates before op that asks for the key, which it reaches? */
bool opaque_update_before(const struct history *h, uint32_t txn, uint32_t key, uint32_t op);
/* What an opaque update makes of a value that matches, or OPAQUE_NEVER. */
uint32_t opaque_update_makes(const struct history *h, const struct query *q, uint32_t value);
/* What txn leaves at the key, if it meets there what writer (ID_NONE: the initial version) left. */
uint32_t opaque_update_leaves(const struct history *h, uint32_t txn, uint32_t key, uint32_t writer,
                              uint32_t value);
/* What txn, which writes the key, finally leaves there; last: by its last write. */
uint32_t opaque_update_final(const struct history *h, uint32_t txn, uint32_t key, uint32_t last);

/* For the builder: makes the values, before they get ranks. */
void opaque_update_finish(struct history *h, const struct txn *txns);

#endif
