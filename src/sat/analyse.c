/*
 * analyse: what a conflict teaches.
 *
 * The conflict clause is resolved with the reasons of its literals, newest first,
 * until one literal of the present level is left (first unique implication
 * point). Literals that the others imply by one reason are dropped. The numbers of
 * all clauses used, in the order of the trail, are the hints: taken in that order
 * each has one literal that is not false yet.
 */
#include "base/guard.h"
#include "sat/internal.h"

#include <assert.h>
#include <stdlib.h>

static void hint(struct solver *s, uint32_t place, uint32_t number)
{
	vec_push(s->pool, &s->hints, ((struct hint){place, number}));
}

static void mark(struct solver *s, uint32_t variable)
{
	s->variables.items[variable].seen = true;
	vec_push(s->pool, &s->marked, variable);
}

static void unmark_all(struct solver *s)
{
	for (size_t i = 0; i < s->marked.count; i++)
		s->variables.items[s->marked.items[i]].seen = false;
	s->marked.count = 0;
}

/* A literal of a clause that is resolved; returns 1 if it is of this level. */
static uint32_t meet(struct solver *s, lit l)
{
	uint32_t variable = lit_variable(l);
	struct variable *v = &s->variables.items[variable];
	guard_tick(s->guard);
	if (v->seen)
		return 0;
	mark(s, variable);
	if (!v->level) {
		hint(s, v->place, v->unit);
		return 0;
	}
	heap_bump(s, variable);
	if (v->level == solver_level(s))
		return 1;
	vec_push(s->pool, &s->clause, l);
	return 0;
}

static void resolve(struct solver *s)
{
	uint32_t open = 0;
	size_t at = s->trail.count;
	s->clause.count = s->hints.count = 0;
	vec_push(s->pool, &s->clause, 0); /* room for the one of this level */
	for (size_t i = 0; i < s->conflict.count; i++)
		open += meet(s, s->conflict.items[i]);
	for (;;) {
		assert(open > 0);
		struct variable *v;
		do
			v = &s->variables.items[lit_variable(s->trail.items[--at])];
		while (!v->seen || v->level != solver_level(s));
		if (!--open)
			break;
		v->seen = false; /* resolved away: it implies nothing any more */
		const uint32_t *c = clause_at(s, v->reason);
		hint(s, v->place, c[CLAUSE_NUMBER]);
		for (uint32_t i = 1; i < c[CLAUSE_SIZE]; i++)
			open += meet(s, c[CLAUSE_LITERALS + i]);
	}
	s->clause.items[0] = lit_not(s->trail.items[at]);
}

/* Do the other literals of the clause imply this one, by its reason? */
static bool redundant(struct solver *s, lit l)
{
	const struct variable *v = &s->variables.items[lit_variable(l)];
	if (v->reason.at == ID_NONE)
		return false;
	const uint32_t *c = clause_at(s, v->reason);
	for (uint32_t i = 1; i < c[CLAUSE_SIZE]; i++) {
		const struct variable *u =
		        &s->variables.items[lit_variable(c[CLAUSE_LITERALS + i])];
		if (!u->seen && u->level)
			return false;
	}
	for (uint32_t i = 1; i < c[CLAUSE_SIZE]; i++) {
		uint32_t other = lit_variable(c[CLAUSE_LITERALS + i]);
		const struct variable *u = &s->variables.items[other];
		if (!u->seen) {
			mark(s, other);
			hint(s, u->place, u->unit);
		}
	}
	hint(s, v->place, c[CLAUSE_NUMBER]);
	return true;
}

static void minimise(struct solver *s)
{
	size_t kept = 1;
	for (size_t i = 1; i < s->clause.count; i++)
		if (!redundant(s, s->clause.items[i]))
			s->clause.items[kept++] = s->clause.items[i];
	s->clause.count = kept;
}

static int by_place(const void *x, const void *y)
{
	const struct hint *a = x, *b = y;
	return a->place < b->place ? -1 : a->place > b->place;
}

static uint32_t report(struct solver *s, const lit *literals, size_t count, uint32_t last)
{
	if (s->hints.count)
		qsort(s->hints.items, s->hints.count, sizeof *s->hints.items, by_place);
	s->numbers.count = 0;
	for (size_t i = 0; i < s->hints.count; i++)
		vec_push(s->pool, &s->numbers, s->hints.items[i].number);
	vec_push(s->pool, &s->numbers, last);
	return s->theory->learnt(s->data, literals, count, s->numbers.items, s->numbers.count);
}

/* Levels that occur in the clause. */
static uint32_t levels_in_clause(struct solver *s)
{
	uint32_t count = 0;
	s->stamp++;
	for (size_t i = 0; i < s->clause.count; i++) {
		uint32_t level = s->variables.items[lit_variable(s->clause.items[i])].level;
		while (s->level_seen.count <= level)
			vec_push(s->pool, &s->level_seen, 0);
		count += s->level_seen.items[level] != s->stamp;
		s->level_seen.items[level] = s->stamp;
	}
	return count;
}

uint32_t analyse(struct solver *s, uint32_t *back_to, uint32_t *lbd)
{
	resolve(s);
	minimise(s);
	uint32_t number = report(s, s->clause.items, s->clause.count, s->conflict_number);
	*lbd = levels_in_clause(s);
	*back_to = 0;
	for (size_t i = 1; i < s->clause.count; i++) {
		lit l = s->clause.items[i];
		uint32_t level = s->variables.items[lit_variable(l)].level;
		if (level > *back_to) {
			*back_to = level;
			s->clause.items[i] = s->clause.items[1];
			s->clause.items[1] = l;
		}
	}
	unmark_all(s);
	return number;
}

static void hint_units(struct solver *s, const lit *literals, size_t count, lit but)
{
	s->hints.count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct variable *v = &s->variables.items[lit_variable(literals[i])];
		if (literals[i] != but)
			hint(s, v->place, v->unit);
	}
}

void conclude(struct solver *s)
{
	hint_units(s, s->conflict.items, s->conflict.count, ID_NONE);
	report(s, NULL, 0, s->conflict_number);
	s->contradiction = true;
}

uint32_t derive_unit(struct solver *s, const lit *literals, size_t count, uint32_t number, lit l)
{
	if (count == 1)
		return number;
	hint_units(s, literals, count, l);
	return report(s, &l, 1, number);
}
