/*
 * seeds: the operations that the evidence of a violation speaks of.
 *
 * A refutation (steps.h) names events, transactions and reads; a replay of
 * timestamps, the reads and writers that do not fit. These reads, whatever the
 * transactions involved wrote, and the writers of what was read are a small part of
 * the history which mostly violates the level by itself. Whoever uses it checks that.
 *
 * Cost. Linear in the evidence, and two passes over the history.
 */
#ifndef ALIBI_EXPLAIN_SEEDS_H
#define ALIBI_EXPLAIN_SEEDS_H

#include "check/check.h"

/* By operation: is it a seed? wide: with all that the transactions involved read. */
bool *seeds_of(struct pool *pool, const struct history *h, const struct check_options *options,
               const alibi_result *result, bool wide);

#endif
