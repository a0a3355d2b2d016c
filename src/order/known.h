/*
 * known: the edges of a problem that hold in every order.
 *
 * Session order, real time and start before commit follow from the history. A read with one
 * candidate comes after it. A list whose elements are unique shows the order of its appenders.
 * Real time would have an edge for nearly every pair; a chain of time points, one for each begin,
 * makes them linear in number.
 */
#ifndef ALIBI_ORDER_KNOWN_H
#define ALIBI_ORDER_KNOWN_H

#include "order/problem.h"

struct edge {
	node_id from, to;
	uint32_t why; /* as problem.after_why */
};

typedef VEC(struct edge) edge_vec;

/* Finds the appenders of each list that was read, where elements are unique; false:
 * no order of appends gives what a read shows. */
bool known_lists(struct problem *p);

/* How often the slot appended the element to the key. */
size_t known_appended(const struct problem *p, uint32_t slot, uint32_t key, uint32_t element);
/* How many of the elements that the slot appended to the key are at the beginning of items;
 * *wrong: the first that is not, or ID_NONE. */
size_t known_block(const struct problem *p, uint32_t slot, uint32_t key, const uint32_t *items,
                   size_t count, uint32_t *wrong);

void known_edges(struct problem *p);

/* Adds the edges of session order. */
void known_sessions(const struct problem *p, edge_vec *edges);
/* Makes these the edges of the problem. */
void known_set(struct problem *p, const edge_vec *edges);

/* Adds the derived edges from index `from` on. */
void known_add_derived(struct problem *p, size_t from);

#endif
