/*
 * clocks: who comes before an event, told by one number a chain.
 *
 * A chain is a list of transactions that come one after another by known edges. So
 * of a chain it is enough to know how many of its transactions wrote before an event:
 * a row of numbers an event, instead of a square matrix. A transaction continues the
 * chain of one that is known to come before it, if nobody else does yet; sessions are
 * such chains.
 *
 * Of the writers of a key, those in one chain stand together, in its order (a group),
 * so that the last one before an event, or the first one after it, is found by
 * bisection.
 *
 * Cost. Memory: events times chains. A sweep: edges times chains.
 */
#ifndef ALIBI_ORDER_CLOCKS_H
#define ALIBI_ORDER_CLOCKS_H

#include "order/problem.h"

/* A writer of a key: its place in its chain, its slot. */
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
	uint32_t *chain_of, *index_of; /* by slot */
	uint32_t *past;                /* rows by node, columns by chain: see clocks_sweep_past() */
	bool *past_changed;            /* by node: in the last sweep */

	uint32_t *groups_first; /* by key: its groups */
	VEC(struct group) groups;
	struct writer *writers; /* by key, chain, index */
};

void clocks_init(struct clocks *c, struct pool *pool, const struct problem *p);
/* Sorts the nodes by the known edges; false: they have a cycle. */
bool clocks_sort(struct clocks *c);
/* Of sorted nodes. */
void clocks_make_chains(struct clocks *c);
/* Makes the groups. */
void clocks_index_writers(struct clocks *c);
/* How many of each chain write before a node, itself included. touched: by node, only what an
 * edge that is new leads to, and what follows from that; NULL: all. */
void clocks_sweep_past(struct clocks *c, const bool *touched);

/* Sets a row; false: it was the same before. */
bool clocks_replace_row(uint32_t *row, const uint32_t *now, uint32_t columns);

/* In one group: the first writer whose place in the chain is at least index. */
const struct writer *clocks_from(const struct clocks *c, const struct group *g, uint32_t index);

#endif
