/*
 * frozen: which transactions of a window can be let go.
 *
 * Problem. A window of transactions has an order that explains it. More will come, and
 * all of that comes after those which are frozen: they ended before anything begins that
 * is still to come. A frozen transaction cannot just be forgotten: together with others
 * that are still there, and with what comes, it may be part of a contradiction (the trap
 * in Cobra's appendix).
 *
 * Idea. What is known of the order is saturated (saturate.h). Two transactions that use
 * one key, one of them writing, and whose order is not known, may come either way: an edge
 * in both directions. These possible edges and the known ones are a graph. What can be
 * reached in it from somebody who is not frozen stays. The rest goes: no edge, known or
 * possible, leads from what stays, or from what comes, into it.
 *
 * So in every order of all of it those who go can be moved to the front, with the order
 * among them and the order among the others as they are: no two change places that
 * use one key or have to stand in an order. What they leave behind is what the last writer
 * of each key left. Then all of it has an order exactly if those who go have one, which
 * the kernel has just seen, and if the others have one that starts from what these leave
 * behind. Where the last writer is not certain, a remnant of those who may be last stays
 * behind (remnants.h).
 *
 * Those who stay are, in each chain (clocks.h), all from one place on, because a chain is
 * of known edges. So what stays is one number a chain, and of the users of a key in one
 * chain only the first matters who is not known to be before.
 *
 * Invariants.
 * 1. Possible edges may be too many, never too few: then more stays than has to.
 * 2. Somebody of unknown outcome is frozen only if he is known to come before somebody
 *    who is.
 *
 * Cost. A saturation; for each transaction that stays, and each of its keys, a bisection a
 * chain. If there are too many chains for a saturation, nobody goes.
 */
#ifndef ALIBI_STREAM_FROZEN_H
#define ALIBI_STREAM_FROZEN_H

#include "order/problem.h"

/* A transaction and a key that it uses. */
struct use {
	uint32_t txn, key;
};

struct letting_go {
	const struct history *h; /* that has an order, by these rules */
	struct problem_rules rules;
	const bool *frozen;    /* by transaction: it comes before all that is still to come */
	const uint32_t *place; /* by transaction: in that order */
	/* Reads that are not judged yet, so that the history does not have them; by transaction. */
	const struct use *pending;
	size_t pending_count;
	/* What came out. */
	bool *goes;       /* by transaction */
	bool *takes_part; /* by transaction */
	uint32_t *last;   /* by key: who of these wrote it last; NO_TXN: nobody, or a remnant */
	VEC(struct use) remnants; /* of those who go: what they wrote there stays; one group … */
	VEC(size_t) group_ends;   /* … after the other */
};

void let_go(struct pool *pool, struct letting_go *l);

#endif
