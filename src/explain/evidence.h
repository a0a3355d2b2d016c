/*
 * evidence: the operations that the evidence of a violation refers to.
 *
 * A refutation (steps.h) names events, transactions and reads. A replay of timestamps names
 * the mismatching reads and their writers. Those reads, all writes of the transactions
 * involved, and the writers of the values read form a small part of the history. Usually
 * that part violates the level by itself; the caller checks whether it does.
 *
 * Cost. Linear in the evidence, and two passes over the history.
 */
#ifndef ALIBI_EXPLAIN_EVIDENCE_H
#define ALIBI_EXPLAIN_EVIDENCE_H

#include "check/check.h"

/* By operation: does the evidence refer to it? wide: include all reads of the transactions
 * involved. */
bool *evidence_ops(struct pool *pool, const struct history *h, const struct check_options *options,
                   const alibi_result *result, bool wide);
/* All operations of the transactions of these operations, and the writers of what they read. */
bool *evidence_around(struct pool *pool, const struct history *h, const uint32_t *ops,
                      size_t count);

#endif
