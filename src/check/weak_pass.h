/*
 * weak_pass: the state of a search at weak levels (weak.h), and what its parts do.
 */
#ifndef ALIBI_CHECK_WEAK_PASS_H
#define ALIBI_CHECK_WEAK_PASS_H

#include "check/search.h"
#include "history/origins.h"
#include "order/clocks.h"
#include "order/known.h"
#include "sat/solver.h"

#define NO_VARIABLE UINT32_MAX

/* An external read. */
struct sight {
	uint32_t op, key;
	uint32_t read;     /* in reads, or, on a list, in list_reads */
	uint32_t choices;  /* how many; … */
	uint32_t chosen;   /* … the one of this pass, … */
	uint32_t writer;   /* … and whom it reads from then; ID_NONE: the initial version */
	uint32_t variable; /* of the first choice, or NO_VARIABLE: there is only one */
	uint32_t first;    /* lists whose elements repeat: of the choices, in choice_ends */
};

/* Why an edge holds: WHY_HISTORY, or a sight and one of the CLAIMs of verify/claims.h. */
static inline uint32_t why_of(uint32_t sight, uint32_t claim)
{
	return sight << 2 | claim;
}

struct weak {
	struct pool *pool;
	struct guard *guard;
	struct problem problem;
	struct replay_rules rules;
	struct clocks clocks;
	struct origins origins; /* for lists whose elements repeat */

	uint32_t *sight_first; /* by slot, in the order of operations */
	VEC(struct sight) sights;
	bool left_out;           /* a read is none of them */
	VEC(uint32_t) sequences; /* slots: the choices of lists whose elements repeat … */
	VEC(uint32_t) choice_ends;

	struct solver *solver;
	struct proof proof;
	VEC(uint32_t) sight_of; /* by variable */
	bool *truth;            /* by variable */
	VEC(lit) clause;
	uint32_t passes, max_passes;
	struct search_log *log;
	bool holds, given_up;

	/* of one pass, in a pool of its own: */
	struct pool *of_pass;
	edge_vec edges;            /* session order, reads; then lists and who is seen */
	uint32_t *place, *slot_at; /* an order of the first kind of edges */
	uint32_t *writers_first;   /* by key: its writers, … */
	uint32_t *writers;         /* … slots, in that order */
	bool only_backward;        /* take edges only if that order does not follow them */
	size_t refuted;            /* clauses added */
};

/* The slots that the sight's choice shows: on a list all appenders, in their order. */
const uint32_t *sight_writers(const struct weak *w, const struct sight *s, size_t *count);

/* Adds the edges that follow from who is seen, and from lists. Before the first time in a
 * pass: weak_prepare(). */
void weak_prepare(struct weak *w);
void weak_follow(struct weak *w);

/* Adds clauses for cycles of the problem's present edges. */
void weak_refute_cycles(struct weak *w);
/* And for a writer seen by somebody who read the initial version. */
void weak_refute_initial(struct weak *w, uint32_t sight, uint32_t writer);

#endif
