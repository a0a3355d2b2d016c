/*
 * idle: transactions that do nothing, but at a time.
 *
 * Problem. Parts of a history are chosen by operation, so one without any is in no part.
 * Mostly it does not matter: of two that come before and after it by clocks, or by their
 * session, the first comes before the second without it. But where a clock went back,
 * somebody may come before it in the session, and it before another by the clocks, and
 * nothing else says that the one comes before the other; or one that ends before it
 * begins comes before and after it.
 *
 * Idea. Such a transaction gets something to do that means nothing: it writes a key of
 * its own.
 */
#ifndef ALIBI_EXPLAIN_IDLE_H
#define ALIBI_EXPLAIN_IDLE_H

#include "check/check.h"

/* The history itself, or, if it has such transactions, one in which they are busy. */
const struct history *idle_busy(struct pool *pool, const struct history *h,
                                const struct check_options *options);

#endif
