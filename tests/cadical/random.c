/*
 * random: random order problems for src/sat (lazy.c) and for CaDiCaL (eager.c).
 *
 * Both must say the same. On top of it the proofs and orders of src/sat are checked
 * (lazy.c). A random order breaks a clause of k literals with probability 2^-k, so
 * the number of clauses at which problems become unsatisfiable is known well
 * enough, and about half of them are. Every 400th problem is larger: there the
 * solver restarts and forgets.
 *
 *     cadical [PROBLEMS [SEED]]
 */
#include "../random.h"
#include "problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN_MAX = 5, LARGE_EVERY = 400 };

static uint64_t state;

static int below(int n)
{
	return (int)random_below(&state, (uint32_t)n);
}

static bool names_pair(const struct order_clause *c, struct before o)
{
	for (int i = 0; i < c->size; i++) {
		struct before l = c->literals[i];
		if ((l.a == o.a && l.b == o.b) || (l.a == o.b && l.b == o.a))
			return true;
	}
	return false;
}

static void make_clause(struct order_problem *p, struct order_clause *c, int size)
{
	c->size = 0;
	while (c->size < size) {
		struct before o = {below(p->nodes), below(p->nodes)};
		if (o.a != o.b && !names_pair(c, o))
			c->literals[c->size++] = o;
	}
}

static void make_problem(struct order_problem *p, bool large)
{
	p->nodes = large ? 16 + below(NODES_MAX - 15) : 4 + below(6);
	int mixed = below(3), percent = large ? 55 + below(45) : 40 + below(100);
	double room = lgamma(p->nodes + 1.0) * percent / 100; /* of the orders, as a logarithm */
	p->clause_count = 0;
	while (room > 0 && p->clause_count < CLAUSES_MAX) {
		int size = mixed ? 2 + below(3) : 3;
		if (mixed == 2 && !below(10))
			size = 1;
		make_clause(p, &p->clauses[p->clause_count++], size);
		room += log1p(-ldexp(1, -size));
	}
	p->late = below(2) ? p->clause_count : below(p->clause_count + 1);
}

static void show(const struct order_problem *p, uint64_t index, const char *what)
{
	printf("problem %" PRIu64 ": %s\n%d nodes, clauses added late from %d on\n", index, what,
	       p->nodes, p->late);
	for (int i = 0; i < p->clause_count; i++)
		for (int k = 0; k < p->clauses[i].size; k++)
			printf("%d<%d%s", p->clauses[i].literals[k].a, p->clauses[i].literals[k].b,
			       k + 1 < p->clauses[i].size ? " or " : "\n");
}

static int compare(uint64_t count, uint64_t seed)
{
	static struct order_problem p;
	uint64_t passed = 0, failed = 0, answers[3] = {0}, conflicts = 0, lemmas = 0, most = 0;
	for (uint64_t i = 0; i < count; i++) {
		state = seed * 1000003 + i;
		make_problem(&p, i % LARGE_EVERY == LARGE_EVERY - 1);
		struct lazy_result ours = lazy_solve(&p);
		enum answer theirs = eager_solve(&p);
		bool ok = !ours.wrong && ours.answer == theirs;
		answers[theirs]++;
		conflicts += ours.conflicts;
		lemmas += ours.lemmas;
		if (ours.conflicts > most)
			most = ours.conflicts;
		passed += ok;
		failed += !ok;
		if (!ok && failed <= SHOWN_MAX)
			show(&p, i, ours.wrong ? ours.wrong : "the two do not agree");
	}
	printf("%" PRIu64 " satisfiable, %" PRIu64 " not; %" PRIu64 " conflicts, %" PRIu64
	       " of them cycles, at most %" PRIu64 " in a problem\n",
	       answers[SATISFIABLE], answers[UNSATISFIABLE], conflicts, lemmas, most);
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
	return failed > 0;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct order_problem trivial = {.nodes = 1};
	if (eager_solve(&trivial) == NO_ANSWER) {
		puts("built without CaDiCaL (libcadical-dev): nothing to compare with\n"
		     "0 passed, 0 failed, 1 skipped");
		return 0;
	}
	return compare(count, seed);
}
