/*
 * circuit: formulas of propositional logic, shared where they are equal, as clauses.
 *
 * A literal is a number other than 0; its negative is its negation. A circuit has
 * inputs and gates, all of them conjunctions (a disjunction is the negation of one).
 * Equal gates are one gate. What is constant is folded away. Clauses are made only for
 * what is asserted, and only in the direction in which it is needed (Plaisted and
 * Greenbaum).
 *
 * Cost. A gate is looked up by a hash of its parts, once.
 */
#ifndef ALIBI_SYNTH_CIRCUIT_H
#define ALIBI_SYNTH_CIRCUIT_H

#include "alibi.h"
#include "base/map.h"
#include "base/vec.h"

enum { LIT_TRUE = 1, LIT_FALSE = -1 };

struct gate {
	uint32_t start, count; /* of its parts; count 0: an input */
	uint8_t made;          /* clauses: bit 0 if true, bit 1 if false */
};

struct circuit {
	struct pool *pool;
	struct guard *guard;
	const alibi_solver *solver;
	void *solving;
	VEC(struct gate) gates; /* by literal, from 1 */
	VEC(int) parts;
	struct map known; /* hash of parts -> gate */
	VEC(int) todo;    /* literals whose clauses are wanted */
	uint64_t clauses;
};

/* Ends with the pool. */
struct circuit *circuit_new(struct pool *pool, const alibi_solver *solver);

int circuit_input(struct circuit *c);
/* lits are reordered. */
int circuit_all(struct circuit *c, int *lits, size_t count);
int circuit_any(struct circuit *c, int *lits, size_t count);
int circuit_and(struct circuit *c, int a, int b);
int circuit_or(struct circuit *c, int a, int b);

void circuit_assert(struct circuit *c, int literal);
void circuit_assert_any(struct circuit *c, const int *lits, size_t count);

/* more[i]: more than i of lits are true, for i below `most`. */
void circuit_count(struct circuit *c, const int *lits, size_t count, int *more, size_t most);

/* To be able to assume a gate, or to read it from a model, its clauses must be there. */
void circuit_need(struct circuit *c, int literal);

/* Is there a model, with all of these literals true? The job fails when it is out of
 * time. */
bool circuit_solve(struct circuit *c, const int *assumed, size_t count);
bool circuit_value(const struct circuit *c, int literal); /* of an input, in the model */

#endif
