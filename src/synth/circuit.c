/* circuit: see circuit.h. */
#include "synth/circuit.h"

#include "base/guard.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SATISFIABLE = 10, UNSATISFIABLE = 20 };

static void end_solver(void *data)
{
	struct circuit *c = data;
	c->solver->end(c->solving);
}

static int is_over(void *data)
{
	return guard_is_over(data);
}

struct circuit *circuit_new(struct pool *pool, const alibi_solver *solver)
{
	struct circuit *c = pool_zalloc(pool, sizeof *c);
	*c = (struct circuit){.pool = pool, .guard = pool_guard(pool), .solver = solver};
	c->solving = solver->start();
	if (!c->solving)
		guard_fail(c->guard, ALIBI_MEMORY, NULL, "there is no memory for the solver");
	pool_defer(pool, end_solver, c);
	solver->stop_when(c->solving, is_over, c->guard);
	vec_push(pool, &c->gates, (struct gate){0}); /* literals are not 0 */
	circuit_assert(c, circuit_input(c));
	return c;
}

int circuit_input(struct circuit *c)
{
	vec_push(c->pool, &c->gates, (struct gate){.made = 3});
	return (int)c->gates.count - 1;
}

/* ---- gates ---- */

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	int m = abs(x), n = abs(y);
	return m != n ? (m > n) - (m < n) : (x > y) - (x < y);
}

static uint64_t hash(const int *lits, size_t count)
{
	uint64_t h = 0x9e3779b97f4a7c15u + count;
	for (size_t i = 0; i < count; i++) {
		h = (h ^ (uint32_t)lits[i]) * 0xff51afd7ed558ccdu;
		h ^= h >> 29;
	}
	return h | 1;
}

/* Sorts, and removes duplicates and true literals. Returns how many are left; a contradiction
 * is LIT_FALSE alone. */
static size_t simplified(int *lits, size_t count)
{
	size_t n = 0;
	qsort(lits, count, sizeof *lits, by_number);
	for (size_t i = 0; i < count; i++) {
		if (lits[i] == LIT_TRUE || (n && lits[n - 1] == lits[i]))
			continue;
		if (lits[i] == LIT_FALSE || (n && lits[n - 1] == -lits[i])) {
			lits[0] = LIT_FALSE;
			return 1;
		}
		lits[n++] = lits[i];
	}
	return n;
}

int circuit_all(struct circuit *c, int *lits, size_t count)
{
	guard_tick(c->guard);
	count = simplified(lits, count);
	if (!count)
		return LIT_TRUE;
	if (count == 1)
		return lits[0];
	uint64_t key = hash(lits, count);
	uint32_t fresh = (uint32_t)c->gates.count;
	for (;; key += 2) {
		uint32_t found = *map_put(c->pool, &c->known, key, fresh);
		if (found == fresh)
			break;
		const struct gate *g = &c->gates.items[found];
		if (g->count == count &&
		    !memcmp(&c->parts.items[g->start], lits, count * sizeof *lits))
			return (int)found;
	}
	struct gate g = {.start = (uint32_t)c->parts.count, .count = (uint32_t)count};
	for (size_t i = 0; i < count; i++)
		vec_push(c->pool, &c->parts, lits[i]);
	vec_push(c->pool, &c->gates, g);
	return (int)fresh;
}

int circuit_any(struct circuit *c, int *lits, size_t count)
{
	for (size_t i = 0; i < count; i++)
		lits[i] = -lits[i];
	return -circuit_all(c, lits, count);
}

int circuit_and(struct circuit *c, int a, int b)
{
	return circuit_all(c, (int[]){a, b}, 2);
}

int circuit_or(struct circuit *c, int a, int b)
{
	return circuit_any(c, (int[]){a, b}, 2);
}

/* ---- clauses ---- */

static void add(struct circuit *c, int literal)
{
	c->solver->add(c->solving, literal);
	c->clauses += !literal;
}

/* The clauses of a literal: if a gate is true, its parts are; if it is false, one of its parts
 * is false. */
static void make(struct circuit *c, int literal)
{
	struct gate *g = &c->gates.items[abs(literal)];
	uint8_t bit = literal > 0 ? 1 : 2;
	if (g->made & bit)
		return;
	g->made |= bit;
	if (literal < 0)
		add(c, -literal);
	for (uint32_t i = 0; i < g->count; i++) {
		int part = c->parts.items[g->start + i];
		vec_push(c->pool, &c->todo, literal > 0 ? part : -part);
		if (literal > 0)
			add(c, -literal);
		add(c, literal > 0 ? part : -part);
		if (literal > 0)
			add(c, 0);
	}
	if (literal < 0)
		add(c, 0);
}

void circuit_need(struct circuit *c, int literal)
{
	vec_push(c->pool, &c->todo, literal);
	while (c->todo.count) {
		guard_tick(c->guard);
		make(c, c->todo.items[--c->todo.count]);
	}
}

void circuit_assert_any(struct circuit *c, const int *lits, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add(c, lits[i]);
	add(c, 0);
	for (size_t i = 0; i < count; i++)
		circuit_need(c, lits[i]);
}

void circuit_assert(struct circuit *c, int literal)
{
	assert(literal && (size_t)abs(literal) < c->gates.count);
	const struct gate *g = &c->gates.items[abs(literal)];
	if (!g->count) {
		circuit_assert_any(c, &literal, 1);
		return;
	}
	int *parts = pool_array(c->pool, g->count, sizeof *parts);
	uint32_t count = g->count;
	for (uint32_t i = 0; i < count; i++)
		parts[i] =
		        literal > 0 ? c->parts.items[g->start + i] : -c->parts.items[g->start + i];
	for (uint32_t i = 0; literal > 0 && i < count; i++)
		circuit_assert(c, parts[i]);
	if (literal < 0)
		circuit_assert_any(c, parts, count);
	pool_free(c->pool, parts);
}

void circuit_count(struct circuit *c, const int *lits, size_t count, int *more, size_t most)
{
	for (size_t j = 0; j < most; j++)
		more[j] = LIT_FALSE;
	for (size_t i = 0; i < count; i++)
		for (size_t j = most; j-- > 0;)
			more[j] = circuit_or(c, more[j],
			                     circuit_and(c, lits[i], j ? more[j - 1] : LIT_TRUE));
}

/* ---- solving ---- */

bool circuit_solve(struct circuit *c, const int *assumed, size_t count)
{
	for (size_t i = 0; i < count; i++)
		c->solver->assume(c->solving, assumed[i]);
	int answer = c->solver->solve(c->solving);
	if (answer != SATISFIABLE && answer != UNSATISFIABLE) {
		guard_look(c->guard); /* fails if it is out of time */
		guard_fail(c->guard, ALIBI_TIMEOUT, NULL, "the solver gave up");
	}
	return answer == SATISFIABLE;
}

bool circuit_value(const struct circuit *c, int literal)
{
	assert(!c->gates.items[abs(literal)].count);
	return c->solver->value(c->solving, literal) > 0;
}
