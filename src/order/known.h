/*
 * known: the edges of a problem that hold in every order. Filled into the
 * problem by its builder.
 */
#ifndef ALIBI_ORDER_KNOWN_H
#define ALIBI_ORDER_KNOWN_H

#include "order/problem.h"

struct edge {
	node_id from, to;
	uint32_t why; /* as problem.after_why */
};

typedef VEC(struct edge) edge_vec;

/* Which appender wrote what a list read shows, where elements are unique; false:
 * a read shows what no order of appends gives. */
bool known_lists(struct problem *p);

void known_edges(struct problem *p);

/* Adds those of session order. */
void known_sessions(const struct problem *p, edge_vec *edges);
/* Makes these the edges of the problem. */
void known_set(struct problem *p, const edge_vec *edges);

/* Adds the derived edges from this one on. */
void known_add_derived(struct problem *p, size_t from);

#endif
