/*
 * problem: an order problem, and what the two solvers say of it.
 *
 * There are nodes and clauses; a literal is "a before b". Is there an order of the
 * nodes that makes a literal of each clause true?
 */
#ifndef TESTS_CADICAL_PROBLEM_H
#define TESTS_CADICAL_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NODES_MAX = 22, LITERALS_MAX = 4, CLAUSES_MAX = 600 };

struct before {
	int a, b; /* a before b */
};

struct order_clause {
	int size;
	struct before literals[LITERALS_MAX];
};

struct order_problem {
	int nodes, clause_count;
	int late; /* the clauses from here on are added only when they are violated */
	struct order_clause clauses[CLAUSES_MAX];
};

enum answer { SATISFIABLE, UNSATISFIABLE, NO_ANSWER };

/* eager.c: CaDiCaL, one variable a pair and all triples transitive; NO_ANSWER: this
 * was built without it. */
enum answer eager_solve(const struct order_problem *p);

/* lazy.c: src/sat, with the theory that there are no cycles. What it learns is
 * checked by the hints as it goes, and an order that it finds against all clauses;
 * *wrong: the first thing that was not right, else NULL. */
struct lazy_result {
	enum answer answer;
	const char *wrong;
	uint64_t conflicts, lemmas;
};

struct lazy_result lazy_solve(const struct order_problem *p);

#endif
