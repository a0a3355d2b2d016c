/*
 * shortcut: shorter paths from one transaction to another.
 *
 * A refutation shows that one transaction precedes another by whatever path the search
 * found, through reads-from and session order. A large history often has a much shorter
 * one. It is found by breadth-first search from the end, through the whole history.
 * Session edges cost nothing: a path may go from a transaction to any later one of its
 * session.
 *
 * The shorter paths are added to the reduced part, which is then reduced again.
 *
 * Cost. Linear in the history for each path, plus one sort.
 */
#ifndef ALIBI_EXPLAIN_SHORTCUT_H
#define ALIBI_EXPLAIN_SHORTCUT_H

#include "check/check.h"
#include "explain/subset.h"

/* *part violates. Makes it smaller as long as it has more than `few` transactions and this is
 * possible. */
void shortcut(struct pool *pool, const struct history *h, const struct check_options *options,
              uint32_t few, struct subset *part);

#endif
