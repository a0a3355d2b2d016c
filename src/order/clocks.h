/*
 * clocks: which transactions come before an event, by one number a chain.
 *
 * A chain is a list of transactions ordered by known edges, one after another. So
 * of a chain it is enough to know how many of its transactions wrote before an event, and
 * which is the first to write after it: two rows of numbers an event, instead of a square
 * matrix (vector clocks, with chains as processes). A transaction continues the chain of one that
 * is known to come before it, if no other does yet; sessions are such chains.
 *
 * Where sessions are many and short, so are chains. Then only the longest are kept: long chains of
 * whichever sessions. An event that is before a transaction of such a chain is before all that
 * comes after this transaction, so a few dozen chains still say of most pairs which one is first;
 * what they say is right, but they do not say all that is known.
 *
 * Of the writers of a key, those in one chain stand together, in its order (a group),
 * so that the last one before an event, or the first one after it, is found by bisection.
 *
 * Invariants.
 * 1. order is a topological order of the known edges.
 * 2. Along an edge, no number of past falls, and no number of future falls.
 *
 * Cost. Memory: events times chains. A sweep: edges times chains.
 */
#ifndef ALIBI_ORDER_CLOCKS_H
#define ALIBI_ORDER_CLOCKS_H

#include "base/radix.h"
#include "order/problem.h"

/* A writer of a key: its index in its chain, its slot. */
struct writer {
	uint32_t index, slot;
};

/* The writers of a key in one chain. */
struct group {
	uint32_t chain, first, end; /* in writers */
};

struct clocks {
	const struct problem *p;
	struct pool *pool;
	struct guard *guard;
	node_id *order; /* topologically sorted */
	uint32_t chains;
	uint32_t *length;              /* by chain: its transactions */
	uint32_t *chain_of, *index_of; /* by slot; chain ID_NONE: it is in none */
	uint32_t *chain_first;         /* by chain, one more at the end: its slots, … */
	uint32_t *slot_at;             /* … in its order */

	/* Rows by node, columns by chain. */
	uint32_t *past;   /* how many write before the node, itself included */
	uint32_t *future; /* the first that writes after it, itself included; length: none */

	uint32_t *groups_first; /* by key: its groups */
	VEC(struct group) groups;
	struct writer *writers; /* by key, chain, index */
};

void clocks_init(struct clocks *c, struct pool *pool, const struct problem *p);
/* Sorts the nodes by the known edges; false: they have a cycle. */
bool clocks_sort(struct clocks *c);
/* Of sorted nodes: makes at most so many chains. */
void clocks_make_chains(struct clocks *c, uint32_t most);
/* If all are in chains: makes the groups. */
void clocks_index_writers(struct clocks *c);
/* Makes groups of slots by the keys that they use; uses: keys, and slots in the order of slot_at.
 */
void clocks_group(struct clocks *c, struct keyed *uses, size_t count);
/* Fill past and future. */
void clocks_sweep_past(struct clocks *c);
void clocks_sweep_future(struct clocks *c);

static inline const uint32_t *clocks_past(const struct clocks *c, node_id node)
{
	return c->past + (size_t)node.index * c->chains;
}

static inline const uint32_t *clocks_future(const struct clocks *c, node_id node)
{
	return c->future + (size_t)node.index * c->chains;
}

/* Do the chains say that a is before b, another node? */
bool clocks_before(const struct clocks *c, node_id a, node_id b);

/* In one group: the first writer whose index is at least this. */
const struct writer *clocks_from(const struct clocks *c, const struct group *g, uint32_t index);

/* Do the invariants hold? Looks at all that was filled. */
bool clocks_validate(const struct clocks *c);

#endif
