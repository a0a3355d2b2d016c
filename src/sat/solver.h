/*
 * solver: clauses and a theory, decided by conflict-driven clause learning.
 *
 * It knows nothing of histories. Variables are numbers, literals are 2 * variable
 * + (1 if negated). A theory (a const struct of functions) is told of each literal
 * that becomes true, may object with a clause all of whose literals are false, and
 * is asked at the end whether the assignment will do; if not, it adds clauses and
 * the search goes on. So rules need not be written down before they are broken.
 *
 * Every clause has a number in a proof, which the owner of the proof gives out.
 * What is learnt is reported with hints: the numbers of the clauses which, taken
 * one after another, each leave one literal to be made true, until the last one
 * is false (LRAT's idea). So that a checker needs no search.
 *
 * Inside: two watched literals, first unique implication point, local
 * minimisation, phases by the theory, Luby restarts, learnt clauses halved by LBD
 * now and then.
 *
 * Most problems are large and easy: many small knots, far from each other, that each
 * take a few conflicts. There two habits of such solvers are ruinous. A conflict throws
 * all guesses away that were made after the one that it must take back; so if that is
 * far back, only the last is taken back, and what was learnt is noted as of its true
 * level (chronological backtracking). And variables of recent conflicts are guessed
 * first (VSIDS), so the next conflict goes far back; so at first the theory says who is
 * guessed first, and neighbours stay neighbours. When there were more conflicts than
 * there are variables, it is a hard problem after all, and their activity counts.
 */
#ifndef ALIBI_SAT_SOLVER_H
#define ALIBI_SAT_SOLVER_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t lit;

static inline lit lit_of(uint32_t variable, bool negated)
{
	return 2 * variable + negated;
}

static inline lit lit_not(lit l)
{
	return l ^ 1;
}

static inline uint32_t lit_variable(lit l)
{
	return l >> 1;
}

struct sat_objection {
	const lit *literals; /* all false now; valid until the next call */
	size_t count;
	uint32_t number; /* in the proof */
};

struct sat_theory {
	/* l became true; false: it cannot, because of *objection. NULL: it always can. */
	bool (*assign)(void *data, lit l, struct sat_objection *objection);
	/* l is no longer true; in the reverse order of assign. NULL if assign is. */
	void (*unassign)(void *data, lit l);
	/* What a variable is rather guessed to be. */
	bool (*phase)(void *data, uint32_t variable);
	/* Everything is assigned. True: it will do. False: clauses were added. */
	bool (*complete)(void *data);
	/* A clause follows; the number it gets in the proof. */
	uint32_t (*learnt)(void *data, const lit *literals, size_t count, const uint32_t *hints,
	                   size_t hint_count);
};

struct solver;

struct solver *solver_new(struct pool *pool, const struct sat_theory *theory, void *data);
/* rank: as long as there are few conflicts, those of a high rank are guessed first. */
uint32_t solver_new_variable(struct solver *s, uint32_t rank);
/* May be called before solver_solve() and from complete(). */
void solver_add(struct solver *s, const lit *literals, size_t count, uint32_t number);
enum sat_answer {
	SAT_YES,      /* as complete() found it */
	SAT_NO,       /* the proof has the empty clause */
	SAT_GIVEN_UP, /* the conflicts allowed are used up */
};

/* max_conflicts 0: as many as it takes. */
enum sat_answer solver_solve(struct solver *s, uint64_t max_conflicts);

bool solver_is_true(const struct solver *s, lit l);
/* For asserts and tests: do the invariants of internal.h hold? Not during a conflict. */
bool solver_validate(const struct solver *s);

uint64_t solver_conflicts(const struct solver *s);

#endif
