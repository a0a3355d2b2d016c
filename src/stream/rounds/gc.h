/*
 * gc: which transactions of a window can be garbage-collected.
 *
 * Problem. A window of transactions has an order. More will come, and all of it follows the
 * transactions behind the watermark. Such a transaction cannot just be dropped: together with
 * others that are still there, and with future ones, it may be part of a violation (the trap in
 * Cobra's appendix).
 *
 * Idea. Mark and sweep. The known order is saturated (saturate.h). Two transactions that use one
 * key, one of them writing, and whose order is not known, may come either way: a possible edge in
 * both directions. The roots are the transactions that are not behind the watermark. What can be
 * reached from them, along known and possible edges, is live. The rest is removable: no edge,
 * known or possible, leads into it from a live or a future transaction.
 *
 * So in every order of the whole, removable transactions can be moved to the front, with the
 * order among them and among the others unchanged: no two transactions change places that use one
 * key or have a known order. The base of each key is then what its last removable writer wrote.
 * The whole has an order exactly if the removable transactions have one, which the kernel has
 * just replayed, and the others have one that starts from these bases. Where the last writer is
 * not certain, residual writes stay (residual.h).
 *
 * In each chain (clocks.h) the live transactions are a suffix, because a chain consists of known
 * edges. So one number a chain says what is live, and of the users of a key in a chain only the
 * first one matters that is not known to precede (marking.h).
 *
 * Invariants.
 * 1. Possible edges are over-approximated: then more stays live than has to.
 * 2. A transaction of unknown outcome counts as behind the watermark only if it is known to
 *    precede one that is.
 *
 * Cost. A saturation; for each live transaction, and each of its keys, a binary search a chain. If
 * there are too many chains for clocks of all, nothing is removable.
 */
#ifndef ALIBI_STREAM_ROUNDS_GC_H
#define ALIBI_STREAM_ROUNDS_GC_H

#include "order/problem.h"

/* A transaction and a key that it reads or writes. */
struct access {
	uint32_t txn, key;
};

struct gc {
	const struct history *h; /* has an order, by these rules */
	struct problem_rules rules;
	const bool *behind;    /* by transaction: behind the watermark */
	const uint32_t *place; /* by transaction: in that order */
	/* Reads that are not checked yet and not in the history; by transaction. */
	const struct access *pending;
	size_t pending_count;
	/* The result. */
	bool *removable;  /* by transaction */
	bool *takes_part; /* by transaction: it committed, or was read */
	uint32_t *last;   /* by key: the last removable writer; ID_NONE: none, or not certain */
	VEC(struct access) residuals; /* writes of removable transactions that stay; one group … */
	VEC(size_t) group_ends;       /* … after the other */
};

void gc_find(struct pool *pool, struct gc *g);

#endif
