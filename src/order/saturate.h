/*
 * saturate: derives edges until no more follow.
 *
 * For a read by r of key x from its one candidate w, and another writer u of x:
 * u comes before w, or after r. So if u is known to be before r, it is before w; if
 * it is known to be after w, it is after r. Each derived edge may make more known.
 *
 * Idea. For each event and each chain of transactions (clocks.h) two clocks are kept:
 * how many of the chain's first writes are known to come before the event, and which
 * is the first known to come after it. Whether u is before r is one
 * comparison, and of the writers of x in one chain only two can say anything new:
 * the last one before r, and the first one after w. No pairs of writers are ever
 * enumerated, and no matrix of events is kept.
 *
 * Clocks are swept along a topological order in each round, from where new edges lead on, as
 * far as anything changes; reads are looked at again only if the clocks of their two ends
 * changed.
 *
 * Every derived edge keeps its reason (the read, and the other writer), from which a
 * proof of it can be made when it is needed.
 *
 * Cost. Events × chains × 8 bytes; a round costs edges × chains, vectorised. Histories
 * with too many chains for that (each transaction a session of its own) are left as
 * they are: the search then decides more pairs itself.
 */
#ifndef ALIBI_ORDER_SATURATE_H
#define ALIBI_ORDER_SATURATE_H

#include "order/problem.h"

struct clocks;
struct saturation;

/* Is the write of the slot known to be before, or after, the node? */
bool saturation_before(const struct saturation *s, uint32_t slot, node_id node);
bool saturation_after(const struct saturation *s, uint32_t slot, node_id node);
/* All that is known. */
const struct clocks *saturation_clocks(const struct saturation *s);
/* This edge follows from what is known; `earlier` is filled in. */
void saturation_derive(struct saturation *s, struct derived d);

/* Called when nothing more follows from reads: derives more; how many edges. */
struct saturate_more {
	size_t (*look)(void *data, struct saturation *s);
	void *data;
};

/* Adds what follows to p->derived and to the known edges, and counts it as it goes.
 * Stops early where these have a cycle: topology.h will find it. more: may be NULL;
 * if it is not, what is known can be asked for afterwards. Else, or if there is a cycle, or
 * too much to know, NULL is returned. */
struct saturation *saturate(struct problem *p, uint64_t *count, const struct saturate_more *more);

/* Do the invariants of the clocks hold, and is no write of a chain both before and after a node? */
bool saturation_validate(const struct saturation *s);

#endif
