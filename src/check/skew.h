/*
 * skew: does a violation rest on the clients' clocks alone?
 *
 * Problem. Where clocks count, a violation has two explanations: the database is wrong,
 * or the clocks differ by more than was said. The history does not show which, but often
 * the second is more likely, and then the user should know.
 *
 * Idea. The history is decided again without clocks. If it violates the level then too,
 * clocks have nothing to do with it. If it holds, the least difference of clocks is
 * looked for with which it does: more skew means fewer constraints, so halving the
 * interval finds it, and an order that is found says at once how much skew that order
 * needs, which is often much less. The pair of transactions that needs most names two
 * sessions; if the history holds without the times of one of them, that session's clock
 * is suspected. If the history says that its clocks do not differ (a skew of 0: Jepsen's, and
 * those that were recorded by one process), no clock is suspected: the violation is one of
 * real-time order.
 *
 * Invariants. Each of these decisions is the verifier's, as that of the verdict. The
 * verdict itself does not change.
 *
 * Cost. Some searches: up to STEPS_MAX for a small history, a few for a large one, of
 * which a difference that suffices is reported, if not the least one. The verdict is known and
 * waits for this, so all of them together have a second, or a few times what the verdict took. A
 * limit leaves open what is not known by then.
 */
#ifndef ALIBI_CHECK_SKEW_H
#define ALIBI_CHECK_SKEW_H

#include "check/options.h"
#include "findings/findings.h"

/* Of a result that came from a search with these options: fills its `clocks`. */
void suspect_clocks(struct pool *pool, const struct history *h, const struct check_options *options,
                    alibi_result *result);

#endif
