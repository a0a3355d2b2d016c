/*
 * saturate: derives edges that follow from the known ones.
 *
 * For a read by r of key x from its one candidate w, and another writer u of x:
 * u comes before w, or after r. So if u is known to be before r, it is before w; if
 * it is known to be after w, it is after r. Each derived edge may make more known.
 *
 * Idea. Nothing here has to be complete: what is not derived is left to the search. So what is
 * known is taken from the clocks of a few dozen chains (clocks.h), the longest ones: in one number
 * a chain, u is before r if it is before a transaction of some chain that is before r. And of the
 * writers of x only a few are looked at: those between w and r in the present order, which
 * violate it, and from there on both sides as far as the order is not known yet.
 *
 * A round sorts the events, makes chains and clocks anew, and looks at all reads. Derived edges
 * make the chains longer, and so the next round knows more. Where an event stands in all chains
 * together is also the best guess of its place: it becomes the hint of the next order. The last
 * round is the one that derives little.
 *
 * Every derived edge keeps its reason (the read, and the other writer), from which a
 * proof of it can be made when it is needed.
 *
 * Cost. Events × chains × 8 bytes; a round costs (edges + reads) × chains, vectorised. There are as
 * many chains with a hundred thousand sessions as with a hundred.
 */
#ifndef ALIBI_ORDER_SATURATE_H
#define ALIBI_ORDER_SATURATE_H

#include "order/problem.h"

struct saturation;

/* Is the write of the slot known to be before, or after, the node? */
bool saturation_before(const struct saturation *s, uint32_t slot, node_id node);
bool saturation_after(const struct saturation *s, uint32_t slot, node_id node);
/* This edge follows from what is known; `earlier` is filled in. */
void saturation_derive(struct saturation *s, struct derived d);

/* Called when little more follows from reads: derives more; how many edges. */
struct saturate_more {
	size_t (*look)(void *data, struct saturation *s);
	void *data;
};

/* Adds what follows to p->derived and to the known edges, and counts it as it goes. hint: for first
 * orders; it gets better. Stops early where the edges have a cycle: topology.h will find it. more:
 * may be NULL; if it is not, what is known can be asked for afterwards. Else, or if there is a
 * cycle, NULL is returned. */
struct saturation *saturate(struct problem *p, uint64_t *hint, uint64_t *count,
                            const struct saturate_more *more);

/* Do the invariants of the clocks hold, and is no write of a chain both before and after a node? */
bool saturation_validate(const struct saturation *s);

#endif
