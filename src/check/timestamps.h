/*
 * timestamps: the order that the database's own timestamps give.
 *
 * Each committed transaction has an event at its start_ts and one at its commit_ts (levels
 * with snapshots), or only the latter. Sorted, they are an order for the kernel; events with
 * equal timestamps share an instant (replay.h).
 *
 * Where a transaction has one event and an instant holds several, the kernel replays them as
 * they stand here and reports TIE where another order might fit better. So they stand as
 * databases mean them: a transaction that only reads sees what commits at the same instant.
 *
 * Cost. Two radix sorts: by the logical part, if there is one, and by the physical part.
 */
#ifndef ALIBI_CHECK_TIMESTAMPS_H
#define ALIBI_CHECK_TIMESTAMPS_H

#include "replay/replay.h"

struct timestamp_order {
	replay_event *events;
	size_t count;
	const char *missing; /* why there is no order, about the transaction txn; or NULL */
	uint32_t txn;
};

/* By transaction: the instants of its start_ts and its commit_ts, numbered from 1 in
 * their order; 0: it has none. */
struct instants {
	uint32_t *start, *commit;
};

struct instants timestamp_instants(struct pool *pool, const struct history *h);

struct timestamp_order timestamp_order(struct pool *pool, const struct history *h,
                                       struct replay_rules rules);

#endif
