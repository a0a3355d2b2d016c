/*
 * evaluate: definitions evaluated directly on a history.
 *
 * Problem. The result of a SAT solver is only as right as the clauses it was given.
 *
 * Idea. A second implementation without clauses or solver. A formula is evaluated by trying
 * all transactions and keys for its variables. A level allows a history if some witness makes
 * all axioms true: all orders are tried, and for each of them all relations `vis`. For that,
 * truth has a third value, MAYBE: pairs are undecided at first, and one is decided only while
 * the axioms are MAYBE. An order is tried place by place, so that all that begin in a wrong way
 * are dropped at once.
 *
 * Cost. Factorial in the transactions at worst; milliseconds for the twelve of a skeleton where
 * the reads leave little choice.
 */
#ifndef ALIBI_SYNTH_EVALUATE_H
#define ALIBI_SYNTH_EVALUATE_H

#include "synth/definition.h"
#include "synth/skeleton.h"

/* Is this an execution of the level? */
bool evaluate_execution(struct pool *pool, const struct definition *d, const struct skeleton *s,
                        const struct witness *w);

/* Does the level allow the history? If so, *w is a witness. */
bool evaluate_allows(struct pool *pool, const struct definition *d, const struct skeleton *s,
                     struct witness *w);

#endif
