/*
 * first_order: an order of all events that follows the known edges, and is otherwise near the
 * one in which they were recorded.
 *
 * Cost. Edges, and a heap of the events that may come next.
 */
#ifndef ALIBI_ORDER_FIRST_ORDER_H
#define ALIBI_ORDER_FIRST_ORDER_H

#include "order/problem.h"

/* By node: lower ones come first where the known edges leave a choice. */
uint64_t *first_order_hint(struct pool *pool, const struct problem *p);

/* Fills place (by node) and node_at, its inverse. False: the known edges have a cycle,
 * and nodes on one, or behind one, have no place (ID_NONE). */
bool first_order(struct pool *pool, const struct problem *p, const uint64_t *hint, uint32_t *place,
                 node_id *node_at);

#endif
