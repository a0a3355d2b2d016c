/*
 * broken: which rules does the present order break?
 *
 * One walk along the order, as a replay would go: what each key holds is known at
 * each event, so each read, and each commit of a key that another transaction
 * commits too, is judged at once. Each broken rule becomes a clause, false in the
 * present order, and a step of the proof.
 *
 * Cost. Linear in reads and writes; for lists whose elements repeat, in the
 * elements.
 */
#ifndef ALIBI_CHECK_BROKEN_H
#define ALIBI_CHECK_BROKEN_H

#include "base/map.h"
#include "check/proof.h"
#include "order/topology.h"
#include "sat/solver.h"

typedef VEC(uint32_t) slot_vec;

struct search {
	struct pool *pool;
	struct guard *guard;
	struct problem problem;
	struct topology topology;
	struct solver *solver;
	struct proof proof;
	struct map variables; /* by pair of nodes */
	VEC(uint64_t) ends;   /* by variable: its pair */
	VEC(lit) objection;
	uint32_t rounds;

	/* of the walk: */
	uint32_t *writer, *value; /* by key: who wrote it last (slot + 1; 0: nobody), and what */
	slot_vec *appenders;      /* by key: who appended, in order */
	slot_vec *all_appenders;  /* by key, where elements repeat: everybody who does */
	uint32_t *marked, mark;   /* by slot */
	VEC(lit) clause;
	size_t added;
};

/* "node a before node b" */
lit search_literal(struct search *s, uint32_t a, uint32_t b);

/* Adds a clause for each rule that is broken; how many. */
size_t broken_rules(struct search *s);

#endif
