/*
 * opaque: updates that do not report which rows they changed.
 *
 * Problem. What such an update wrote follows from the order alone. A refutation must hold in every
 * order, so it has to name all transactions that may have written a key.
 *
 * Idea. The versions that a key can have are the initial value, all that is written to it, and
 * what opaque updates make of versions, one after another, at most as many as ask for the key. A
 * transaction reaches a key if one of its opaque updates asks for the key and matches one of its
 * versions. It may write the key if it does not write it besides. docs/certificates.md has these
 * definitions; history/opaque_update.h computes the same for the search.
 *
 * Invariants. The transactions that reach a key rise.
 *
 * Cost. For each key, its versions times the opaque updates that ask for it.
 */
#ifndef ALIBI_REPLAY_OPAQUE_H
#define ALIBI_REPLAY_OPAQUE_H

#include "replay/predicate.h"

struct opaque {
	struct updates updates;
	bool complete; /* the history has all values that can come about */
	uint32_t
	        *first; /* by key: in txns, one more at the end; NULL: no transaction reaches any */
	VEC(uint32_t) txns; /* that reach the key */
};

void opaque_init(struct opaque *o, struct pool *pool, const struct history *h);

/* The place of (key, txn) among all pairs of which txn reaches the key, by key, then by
 * transaction; ID_NONE: it does not reach the key. */
uint32_t opaque_place(const struct opaque *o, uint32_t txn, uint32_t key);
/* Does it reach the key, and not write it besides? */
bool opaque_may_write(const struct opaque *o, uint32_t txn, uint32_t key);
/* Can one of its opaque updates leave the value there, as far as the columns say that it sets to
 * constants? NULL is left by deletes only. */
bool opaque_may_leave(const struct opaque *o, uint32_t txn, uint32_t key, uint32_t value);
/* Does one of its opaque updates that asks for the key, which it reaches, stand before op? */
bool opaque_before(const struct opaque *o, uint32_t txn, uint32_t key, uint32_t op);
/* What txn leaves at the key if it meets there what writer (ID_NONE: the initial version) left;
 * OPAQUE_KEPT: it does not write it; OPAQUE_NEVER: it cannot have met that, if what it read binds.
 */
uint32_t opaque_leaves(struct opaque *o, uint32_t txn, uint32_t key, uint32_t writer,
                       uint32_t value, bool binds);

#endif
