/*
 * beam: many unfinished orders side by side.
 *
 * Problem. Where values repeat, who read from whom is a choice for every read, and nearly
 * every choice is possible until the order is nearly complete. Clauses say little there:
 * the solver (search.h) learns for ever. But such histories mostly have many orders.
 *
 * Idea. An order is built from its beginning, event by event. An event may come next if
 * the known edges (problem.h) allow it and if its reads find what they read. Of all
 * orders with so many events a number is kept, the most promising ones; which makes it
 * an incomplete search (beam search), that proves nothing when it fails. Promising is an
 * order that leaves
 *  - for each value that is still to be read, many who still write it; an order that
 *    leaves nobody is dropped;
 *  - no long chain of known edges, such as a session, behind the others.
 * Of orders of the same events that leave the same values to be read, one is kept. An event
 * that can harm nobody comes at once: a read, or a write that nobody will read over a value
 * that nobody will read.
 *
 * With snapshots, start and commit are events of their own. Where writers may not overlap, a
 * start holds the keys that its commit writes.
 *
 * It knows registers only. Lists tell their order themselves, and queries are rather told
 * apart than guessed.
 *
 * Cost. Each order that is kept looks, at each of its events, at the operations of all events
 * that may come next. Memory: for each, 24 bytes a node, 8 a key, 16 a value that is read,
 * and 40 for each event that may come next.
 */
#ifndef ALIBI_CHECK_BEAM_H
#define ALIBI_CHECK_BEAM_H

#include "order/problem.h"

/* Nodes in an order that explains all reads, in node_at; false: none was found. It takes at
 * most so many steps, each from one order to one event more. Turns differ in what they find
 * promising. */
bool beam_find(struct pool *pool, const struct problem *p, unsigned turn, uint64_t steps,
               node_id *node_at);

#endif
