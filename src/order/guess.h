/*
 * guess: a first order of all events, which follows the known edges and is otherwise
 * near the one in which things happened.
 *
 * Cost. Edges, and a heap of the events that may come next.
 */
#ifndef ALIBI_ORDER_GUESS_H
#define ALIBI_ORDER_GUESS_H

#include "order/problem.h"

/* By node: who rather comes first. */
uint64_t *guess_hint(struct pool *pool, const struct problem *p);

/* Fills place (by node) and node_at, its inverse. False: the known edges have a cycle,
 * and nodes on one, or behind one, have no place. */
bool guess_order(struct pool *pool, const struct problem *p, const uint64_t *hint, uint32_t *place,
                 uint32_t *node_at);

#endif
