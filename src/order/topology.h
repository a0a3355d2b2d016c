/*
 * topology: an order of nodes that follows edges which come and go.
 *
 * Problem. The search adds edge after edge and takes some back. After each it must know
 * whether the edges have a cycle, and, at the end, an order.
 *
 * Idea. Keep one order of all nodes (place). An edge that goes forward in it
 * costs nothing. One that goes backward makes a few nodes between its ends
 * change places among themselves: those reachable from its head, and those that
 * reach its tail (after Pearce and Kelly's dynamic topological sort). If its head
 * reaches its tail, there is a cycle, and it is returned. Removing an edge
 * never makes an order wrong.
 *
 * Invariants.
 * 1. place and node_at are inverse permutations; every edge goes forward.
 * 2. Edges are removed in the reverse order of their insertion.
 *
 * Cost. The nodes and edges between the two ends, in that part of the order.
 */
#ifndef ALIBI_ORDER_TOPOLOGY_H
#define ALIBI_ORDER_TOPOLOGY_H

#include "order/problem.h"

/* One step of a path or cycle: an edge from node to the next step's node. */
struct path_step {
	node_id node;
	uint32_t label; /* of an inserted edge; ID_NONE: it is a known one */
	uint32_t why;   /* of a known edge: as problem.after_why */
};

typedef VEC(struct path_step) path_vec;

struct inserted_edge {
	node_id node;
	uint32_t label;
	uint32_t next; /* in the list of the same node, or ID_NONE */
};

struct topology {
	struct pool *pool;
	struct guard *guard;
	const struct problem *p;
	uint32_t *place; /* by node */
	node_id *node_at;
	uint32_t *out, *in;              /* by node: its newest inserted edge, or ID_NONE */
	VEC(struct inserted_edge) edges; /* two for each: one to, one from */
	path_vec cycle;                  /* set where insert fails */

	uint32_t *mark, mark_now;
	struct path_step *parent; /* by node, of those marked */
	VEC(node_id) stack, ahead, behind;
	VEC(uint32_t) places;
};

/* A first order that follows the known edges; hint, by node: lower ones come first where the
 * edges leave a choice. False: they have a cycle. */
bool topology_init(struct topology *t, struct pool *pool, const struct problem *p,
                   const uint64_t *hint);

/* Adds an edge; false: it would close a cycle, and was not added. */
bool topology_insert(struct topology *t, node_id from, node_id to, uint32_t label);
/* Removes the newest edge, which went from `from` to `to`. */
void topology_remove(struct topology *t, node_id from, node_id to);

/* A path of known edges, of derived ones only the first `earlier`. They all follow p->place.
 * False: there is none. */
bool topology_path(struct topology *t, node_id from, node_id to, uint32_t earlier, path_vec *path);

/* Do the invariants hold? Looks at all nodes and edges. */
bool topology_validate(const struct topology *t);

#endif
