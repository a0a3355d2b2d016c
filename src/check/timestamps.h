/*
 * timestamps: the order that the database itself told.
 *
 * Each committed transaction has an event at its start_ts and one at its
 * commit_ts (levels with snapshots), or only the latter. Sorted, they are an
 * order for the kernel; equal timestamps share an instant (replay.h).
 *
 * Where levels have one event a transaction and an instant holds several, the
 * kernel replays them as they stand here and reports TIE where another order
 * might fit better. So they stand as databases mean it: what commits at an
 * instant is seen by those who only read at it.
 */
#ifndef ALIBI_CHECK_TIMESTAMPS_H
#define ALIBI_CHECK_TIMESTAMPS_H

#include "replay/replay.h"

struct timestamp_order {
	replay_event *events;
	size_t count;
	/* Why there is no order, or NULL; txn is the first to lack it. */
	const char *missing;
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
