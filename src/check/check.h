/*
 * check: the pipeline. History, level and limits in, verdict and evidence out.
 *
 * 1. Is there enough to judge? (committed transactions, an order to replay)
 * 2. The database told its timestamps, and the user wants them believed: replay
 *    them (replay.h). Nothing found: valid. Else sort what was found: a mismatch
 *    that an unknown transaction or a tie may explain proves nothing; any other
 *    one proves a violation.
 * 3. Otherwise make an order of the timestamps, if there are any (versions.h), or search
 *    for one (search.h), and say what was found only after the verifier (verify.h) has
 *    accepted the certificate of it.
 * 4. A limit may end the check anywhere: the verdict is then `unknown`, and the
 *    reason says what was being done and what was proven until then. So the result
 *    is made first, and the memory of the check is in a pool of its own.
 */
#ifndef ALIBI_CHECK_CHECK_H
#define ALIBI_CHECK_CHECK_H

#include "alibi.h"
#include "history/history.h"
#include "level/level.h"
#include "verify/verify.h"

struct check_options {
	const struct level *level;
	enum alibi_order order;
	bool session_order; /* counts; else only reads, writes and clocks do */
	bool time_order;    /* the clients' clocks count at every level */
	uint64_t skew;      /* by which they may differ */
	uint64_t require_txns;
	size_t max_violations;
	const struct coverage *coverage; /* the history's; NULL: it is not known yet */
	unsigned threads;                /* of a search */
};

/* The level's rules, with what the options say of sessions and clocks. */
struct verify_rules check_rules(const struct check_options *options);

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

/* The same in two steps, for who wants to know how far it came if the job fails. */
struct check;
struct check *check_new(struct pool *pool);
const alibi_result *check_run(struct check *c, const struct history *h,
                              const struct check_options *options);
/* Of what came out of it: does it rest on clocks (skew.h)? A limit leaves it unanswered. */
void check_clocks(struct check *c, const struct history *h, const struct check_options *options);
/* The job failed in check_run(): if a limit did it, that is a result; else NULL. */
const alibi_result *check_limited(struct check *c, const struct alibi_error *error);

#endif
