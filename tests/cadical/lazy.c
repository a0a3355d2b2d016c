/*
 * lazy: the order problem for src/sat, with the smallest theory that will do.
 *
 * The theory keeps a matrix of edges. A literal that becomes true is an edge a to b;
 * if there was a path from b to a already, the edges of the cycle cannot all be
 * true: that clause is the objection. Pairs have variables only once a clause names
 * them, and some clauses are added only when the order found violates them, as
 * src/check does it.
 *
 * The proof is a list of clauses by number: those of the problem, cycles, and what
 * was learnt. A cycle is checked to be one, and a learnt clause by its hints: its
 * literals are made false, and each hinted clause must then have one literal left,
 * which becomes true, but for the last, which must have none.
 */
#include "problem.h"

#include "base/guard.h"
#include "sat/solver.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

struct proof_clause {
	size_t first, count; /* in words */
};

struct lazy {
	const struct order_problem *p;
	struct pool *pool;
	struct solver *solver;
	const char *wrong;

	int variable_of[NODES_MAX][NODES_MAX]; /* of the pair, lower node first; or NONE */
	VEC(struct before) pairs;              /* by variable */
	lit edge[NODES_MAX][NODES_MAX];        /* the literal that made it, + 1; 0: none */
	bool added[CLAUSES_MAX];

	VEC(struct proof_clause) proof;
	VEC(lit) words;
	VEC(int8_t) value;    /* of variables, while a learnt clause is checked */
	VEC(lit) cycle;       /* the objection at hand */
	bool empty;           /* the empty clause has been proven */
	int order[NODES_MAX]; /* place of each node */
	uint64_t lemmas;
};

static void complain(struct lazy *z, const char *what)
{
	if (!z->wrong)
		z->wrong = what;
}

/* ---- literals ---- */

static lit literal(struct lazy *z, struct before o)
{
	bool swapped = o.a > o.b;
	int low = swapped ? o.b : o.a, high = swapped ? o.a : o.b;
	int *variable = &z->variable_of[low][high];
	if (*variable == NONE) {
		*variable = (int)solver_new_variable(z->solver, (uint32_t)o.a);
		vec_push(z->pool, &z->pairs, ((struct before){low, high}));
		vec_push(z->pool, &z->value, 0);
	}
	return lit_of((uint32_t)*variable, swapped);
}

static struct before meaning(const struct lazy *z, lit l)
{
	struct before o = z->pairs.items[lit_variable(l)];
	return l & 1 ? (struct before){o.b, o.a} : o;
}

/* ---- the proof ---- */

static uint32_t prove(struct lazy *z, const lit *literals, size_t count)
{
	vec_push(z->pool, &z->proof, ((struct proof_clause){z->words.count, count}));
	for (size_t i = 0; i < count; i++)
		vec_push(z->pool, &z->words, literals[i]);
	z->empty |= !count;
	return (uint32_t)z->proof.count - 1;
}

static void set_true(struct lazy *z, lit l)
{
	z->value.items[lit_variable(l)] = l & 1 ? -1 : 1;
}

static int value_of(const struct lazy *z, lit l)
{
	int value = z->value.items[lit_variable(l)];
	return l & 1 ? -value : value;
}

/* Makes the one literal true that is left; false: none is left. */
static bool take_hint(struct lazy *z, uint32_t number)
{
	if (number >= z->proof.count) {
		complain(z, "a hint that is no clause");
		return false;
	}
	struct proof_clause c = z->proof.items[number];
	size_t left = 0;
	lit last = 0;
	for (size_t i = 0; i < c.count; i++) {
		lit l = z->words.items[c.first + i];
		if (value_of(z, l) > 0)
			complain(z, "a hint whose clause is true already");
		if (value_of(z, l) < 0)
			continue;
		left++;
		last = l;
	}
	if (left > 1)
		complain(z, "a hint that leaves more than one literal");
	if (left)
		set_true(z, last);
	return left > 0;
}

static uint32_t learnt(void *data, const lit *literals, size_t count, const uint32_t *hints,
                       size_t hint_count)
{
	struct lazy *z = data;
	if (z->value.count)
		memset(z->value.items, 0, z->value.count);
	for (size_t i = 0; i < count; i++) {
		if (value_of(z, literals[i]))
			complain(z, "a learnt clause that names a variable twice");
		set_true(z, lit_not(literals[i]));
	}
	for (size_t i = 0; i < hint_count; i++) {
		bool left = take_hint(z, hints[i]);
		if (left != (i + 1 < hint_count))
			complain(z, left ? "the hints do not refute" : "hints too many");
	}
	if (!hint_count)
		complain(z, "no hints");
	return prove(z, literals, count);
}

/* ---- the theory ---- */

/* A path, by depth first; its edges are added to the cycle. */
static bool find_path(struct lazy *z, int from, int to, bool *visited)
{
	if (from == to)
		return true;
	visited[from] = true;
	for (int next = 0; next < z->p->nodes; next++) {
		if (visited[next] || !z->edge[from][next])
			continue;
		if (find_path(z, next, to, visited)) {
			vec_push(z->pool, &z->cycle, lit_not(z->edge[from][next] - 1));
			return true;
		}
	}
	return false;
}

/* The literals stand in the order of find_path(): the last edge of the path comes
 * first, and the edge that closes the cycle comes at the end. */
static void check_cycle(struct lazy *z)
{
	size_t n = z->cycle.count;
	for (size_t i = 0; i < n; i++) {
		struct before edge = meaning(z, lit_not(z->cycle.items[i]));
		struct before next = meaning(z, lit_not(z->cycle.items[(i + n - 1) % n]));
		if (edge.b != next.a)
			complain(z, "a cycle that is none (a fault of the test)");
	}
}

static bool assign(void *data, lit l, struct sat_objection *objection)
{
	struct lazy *z = data;
	struct before o = meaning(z, l);
	bool visited[NODES_MAX] = {false};
	z->cycle.count = 0;
	if (z->edge[o.a][o.b] || z->edge[o.b][o.a])
		complain(z, "a literal was assigned twice");
	if (find_path(z, o.b, o.a, visited)) {
		vec_push(z->pool, &z->cycle, lit_not(l));
		check_cycle(z);
		z->lemmas++;
		*objection = (struct sat_objection){
		        .literals = z->cycle.items,
		        .count = z->cycle.count,
		        .number = prove(z, z->cycle.items, z->cycle.count),
		};
		return false;
	}
	z->edge[o.a][o.b] = l + 1;
	return true;
}

static void unassign(void *data, lit l)
{
	struct lazy *z = data;
	struct before o = meaning(z, l);
	if (z->edge[o.a][o.b] != l + 1)
		complain(z, "a literal was unassigned that was not assigned");
	z->edge[o.a][o.b] = 0;
}

static bool phase(void *data, uint32_t variable)
{
	(void)data;
	return variable % 3; /* anything */
}

/* An order in which all edges go forwards. */
static void sort_nodes(struct lazy *z)
{
	bool placed[NODES_MAX] = {false};
	for (int place = 0; place < z->p->nodes; place++) {
		int chosen = NONE;
		for (int node = 0; node < z->p->nodes && chosen == NONE; node++) {
			bool free = !placed[node];
			for (int other = 0; other < z->p->nodes; other++)
				free &= placed[other] || !z->edge[other][node];
			if (free)
				chosen = node;
		}
		assert(chosen != NONE);
		placed[chosen] = true;
		z->order[chosen] = place;
	}
}

static bool holds(const struct lazy *z, const struct order_clause *c)
{
	for (int i = 0; i < c->size; i++)
		if (z->order[c->literals[i].a] < z->order[c->literals[i].b])
			return true;
	return false;
}

static void tell(struct lazy *z, int clause)
{
	const struct order_clause *c = &z->p->clauses[clause];
	lit literals[LITERALS_MAX];
	for (int i = 0; i < c->size; i++)
		literals[i] = literal(z, c->literals[i]);
	z->added[clause] = true;
	solver_add(z->solver, literals, (size_t)c->size, prove(z, literals, (size_t)c->size));
}

static bool complete(void *data)
{
	struct lazy *z = data;
	if (!solver_validate(z->solver))
		complain(z, "the invariants of the solver do not hold");
	bool ok = true;
	sort_nodes(z);
	for (int i = 0; i < z->p->clause_count; i++) {
		if (holds(z, &z->p->clauses[i]))
			continue;
		if (z->added[i])
			complain(z, "a model that breaks a clause");
		else
			tell(z, i);
		ok = false;
	}
	return ok || z->wrong;
}

static const struct sat_theory theory = {
        .assign = assign,
        .unassign = unassign,
        .phase = phase,
        .complete = complete,
        .learnt = learnt,
};

static struct lazy_result solve(const struct order_problem *p, struct pool *pool)
{
	struct lazy *z = pool_zalloc(pool, sizeof *z);
	z->p = p;
	z->pool = pool;
	z->solver = solver_new(pool, &theory, z);
	for (int a = 0; a < p->nodes; a++)
		for (int b = 0; b < p->nodes; b++)
			z->variable_of[a][b] = NONE;
	for (int i = 0; i < p->late; i++)
		tell(z, i);
	bool found = solver_solve(z->solver, 0) == SAT_YES;
	if (!found && !z->empty)
		complain(z, "unsatisfiable without the empty clause");
	return (struct lazy_result){.answer = found ? SATISFIABLE : UNSATISFIABLE,
	                            .wrong = z->wrong,
	                            .conflicts = solver_conflicts(z->solver),
	                            .lemmas = z->lemmas};
}

struct lazy_result lazy_solve(const struct order_problem *p)
{
	struct guard guard;
	struct lazy_result volatile result = {.answer = NO_ANSWER, .wrong = "no memory"};
	guard_init(&guard);
	struct pool *pool = pool_root(&guard);
	if (!pool)
		return result;
	if (guard_enter(&guard))
		result = solve(p, pool);
	guard_leave(&guard);
	pool_release(pool);
	return result;
}
