/*
 * weak_schedule: makes a commit order, and chooses a writer for each read on the way.
 *
 * Problem. Where values repeat, a read has hundreds of candidate writers, and a search that
 * decides all reads before it looks at the order (weak.h) gets nowhere. But the weak levels allow
 * stale reads. So nearly any order near the true one will do, if writers are chosen after it.
 *
 * Idea. The order is made from its beginning, by a heap: next comes the transaction that ended
 * first by the clients' clocks or, without clocks, the one that is least far along its session.
 * It gets its place if each of its reads finds a candidate among those that have one. Visible
 * writers set a floor to each read: the last visible writer of its key. A read takes the oldest
 * candidate that is not below its floor. That may make more transactions visible and raise other
 * floors, so this is repeated until nothing changes. Where a read then has no candidate, the read
 * that raised its floor takes its next one.
 *
 * A transaction without a choice waits for the next writer of the value it lacks, and others go
 * on. A later writer is a new candidate and takes none away, so this mostly ends well. If all
 * wait, two writers stand in the wrong order: the last candidate w of a read is below the floor
 * that u set. Then the order is taken back to w, which from now on comes after u.
 *
 * A list has no choice once the order is known. What its key holds grows towards the longest list
 * that was read, and an appender gets its place when its elements come next there.
 *
 * It is only a search for an order. It may give up, and then it has proven nothing.
 *
 * Invariants.
 * 1. The order is closed under the known edges (order/known.h).
 * 2. A transaction with a place, and its choices, hold at the level whatever comes after it.
 * 3. A transaction without a place waits for a known predecessor, is ready, or is blocked.
 *
 * Cost. For each try of a transaction its reads times the writes of their writers; at the causal
 * level times the chains (as in order/clocks.h), and the writers of a key down to the first
 * visible one. Tries are limited to a few a transaction.
 */
#ifndef ALIBI_CHECK_WEAK_SCHEDULE_H
#define ALIBI_CHECK_WEAK_SCHEDULE_H

#include "check/search.h"

/* given_up: no order was found. Makes the known edges those of the problem. */
struct search_result weak_schedule(struct pool *pool, struct problem *p, struct replay_rules rules);

#endif
