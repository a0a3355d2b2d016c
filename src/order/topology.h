/*
 * topology: an order of nodes that follows edges which come and go.
 *
 * Problem. The search guesses edge after edge and takes guesses back. After each
 * it must know whether the edges have a cycle, and, at the end, an order.
 *
 * Idea. Keep one order of all nodes (place). An edge that goes forward in it
 * costs nothing. One that goes backward makes a few nodes between its ends
 * change places among themselves: those reachable from its head, and those that
 * reach its tail (after Pearce and Kelly's dynamic topological sort). If its head
 * reaches its tail, there is a cycle, and it is handed out. Taking an edge away
 * never makes an order wrong.
 *
 * Invariants.
 * 1. place and node_at are inverse permutations; every edge goes forward.
 * 2. Edges are taken away in the reverse order of their coming.
 *
 * Cost. The nodes and edges between the two ends, in that part of the order.
 */
#ifndef ALIBI_ORDER_TOPOLOGY_H
#define ALIBI_ORDER_TOPOLOGY_H

#include "order/problem.h"

/* One step of a cycle: an edge from node to the next step's node. */
struct cycle_step {
	uint32_t node;
	uint32_t label; /* of a guessed edge, or ID_NONE */
	uint32_t why;   /* of a known edge: as problem.after_why */
};

struct guessed_edge {
	uint32_t node, label, next; /* next: + 1, in the same list */
};

struct topology {
	struct pool *pool;
	struct guard *guard;
	const struct problem *p;
	uint32_t *place, *node_at;
	uint32_t *out, *in;             /* by node: the newest guessed edge + 1 */
	VEC(struct guessed_edge) edges; /* two for each: one to, one from */
	VEC(struct cycle_step) cycle;   /* set where insert fails */

	uint32_t *mark, mark_now;
	uint32_t *parent, *parent_label, *parent_why;
	VEC(uint32_t) stack, ahead, behind, places;
};

/* A first order, following the known edges; hint, by node, says who rather comes
 * first. False: they have a cycle. */
bool topology_init(struct topology *t, struct pool *pool, const struct problem *p,
                   const uint64_t *hint);

/* Adds an edge; false: it would close a cycle, and was not added. */
bool topology_insert(struct topology *t, uint32_t from, uint32_t to, uint32_t label);
/* Takes the newest edge away, which went from `from` to `to`. */
void topology_remove(struct topology *t, uint32_t from, uint32_t to);

#endif
