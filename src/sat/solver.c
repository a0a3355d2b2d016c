/* solver: see solver.h. */
#include "sat/solver.h"

#include "base/guard.h"
#include "sat/internal.h"

#include <assert.h>

enum { RESTART_UNIT = 128, REDUCE_FIRST = 4000, REDUCE_MORE = 500, FAR_BACK = 4 /* levels */ };
enum { VALIDATE_VARIABLES = 64 }; /* of a problem that is small enough to validate each step */

struct solver *solver_new(struct pool *pool, const struct sat_theory *theory, void *data)
{
	struct solver *s = pool_zalloc(pool, sizeof *s);
	s->pool = pool;
	s->guard = pool_guard(pool);
	s->theory = theory;
	s->data = data;
	s->bump = 1;
	s->by_rank = true;
	s->next_reduce = REDUCE_FIRST;
	return s;
}

uint64_t solver_conflicts(const struct solver *s)
{
	return s->conflicts;
}

bool solver_is_true(const struct solver *s, lit l)
{
	assert(lit_variable(l) < s->variables.count);
	return lit_value(s, l) > 0;
}

uint32_t solver_new_variable(struct solver *s, uint32_t rank)
{
	assert(s->variables.count < ID_NONE / 2);
	uint32_t variable = (uint32_t)s->variables.count;
	vec_push(s->pool, &s->variables, ((struct variable){.reason = NO_CLAUSE, .rank = rank}));
	vec_push(s->pool, &s->watches, ((watch_list){0}));
	vec_push(s->pool, &s->watches, ((watch_list){0}));
	heap_insert(s, variable);
	return variable;
}

void solver_add(struct solver *s, const lit *literals, size_t count, uint32_t number)
{
	vec_push(s->pool, &s->pending, number);
	vec_push(s->pool, &s->pending, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		assert(lit_variable(literals[i]) < s->variables.count);
		vec_push(s->pool, &s->pending, literals[i]);
	}
}

/* ---- clauses ---- */

/* The first two literals are the watched ones. */
static clause_ref store(struct solver *s, const lit *literals, size_t count, uint32_t number,
                        uint32_t lbd)
{
	clause_ref c = {(uint32_t)s->arena.count};
	if (s->arena.count + count + CLAUSE_LITERALS >= ID_NONE)
		guard_fail(s->guard, ALIBI_MEMORY, NULL, "more than 16 GiB of clauses");
	vec_push(s->pool, &s->arena, (uint32_t)count);
	vec_push(s->pool, &s->arena, number);
	vec_push(s->pool, &s->arena, lbd);
	for (size_t i = 0; i < count; i++)
		vec_push(s->pool, &s->arena, literals[i]);
	solver_attach(s, c);
	return c;
}

/* ---- the trail ---- */

static uint32_t level_of(const struct solver *s, lit l)
{
	return s->variables.items[lit_variable(l)].level;
}

/* Then its reason has to be set, or at level 0 its unit clause. */
static struct variable *assign(struct solver *s, lit l, uint32_t level)
{
	struct variable *v = &s->variables.items[lit_variable(l)];
	assert(!v->value);
	v->value = l & 1 ? -1 : 1;
	v->level = level;
	v->place = (uint32_t)s->trail.count;
	vec_push(s->pool, &s->trail, l);
	return v;
}

/* What is of higher levels goes. What is of this or a lower one but came later stays, and
 * waits to be propagated once more. */
static void backtrack(struct solver *s, uint32_t level)
{
	if (solver_level(s) <= level)
		return;
	size_t begin = s->levels.items[level], kept = begin;
	for (size_t i = s->trail.count; i-- > begin;) {
		lit l = s->trail.items[i];
		if (i < s->head && s->theory->unassign)
			s->theory->unassign(s->data, l);
		if (level_of(s, l) <= level)
			continue;
		s->variables.items[lit_variable(l)].value = 0;
		heap_insert(s, lit_variable(l));
	}
	for (size_t i = begin; i < s->trail.count; i++) {
		lit l = s->trail.items[i];
		if (level_of(s, l) > level)
			continue;
		s->variables.items[lit_variable(l)].place = (uint32_t)kept;
		s->trail.items[kept++] = l;
	}
	s->trail.count = kept;
	if (s->head > begin)
		s->head = begin;
	s->levels.count = level;
}

/* l follows from the clause at level 0. */
static void assign_unit(struct solver *s, const lit *literals, size_t count, uint32_t number, lit l)
{
	uint32_t unit = derive_unit(s, literals, count, number, l);
	assign(s, l, 0)->unit = unit;
}

static void note_conflict(struct solver *s, const lit *literals, size_t count, uint32_t number)
{
	s->conflict.count = 0;
	for (size_t i = 0; i < count; i++)
		vec_push(s->pool, &s->conflict, literals[i]);
	s->conflict_number = number;
}

/* ---- propagation ---- */

/* Finds another literal to watch instead of the false one at place 1. */
static bool watch_another(struct solver *s, clause_ref c)
{
	lit *l = clause_at(s, c) + CLAUSE_LITERALS;
	uint32_t size = clause_at(s, c)[CLAUSE_SIZE];
	for (uint32_t i = 2; i < size; i++) {
		guard_tick(s->guard);
		if (lit_value(s, l[i]) < 0)
			continue;
		lit swap = l[1];
		l[1] = l[i];
		l[i] = swap;
		vec_push(s->pool, &s->watches.items[lit_not(l[1])], ((struct watch){c, l[0]}));
		return true;
	}
	return false;
}

/* Puts a literal of the highest level in the second place, all but the first being false. */
static bool put_highest_second(struct solver *s, clause_ref c)
{
	lit *l = clause_at(s, c) + CLAUSE_LITERALS;
	uint32_t size = clause_at(s, c)[CLAUSE_SIZE], highest = 1;
	for (uint32_t i = 2; i < size; i++) {
		guard_tick(s->guard);
		if (level_of(s, l[i]) > level_of(s, l[highest]))
			highest = i;
	}
	lit swap = l[1];
	l[1] = l[highest];
	l[highest] = swap;
	return highest != 1;
}

/* Clause c has one literal that is not false, its first: it becomes true. True: another
 * literal is watched instead of the second. */
static bool imply(struct solver *s, clause_ref c)
{
	bool moved = put_highest_second(s, c);
	const uint32_t *clause = clause_at(s, c);
	lit l = clause[CLAUSE_LITERALS], other = clause[CLAUSE_LITERALS + 1];
	uint32_t level = level_of(s, other);
	if (moved)
		vec_push(s->pool, &s->watches.items[lit_not(other)], ((struct watch){c, l}));
	if (level)
		assign(s, l, level)->reason = c;
	else
		assign_unit(s, clause + CLAUSE_LITERALS, clause[CLAUSE_SIZE], clause[CLAUSE_NUMBER],
		            l);
	return moved;
}

/* l is true: looks at the clauses in which its negation is watched. */
static bool propagate_clauses(struct solver *s, lit l)
{
	size_t kept = 0, i = 0;
	bool ok = true;
	for (; i < s->watches.items[l].count && ok; i++) {
		struct watch w = s->watches.items[l].items[i];
		guard_tick(s->guard);
		if (lit_value(s, w.blocker) > 0) {
			s->watches.items[l].items[kept++] = w;
			continue;
		}
		lit *c = clause_at(s, w.clause) + CLAUSE_LITERALS;
		if (c[0] == lit_not(l)) {
			c[0] = c[1];
			c[1] = lit_not(l);
		}
		int first = lit_value(s, c[0]);
		w.blocker = c[0];
		if (first <= 0 && watch_another(s, w.clause))
			continue;
		if (!first && imply(s, w.clause))
			continue;
		s->watches.items[l].items[kept++] = w;
		if (first < 0) {
			note_conflict(s, c, clause_at(s, w.clause)[CLAUSE_SIZE],
			              clause_at(s, w.clause)[CLAUSE_NUMBER]);
			ok = false;
		}
	}
	watch_list *list = &s->watches.items[l];
	while (i < list->count)
		list->items[kept++] = list->items[i++];
	list->count = kept;
	return ok;
}

static bool propagate(struct solver *s)
{
	while (s->head < s->trail.count) {
		lit l = s->trail.items[s->head];
		struct sat_objection objection;
		if (s->theory->assign && !s->theory->assign(s->data, l, &objection)) {
			note_conflict(s, objection.literals, objection.count, objection.number);
			return false;
		}
		s->head++;
		if (!propagate_clauses(s, l))
			return false;
	}
	return true;
}

/* ---- what was added ---- */

/* At level 0: attaches a clause, or draws the consequence. */
static void take_pending(struct solver *s, lit *literals, size_t count, uint32_t number)
{
	size_t open = 0;
	for (size_t i = 0; i < count; i++) {
		if (lit_value(s, literals[i]) > 0)
			return;
		if (lit_value(s, literals[i]) < 0)
			continue;
		lit swap = literals[open];
		literals[open++] = literals[i];
		literals[i] = swap;
	}
	if (open > 1) {
		store(s, literals, count, number, LBD_ORIGINAL);
	} else if (open == 1) {
		assign_unit(s, literals, count, number, literals[0]);
	} else {
		note_conflict(s, literals, count, number);
		conclude(s);
	}
}

static void take_all_pending(struct solver *s)
{
	backtrack(s, 0);
	for (size_t at = 0; at < s->pending.count && !s->contradiction;) {
		uint32_t number = s->pending.items[at], count = s->pending.items[at + 1];
		guard_tick(s->guard);
		take_pending(s, s->pending.items + at + 2, count, number);
		at += 2 + (size_t)count;
	}
	s->pending.count = 0;
}

/* ---- the search ---- */

/* 1 1 2 1 1 2 4 …, from 0 on. */
static uint64_t luby(uint32_t i)
{
	uint32_t size = 1, power = 0;
	while (size < i + 1) {
		size = 2 * size + 1;
		power++;
	}
	while (size - 1 != i) {
		size = (size - 1) / 2;
		power--;
		assert(size);
		i %= size;
	}
	return (uint64_t)1 << power;
}

/* Of the conflict: the highest of its literals'. */
static uint32_t conflict_level(const struct solver *s)
{
	uint32_t level = 0;
	for (size_t i = 0; i < s->conflict.count; i++)
		if (level_of(s, s->conflict.items[i]) > level)
			level = level_of(s, s->conflict.items[i]);
	return level;
}

static void learn(struct solver *s)
{
	uint32_t level = conflict_level(s), back_to, lbd;
	backtrack(s, level);
	if (!level) {
		conclude(s);
		return;
	}
	uint32_t number = analyse(s, &back_to, &lbd);
	backtrack(s, level - back_to > FAR_BACK ? level - 1 : back_to);
	struct variable *v = assign(s, s->clause.items[0], back_to);
	assert((s->clause.count > 1) == (back_to > 0));
	if (back_to)
		v->reason = store(s, s->clause.items, s->clause.count, number, lbd ? lbd : 1);
	else
		v->unit = number;
	s->bump /= 0.95;
}

static bool decide(struct solver *s)
{
	uint32_t variable;
	do
		variable = heap_take(s);
	while (variable != ID_NONE && s->variables.items[variable].value);
	if (variable == ID_NONE)
		return false;
	bool positive = s->theory->phase(s->data, variable);
	vec_push(s->pool, &s->levels, (uint32_t)s->trail.count);
	assign(s, lit_of(variable, !positive), solver_level(s))->reason = NO_CLAUSE;
	return true;
}

/* So far. The guesses after a restart would be those before it. */
static bool is_easy(const struct solver *s)
{
	return s->by_rank && s->conflicts <= s->variables.count;
}

static void restart(struct solver *s)
{
	backtrack(s, 0);
	s->restarts++;
	if (s->by_rank)
		heap_by_activity(s);
}

static void forget(struct solver *s)
{
	reduce(s);
	s->next_reduce = s->conflicts + REDUCE_FIRST + (uint64_t)REDUCE_MORE * s->restarts;
}

enum sat_answer solver_solve(struct solver *s, uint64_t max_conflicts)
{
	uint64_t next_restart = s->conflicts + RESTART_UNIT;
	for (;;) {
		guard_tick(s->guard);
		if (s->pending.count)
			take_all_pending(s);
		if (s->contradiction)
			return SAT_NO;
		if (max_conflicts && s->conflicts >= max_conflicts)
			return SAT_GIVEN_UP;
		bool consistent = propagate(s);
		assert(!consistent || s->variables.count > VALIDATE_VARIABLES ||
		       solver_validate(s));
		if (!consistent) {
			s->conflicts++;
			learn(s);
		} else if (s->conflicts >= next_restart && solver_level(s) && !is_easy(s)) {
			restart(s);
			next_restart = s->conflicts + RESTART_UNIT * luby(s->restarts);
		} else if (s->conflicts >= s->next_reduce && !solver_level(s)) {
			forget(s);
		} else if (!decide(s)) {
			if (s->theory->complete(s->data))
				return SAT_YES;
		}
	}
}
