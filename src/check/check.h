/*
 * check: the pipeline. History, level and limits in, verdict and evidence out.
 *
 * 1. Can the history be decided at all? (committed transactions, recorded rows)
 * 2. If the database's timestamps are to be believed, replay them (by_timestamps.h).
 * 3. Otherwise make an order of the timestamps, if there are any (version_order.h), or
 *    search for one (find.h). The result counts only after the verifier (verify.h) has
 *    accepted its certificate.
 * 4. A limit may end the check anywhere. The verdict is then `unknown`, and the reason says
 *    what was being done and what was proven until then. So the result is made first, and
 *    the memory of the check is in a pool of its own.
 */
#ifndef ALIBI_CHECK_CHECK_H
#define ALIBI_CHECK_CHECK_H

#include "check/options.h"
#include "findings/findings.h"
#include "history/history.h"

const alibi_result *check(struct pool *pool, const struct history *h,
                          const struct check_options *options);

/* The same, and if the history holds, the order that was found, in the pool. */
struct check_order {
	replay_event *events; /* NULL: it does not hold */
	size_t count;
};
const alibi_result *check_with_order(struct pool *pool, const struct history *h,
                                     const struct check_options *options,
                                     struct check_order *order);

/* The same in two steps, for a caller that needs a result even if the job fails. */
struct check;
struct check *check_new(struct pool *pool);
const alibi_result *check_run(struct check *c, const struct history *h,
                              const struct check_options *options);
/* Says in the result whether it rests on clocks alone (skew.h). A limit leaves that open. */
const alibi_result *check_clocks(struct check *c, const struct history *h,
                                 const struct check_options *options);
/* The job failed in check_run(). The result if a limit did it, else NULL. */
const alibi_result *check_limited(struct check *c, const struct alibi_error *error);

#endif
