/*
 * internal: the solver's state, shared by its files.
 *
 * Clauses lie in one arena and are named by their place in it, so that they can
 * be moved when learnt ones are thrown away. At level 0 no clause is needed as a
 * reason: what is true there has a unit clause of its own in the proof.
 *
 * Invariants.
 * 1. The level of what a clause implies is the highest of the literals that imply it,
 *    and they come before it on the trail. It may be lower than the level at which it
 *    was implied, so the trail is not sorted by level.
 * 2. Of a clause that implied something, the second literal is one of that highest
 *    level: it is open again when what it implied is.
 * 3. Of a clause of which both watched literals are false, and of one of which one is and
 *    the other open, a false one waits on the trail to be propagated. So what stays when
 *    a level goes is propagated once more: what it met may have been of that level.
 * solver_validate() checks these, and that each clause is watched at its first two literals.
 */
#ifndef ALIBI_SAT_INTERNAL_H
#define ALIBI_SAT_INTERNAL_H

#include "base/ids.h"
#include "sat/solver.h"

/* A clause in the arena: size, number, lbd, literals… A struct, so that it is not taken for
 * the clause's number in the proof. */
typedef struct {
	uint32_t at; /* ID_NONE: no clause */
} clause_ref;

#define NO_CLAUSE ((clause_ref){ID_NONE})

enum { CLAUSE_SIZE, CLAUSE_NUMBER, CLAUSE_LBD, CLAUSE_LITERALS };
enum { LBD_ORIGINAL = 0 }; /* of clauses that were not learnt */

struct variable {
	int8_t value;          /* 1 true, -1 false, 0 open */
	bool seen;             /* while a conflict is analysed */
	uint32_t level, place; /* place on the trail */
	union {
		clause_ref reason; /* above level 0; none: it was guessed */
		uint32_t unit;     /* at level 0: the number of its unit clause in the proof */
	};
	uint32_t heap_at; /* + 1; 0: not in the heap */
	uint32_t rank;
	double activity;
};

struct watch {
	clause_ref clause;
	lit blocker; /* true: the clause need not be looked at */
};

typedef VEC(struct watch) watch_list;

struct hint {
	uint32_t place, number;
};

struct solver {
	struct pool *pool;
	struct guard *guard;
	const struct sat_theory *theory;
	void *data;

	VEC(struct variable) variables;
	VEC(watch_list) watches; /* by literal: the clauses in which its negation is watched */
	VEC(uint32_t) arena;
	VEC(uint32_t) pending; /* clauses added: number, size, literals… */

	VEC(lit) trail;
	VEC(uint32_t) levels; /* where on the trail each level begins */
	size_t head;          /* how much of the trail the theory has accepted and was propagated */

	VEC(uint32_t) heap; /* open variables, and some others */
	bool by_rank;       /* and not yet by activity */
	double bump;

	VEC(lit) conflict;
	uint32_t conflict_number;
	VEC(lit) clause;      /* being learnt */
	VEC(uint32_t) marked; /* variables seen */
	VEC(struct hint) hints;
	VEC(uint32_t) numbers;
	VEC(uint32_t) level_seen; /* by level: a stamp, for LBD */
	uint32_t stamp;

	uint64_t conflicts, next_reduce;
	uint32_t restarts;
	bool contradiction; /* the empty clause was derived */
};

static inline int lit_value(const struct solver *s, lit l)
{
	int v = s->variables.items[l >> 1].value;
	return l & 1 ? -v : v;
}

static inline uint32_t *clause_at(const struct solver *s, clause_ref c)
{
	return s->arena.items + c.at;
}

static inline uint32_t solver_level(const struct solver *s)
{
	return (uint32_t)s->levels.count;
}

/* Watches the first two literals of the clause. */
static inline void solver_attach(struct solver *s, clause_ref c)
{
	const lit *l = clause_at(s, c) + CLAUSE_LITERALS;
	vec_push(s->pool, &s->watches.items[lit_not(l[0])], ((struct watch){c, l[1]}));
	vec_push(s->pool, &s->watches.items[lit_not(l[1])], ((struct watch){c, l[0]}));
}

/* heap.c */
void heap_insert(struct solver *s, uint32_t variable);
uint32_t heap_take(struct solver *s); /* ID_NONE: it is empty */
void heap_bump(struct solver *s, uint32_t variable);
void heap_by_activity(struct solver *s); /* from now on */

/* analyse.c: from s->conflict to s->clause, reported; returns its number and the
 * level to go back to. */
uint32_t analyse(struct solver *s, uint32_t *back_to, uint32_t *lbd);
/* The conflict is at level 0: reports the empty clause. */
void conclude(struct solver *s);
/* l follows from the clause at level 0: the number of its unit clause. */
uint32_t derive_unit(struct solver *s, const lit *literals, size_t count, uint32_t number, lit l);

/* reduce.c: throws away half of what was learnt; at level 0 only. */
void reduce(struct solver *s);

#endif
