/*
 * beam: many unfinished orders side by side.
 *
 * Problem. Where values repeat, every read has several candidate writers, and nearly
 * every choice is possible until the order is nearly complete. Clauses say little there:
 * the solver (search.h) learns for ever. But such histories mostly have many orders.
 *
 * Idea. Beam search: an order is built from its beginning, event by event. An event may come next
 * if the known edges (problem.h) allow it and if its reads find what they read. Of all
 * orders with so many events a number is kept, the most promising ones. So the search is
 * incomplete, and proves nothing when it fails.
 *
 * A real database did things about in the order of some guide: the clients' clocks, the file, how
 * far along its session a transaction is (first_order.h). The rank of an event is its place
 * there. An order is promising if it leaves few events behind, and will not leave many: the ranks
 * of its events are summed up, and for each read still to come, how far behind it the next
 * write of its value is, unless its key has that value now. An order is dropped if it leaves a read
 * whose value is not written any more. Of orders of the same events that leave the same values in
 * the keys, one is kept. A harmless event comes at once: a read, or a write that will not be read
 * over a value that will not be read.
 *
 * Where all goes well, few orders are enough. Where all of them are stuck, the search goes back a
 * little, and on from there with more; each time that it is stuck again before it is well
 * beyond that place, further and with still more.
 *
 * Where many orders side by side are stuck, perhaps there is none. In the first turn, reads that
 * do not find their value are then forgiven at a price, until the search is beyond that place. The
 * order that comes out violates few rules, near what is wrong: from there the solver finds
 * a proof, or repairs it.
 *
 * With snapshots, start and commit are events of their own. Where writers may not overlap, a
 * start locks the keys that its commit writes.
 *
 * Only registers are supported: lists show their order themselves, and queries rule out most
 * orders.
 *
 * Cost. Each order that is kept looks, at each of its events, at the operations of the events
 * that may come next. Memory: for each, 1 KB and 8 bytes a key, and 8 for each of its events.
 */
#ifndef ALIBI_CHECK_BEAM_H
#define ALIBI_CHECK_BEAM_H

#include "order/problem.h"

enum beam_result {
	BEAM_NOTHING,
	BEAM_NEAR,  /* an order in which some transactions do not find what they read */
	BEAM_ORDER, /* one that explains all reads */
};

/* Fills node_at, unless it finds nothing. The hint, by node, is the guide. A step extends one
 * order by one event; it takes at most so many. Turns differ in what they find promising, and
 * only the first forgives reads. */
enum beam_result beam_find(struct pool *pool, const struct problem *p, const uint64_t *hint,
                           unsigned turn, uint64_t steps, node_id *node_at);

#endif
