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

/* Of edges that weak_edges_begin() or weak_edges_order() said have no order. No solver: no
 * read has a choice, and the first contradiction is the refutation. Returns how many were
 * found. */
size_t weak_refute(const struct weak_edges *e, struct proof *proof, struct solver *solver);

/* Before the first pass: refutes each choice that has a later transaction of the reader's session
 * among its writers. It leaves no particular choices. */
void weak_refute_later(const struct weak_edges *e, struct weak_reads *reads, struct proof *proof,
                       struct solver *solver);

#endif
