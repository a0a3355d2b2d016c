/*
 * weakest: the weakest level that a few transactions violate.
 *
 * Problem. A history that violates strict serializability often loses updates, which weaker levels
 * forbid. What is left of it may be a stale read in real time: true, but not the cause.
 *
 * Idea. The transactions of the reduced history, with all their operations and the writers of what
 * they read, are checked at the weaker levels, one after the other, until one is not violated. What
 * violates a weaker level violates the stronger ones, too. Each check has a limited time: where a
 * level is hard to decide, the one above it is named.
 */
#ifndef ALIBI_EXPLAIN_WEAKEST_H
#define ALIBI_EXPLAIN_WEAKEST_H

#include "check/check.h"

/* h violates the level of *options, which become those of the weakest level that is seen to be
 * violated. The result at that level; NULL: no weaker one is. */
const alibi_result *weakest_violated(struct pool *pool, const struct history *h,
                                     struct check_options *options);

#endif
