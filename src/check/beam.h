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
 * incomplete, and proves nothing when it fails. An order is promising if it leaves
 *  - for each value that is still to be read, many writes of it still to come; an order that
 *    leaves none is dropped;
 *  - no long chain of known edges, such as a session, behind the others.
 * Of orders of the same events that leave the same values to be read, one is kept. A harmless
 * event comes at once: a read, or a write that will not be read over a value that will not be
 * read.
 *
 * With snapshots, start and commit are events of their own. Where writers may not overlap, a
 * start locks the keys that its commit writes.
 *
 * Only registers are supported: lists show their order themselves, and queries rule out most
 * orders.
 *
 * Cost. Each order that is kept looks, at each of its events, at the operations of all events
 * that may come next. Memory: for each, 24 bytes a node, 8 a key, 16 a value that is read,
 * and 40 for each event that may come next.
 */
#ifndef ALIBI_CHECK_BEAM_H
#define ALIBI_CHECK_BEAM_H

#include "order/problem.h"

/* Fills node_at with an order that explains all reads; false: none was found. A step extends one
 * order by one event; it takes at most so many. Turns differ in what they find promising. */
bool beam_find(struct pool *pool, const struct problem *p, unsigned turn, uint64_t steps,
               node_id *node_at);

#endif
