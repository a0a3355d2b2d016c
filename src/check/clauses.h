/*
 * clauses: literals and clauses for the solver, and steps of the proof.
 *
 * A variable of the solver is a pair: two nodes, of which one is before the other, or an opaque
 * update and what it left at a key (outcome.h). Variables are made when a clause first uses them.
 *
 * A rule that an order violates becomes a clause that is false in this order, and a step of
 * the proof: its words and literals are added one by one, then it is closed. While rules are
 * only counted, nothing is added.
 *
 * Cost. A hash table of all variables.
 */
#ifndef ALIBI_CHECK_CLAUSES_H
#define ALIBI_CHECK_CLAUSES_H

#include "base/map.h"
#include "check/proof.h"
#include "order/topology.h"
#include "sat/solver.h"

struct clauses {
	struct pool *pool;
	struct guard *guard;
	const struct problem *problem;
	const struct topology *topology; /* the present order */
	struct solver *solver;
	struct proof proof;
	struct map variables; /* by pair */
	VEC(uint64_t) pairs;  /* by variable */
	VEC(lit) rule;        /* literals of the rule that is being written */
	size_t violated;      /* rules, since this was last set to 0 */
	bool only_count;
};

/* What a literal says: node `from` is before node `to`; or, if OUTCOME is set in one of them,
 * that an opaque update left an outcome (from has it), or did not. */
struct literal_pair {
	uint32_t from, to;
};

static inline bool is_outcome(struct literal_pair p)
{
	return (p.from | p.to) & OUTCOME;
}

lit clauses_before(struct clauses *c, node_id a, node_id b);
lit clauses_outcome(struct clauses *c, uint32_t place, uint32_t outcome);
struct literal_pair clauses_pair(const struct clauses *c, lit l);

/* The number of a node in proofs: 2 t for the start of transaction t, 2 t + 1 for its commit. */
uint32_t clauses_event(const struct clauses *c, node_id node);
/* Adds a step with a clause that follows from those of the hints; its number. */
uint32_t clauses_learnt(struct clauses *c, const lit *literals, size_t count, const uint32_t *hints,
                        size_t hint_count);

/* Counts a violated rule; true: that is all, the rule is not to be written. */
bool rule_counted(struct clauses *c);
void rule_word(struct clauses *c, uint32_t word);
void rule_literal(struct clauses *c, lit l);
void rule_before(struct clauses *c, node_id a, node_id b);
/* The candidate is not between the blocker, whose version was found at r, and r. blocker:
 * NODE_NONE for the initial version. */
void rule_candidate(struct clauses *c, node_id candidate, node_id r, node_id blocker);
void rule_close(struct clauses *c, enum step_kind kind);

#endif
