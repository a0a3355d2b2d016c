/*
 * shortcut: shorter ways from one transaction to another.
 *
 * A refutation shows that one transaction came before another by whatever way the
 * search found: who read from whom, and what came later in whose session. In a large
 * history there often is a much shorter way. It is found by a search in breadth from
 * the end, through the whole history, in which sessions cost nothing: one may go from
 * a transaction to any later one of its session without those between.
 *
 * The shorter ways are added to what was reduced, and that is reduced again.
 *
 * Cost. Linear in the history for each way, and sorting it once.
 */
#ifndef ALIBI_EXPLAIN_SHORTCUT_H
#define ALIBI_EXPLAIN_SHORTCUT_H

#include "check/check.h"
#include "explain/subset.h"

/* Makes *part, a part of h that violates, smaller, as long as it has more than a few
 * transactions and this is possible. */
void shortcut(struct pool *pool, const struct history *h, const struct check_options *options,
              uint32_t few, struct subset *part);

#endif
