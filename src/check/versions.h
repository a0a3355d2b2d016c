/*
 * versions: an order made of the database's timestamps, for the search to begin with.
 *
 * The problem: at levels with snapshots the timestamps are an order. At the others
 * they are not: a serializable database may commit transactions in another order than
 * the serial one (PostgreSQL does), so that replaying the commits would refuse what is
 * right.
 *
 * The idea: take less from the timestamps. Commits say in which order the versions of a
 * key came, starts say which version a snapshot has; where a start is missing, the value
 * says which it was. Then everything else follows: a version comes after the one before
 * it (ww) and before those who read it (wr), and who read it comes before the next one
 * (rw). With sessions and clocks, an order that follows these edges explains every read.
 * If they have a cycle, there is none.
 *
 * Nothing here is believed: the order goes to the verifier, and if there is none, or it
 * does not fit, one is searched for as if there were no timestamps.
 *
 * Cost. Linear, but for a binary search among the versions of a key for each read.
 */
#ifndef ALIBI_CHECK_VERSIONS_H
#define ALIBI_CHECK_VERSIONS_H

#include "check/search.h"

/* Are there timestamps, and does the level have an order that they can give? */
bool versions_apply(const struct history *h, struct replay_rules rules);

/* found: an order, not verified; else given_up: the timestamps give none. */
struct search_result versions_order(struct pool *pool, const struct history *h,
                                    struct replay_rules rules);

#endif
