/*
 * evaluate: what a definition says of a history, straight from the formulas.
 *
 * Problem. What a SAT solver finds is only as right as the clauses it was given.
 *
 * Idea. This is the other side: no clauses, no solver. A formula is evaluated by
 * trying all transactions and keys for its variables. A level allows a history if
 * some witness makes all axioms true: all orders are tried, and for each all
 * relations `vis`. There truth has a third value, `perhaps`: pairs are undecided at
 * first, and one is decided only while the axioms are neither true nor false.
 *
 * Cost. Factorial in the transactions; meant for up to about seven of them.
 */
#ifndef ALIBI_SYNTH_EVALUATE_H
#define ALIBI_SYNTH_EVALUATE_H

#include "synth/definition.h"
#include "synth/shape.h"

/* Is this an execution of the level? */
bool evaluate_execution(struct pool *pool, const struct definition *d, const struct shape *s,
                        const struct witness *w);

/* Does the level allow the history? *w gets a witness. */
bool evaluate_allows(struct pool *pool, const struct definition *d, const struct shape *s,
                     struct witness *w);

#endif
