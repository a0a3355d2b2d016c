/*
 * repair: moves transactions that a read should not see out of its way.
 *
 * Problem. Between what a read read and the read itself, an order has another writer of the key: it
 * must go before the one, or behind the other. The solver can decide that, and learns from each
 * conflict; but while an order has many such places, most of what it learns is about bad orders.
 *
 * Idea. Try the nearer way first, then the other, and stay with whatever closes no cycle. The edge
 * stays until the end, so that no later move undoes it; where both ways close a cycle, the
 * place is left as it is. After a few passes few places are left, and they go to the solver. All
 * edges are taken back before; the order that they made remains.
 *
 * Nothing follows from a repair: it guesses. Reads with one candidate take part.
 *
 * Cost. A pass: events, reads and writes, and an insertion (topology.h) for each place.
 */
#ifndef ALIBI_ORDER_REPAIR_H
#define ALIBI_ORDER_REPAIR_H

#include "order/topology.h"

void repair(struct pool *pool, struct topology *t);

#endif
