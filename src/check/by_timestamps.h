/*
 * by_timestamps: a verdict from the order that the database's own timestamps give.
 *
 * The kernel replays that order (timestamps.h, replay.h). No mismatch: the history is valid.
 * Otherwise each mismatch is asked what it proves. One that a tie, or a transaction of unknown
 * outcome, may explain proves nothing: such a transaction may have committed, and has no
 * timestamp. Where two writers of a key are tied, no read of the history proves anything,
 * because it is not known which version was the last. At ser the order of commits is the one that
 * the level speaks of only if the history says so; otherwise a mismatch with it proves nothing, but
 * what a transaction reads of its own. Every other mismatch is a violation.
 *
 * Invariant. In doubt the verdict is unknown, not violates.
 */
#ifndef ALIBI_CHECK_BY_TIMESTAMPS_H
#define ALIBI_CHECK_BY_TIMESTAMPS_H

#include "check/check.h"

/* Is the order of the timestamps the one that the level speaks of? If not, one that does not
 * explain the history proves nothing: the database does not claim it. */
static inline bool stamps_decide(struct replay_rules rules, enum stamp_meaning meaning)
{
	return rules.snapshot || meaning == STAMPS_SERIAL;
}

/* Fills verdict, reason, basis and violations. */
void check_by_timestamps(struct pool *pool, const struct history *h,
                         const struct check_options *options, alibi_result *result);

#endif
