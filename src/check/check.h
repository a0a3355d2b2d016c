/*
 * check: the pipeline. History, level and limits in, verdict and evidence out.
 *
 * 1. Is there enough to judge? (committed transactions, an order to replay)
 * 2. Get an order. So far there is one way, the database's timestamps.
 * 3. Replay it (replay.h). Nothing found: valid.
 * 4. Sort what was found: a mismatch that an unknown transaction or a tie may
 *    explain proves nothing; any other one proves a violation.
 */
#ifndef ALIBI_CHECK_CHECK_H
#define ALIBI_CHECK_CHECK_H

#include "alibi.h"
#include "history/history.h"
#include "level/level.h"

struct check_options {
	const struct level *level;
	enum alibi_order order;
	uint64_t require_txns;
	size_t max_violations;
};

const alibi_result *check(struct pool *pool, const struct history *h,
                          const struct check_options *options);

#endif
