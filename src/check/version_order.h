/*
 * version_order: an order made of the database's timestamps, as a first attempt before the
 * search.
 *
 * Problem. At levels with snapshots the timestamps are an order of starts and commits. At the
 * others they are not: a serializable database may commit transactions in another order than
 * the serial one (PostgreSQL does), so replaying the commits would refuse a valid history.
 *
 * Idea. Take less from the timestamps. Commits give the version order of each key. Starts say
 * which version a snapshot has; where a start is missing, the value says it. That gives the
 * whole dependency graph: version order (ww), reads-from (wr), anti-dependencies (rw). With
 * session order and clocks, an order that follows these edges explains every read. If they
 * have a cycle, the timestamps give no order.
 *
 * Nothing here is believed: the order goes to the verifier. If there is none, or the verifier
 * refuses it, the search runs as if there were no timestamps.
 *
 * Cost. Linear, but for a binary search among the versions of a key for each read.
 */
#ifndef ALIBI_CHECK_VERSION_ORDER_H
#define ALIBI_CHECK_VERSION_ORDER_H

#include "check/search.h"

/* Are there timestamps, and does the level have an order that they can give? */
bool version_order_applies(const struct history *h, struct replay_rules rules);

/* found: an order, not verified; else given_up: the timestamps give none. */
struct search_result version_order(struct pool *pool, const struct history *h,
                                   struct replay_rules rules);

#endif
