/*
 * validate: whether the invariants of internal.h hold. Costs as much as all clauses are long.
 */
#include "sat/internal.h"

static bool trail_is_sound(const struct solver *s)
{
	size_t assigned = 0;
	for (size_t i = 0; i < s->trail.count; i++) {
		lit l = s->trail.items[i];
		const struct variable *v = &s->variables.items[lit_variable(l)];
		if (lit_value(s, l) <= 0 || v->place != i || v->level > solver_level(s))
			return false;
	}
	for (size_t i = 0; i < s->variables.count; i++) {
		assigned += s->variables.items[i].value != 0;
		if (s->variables.items[i].seen)
			return false;
	}
	return assigned == s->trail.count && s->head <= s->trail.count;
}

/* Each level begins with a guess, the only one of that level. */
static bool levels_are_sound(const struct solver *s)
{
	size_t guesses = 0;
	for (size_t i = 0; i < s->levels.count; i++) {
		uint32_t at = s->levels.items[i];
		if (at >= s->trail.count || (i && at <= s->levels.items[i - 1]))
			return false;
		const struct variable *v = &s->variables.items[lit_variable(s->trail.items[at])];
		if (v->level != i + 1 || v->reason.at != ID_NONE)
			return false;
	}
	for (size_t i = 0; i < s->trail.count; i++) {
		const struct variable *v = &s->variables.items[lit_variable(s->trail.items[i])];
		guesses += v->level && v->reason.at == ID_NONE;
	}
	return guesses == s->levels.count;
}

/* Invariants 1 and 2. */
static bool reason_is_sound(const struct solver *s, lit l)
{
	const struct variable *v = &s->variables.items[lit_variable(l)];
	if (!v->level || v->reason.at == ID_NONE)
		return true;
	const uint32_t *c = clause_at(s, v->reason);
	if (c[CLAUSE_LITERALS] != l)
		return false;
	uint32_t highest = 0;
	for (uint32_t i = 1; i < c[CLAUSE_SIZE]; i++) {
		lit other = c[CLAUSE_LITERALS + i];
		const struct variable *u = &s->variables.items[lit_variable(other)];
		if (lit_value(s, other) >= 0 || u->place >= v->place)
			return false;
		highest = u->level > highest ? u->level : highest;
	}
	lit second = c[CLAUSE_LITERALS + 1];
	return highest == v->level && s->variables.items[lit_variable(second)].level == highest;
}

/* Does a false literal among the watched ones wait to be propagated? */
static bool waits(const struct solver *s, lit l)
{
	return lit_value(s, l) < 0 && s->variables.items[lit_variable(l)].place >= s->head;
}

/* Invariant 3, of a clause that is not satisfied. */
static bool clause_is_sound(const struct solver *s, const uint32_t *c)
{
	const lit *l = c + CLAUSE_LITERALS;
	for (uint32_t i = 0; i < c[CLAUSE_SIZE]; i++)
		if (lit_value(s, l[i]) > 0)
			return true;
	return (!lit_value(s, l[0]) && !lit_value(s, l[1])) || waits(s, l[0]) || waits(s, l[1]);
}

/* Each clause is watched at its first two literals, once each. */
static bool watches_are_sound(const struct solver *s)
{
	size_t watches = 0, clauses = 0;
	for (size_t at = 0; at < s->arena.count; clauses++)
		at += CLAUSE_LITERALS + s->arena.items[at + CLAUSE_SIZE];
	for (lit l = 0; l < s->watches.count; l++) {
		const watch_list *list = &s->watches.items[l];
		for (size_t i = 0; i < list->count; i++) {
			const lit *c = clause_at(s, list->items[i].clause) + CLAUSE_LITERALS;
			if (c[0] != lit_not(l) && c[1] != lit_not(l))
				return false;
		}
		watches += list->count;
	}
	return watches == 2 * clauses;
}

bool solver_validate(const struct solver *s)
{
	if (!trail_is_sound(s) || !levels_are_sound(s) || !watches_are_sound(s))
		return false;
	for (size_t i = 0; i < s->trail.count; i++)
		if (!reason_is_sound(s, s->trail.items[i]))
			return false;
	const uint32_t *arena = s->arena.items;
	for (size_t at = 0; at < s->arena.count; at += CLAUSE_LITERALS + arena[at + CLAUSE_SIZE])
		if (!clause_is_sound(s, arena + at))
			return false;
	return true;
}
