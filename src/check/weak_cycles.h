/*
 * weak_cycles: refutes the current read choices (weak.h): turns a contradiction that
 * weak_edges found into a step of the proof and a clause for the solver.
 *
 * A cycle of edges holds only as long as the choices in it do, so its clause says that one
 * of them is wrong. Cycles are found depth first: an edge to a transaction that is still
 * open closes one, and a breadth-first search from there finds a shortest one. Cycles of one
 * pass share no transaction, so that their clauses are about different choices.
 *
 * Cost. Edges, and for each cycle, and each causal edge in it, a breadth-first search.
 */
#ifndef ALIBI_CHECK_WEAK_CYCLES_H
#define ALIBI_CHECK_WEAK_CYCLES_H

#include "check/proof.h"
#include "check/weak_edges.h"
#include "sat/solver.h"

struct visit {
	uint32_t node, next; /* next: of its edges */
};

struct refuter {
	struct pool *pool;
	struct guard *guard;
	const struct weak_edges *e;
	struct proof *proof;
	struct solver *solver;
	VEC(lit) clause;
	size_t found;

	uint8_t *state; /* by node, of the depth-first search */
	VEC(struct visit) stack;
	uint32_t *stamp, now;           /* breadth first, by node: when it was reached, … */
	uint32_t *parent, *parent_edge; /* … from which node, by which edge */
	VEC(uint32_t) queue, path;      /* path: edges, as indices of problem.after */
};

struct refuter refuter_of(const struct weak_edges *e, struct proof *proof, struct solver *solver);

/* A step, edge by edge along a cycle: the choice that an edge rests on; one of session order or
 * reads-from; any edge that the current choices force; all edges of a path. */
void refuter_choice(struct refuter *r, uint32_t read);
void refuter_visible(struct refuter *r, uint32_t from, uint32_t why);
void refuter_edge(struct refuter *r, uint32_t from, uint32_t why);
void refuter_path(struct refuter *r, uint32_t from, uint32_t to);
/* The end of the step, and its clause: one of the choices in it is wrong. */
void refuter_close(struct refuter *r);

/* Of edges that weak_edges_begin() or weak_edges_order() said have no order. No solver: no
 * read has a choice, and the first contradiction is the refutation. Returns how many were
 * found. */
size_t weak_refute(const struct weak_edges *e, struct proof *proof, struct solver *solver);

/* Before the first pass: refutes each choice that has a later transaction of the reader's session
 * among its writers. It leaves no particular choices. */
void weak_refute_later(const struct weak_edges *e, struct weak_reads *reads, struct proof *proof,
                       struct solver *solver);

#endif
