/*
 * circuit: propositional formulas with structural sharing, as clauses.
 *
 * A literal is a number other than 0; -n is its negation. A circuit has inputs and gates, all
 * of them conjunctions (a disjunction is a negated conjunction). Equal gates are shared,
 * constants are folded. Clauses are made only for asserted literals, and only in the
 * direction that is needed (Plaisted and Greenbaum).
 *
 * Cost. One hash lookup for each gate.
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
	VEC(int) todo;    /* literals whose clauses are needed */
	uint64_t clauses;
};

/* Released with the pool. */
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

/* Makes the clauses of a gate, which assuming it requires. */
void circuit_need(struct circuit *c, int literal);

/* Is there a model in which all of these literals are true? The job fails when it is out of
 * time. */
bool circuit_solve(struct circuit *c, const int *assumed, size_t count);
bool circuit_value(const struct circuit *c, int literal); /* of an input, in the model */

#endif
