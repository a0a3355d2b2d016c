/*
 * reduce: the least part of a history that still violates the level.
 *
 * Delta debugging: transactions are left out, then operations, in ever smaller
 * groups, and the checker says each time whether what is left still violates. In the
 * end no single transaction or operation can go.
 *
 * Leaving out must not make up a violation. So a write goes only together with all
 * reads of its value, and with the later reads of its key by its own transaction: any
 * order that explains the whole then explains the part too. (What a read returned is
 * what the last writer before it left. All who can be that writer are still there, and
 * nobody came between.) A violation of the part is therefore one of the whole, and no
 * read is of a value that nobody wrote unless it was before.
 *
 * What open updates leave rests on more than that: see untold.h.
 *
 * Lists. Reads of long lists would keep all of their appenders. Where that is too
 * many, an append may go together with its element in all lists read, which makes up
 * nothing either, if all appends of that element go.
 *
 * Cost. Checks of a small history: about as many as there are operations, times the
 * logarithm of that.
 */
#ifndef ALIBI_EXPLAIN_REDUCE_H
#define ALIBI_EXPLAIN_REDUCE_H

#include "check/check.h"
#include "explain/subset.h"

/* Lets reads go of which a writer does not stay. keep: by operation. */
void reduce_close(struct pool *pool, const struct history *h, bool *keep);

/* h violates. What is left is made in pool. prefer: by transaction, others are rather
 * left out; NULL: all are alike. */
struct subset reduce_history(struct pool *pool, const struct history *h,
                             const struct check_options *options, const bool *prefer);

#endif
