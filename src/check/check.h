/*
 * check: the pipeline. History, level and limits in, verdict and evidence out.
 *
 * 1. Is there enough to judge? (committed transactions, an order to replay)
 * 2. The database told its timestamps, and the user wants them believed: replay
 *    them (replay.h). Nothing found: valid. Else sort what was found: a mismatch
 *    that an unknown transaction or a tie may explain proves nothing; any other
 *    one proves a violation.
 * 3. Otherwise search for an order (search.h), and say what was found only after
 *    the verifier (verify.h) has accepted the certificate of it.
 */
#ifndef ALIBI_CHECK_CHECK_H
#define ALIBI_CHECK_CHECK_H

#include "alibi.h"
#include "history/history.h"
#include "level/level.h"

struct check_options {
	const struct level *level;
	enum alibi_order order;
	bool session_order; /* counts; else only reads, writes and clocks do */
	bool time_order;    /* the clients' clocks count at every level */
	uint64_t skew;      /* by which they may differ */
	uint64_t require_txns;
	size_t max_violations;
	const struct coverage *coverage; /* the history's; NULL: it is not known yet */
};

const alibi_result *check(struct pool *pool, const struct history *h,
                          const struct check_options *options);

#endif
