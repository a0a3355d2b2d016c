/* eager: the order problem in full, for CaDiCaL. */
#include "problem.h"

#if HAVE_CADICAL
#include <ccadical.h>

/* The variable of a pair is "the lower one is before the higher one". */
static int literal(const struct order_problem *p, int a, int b)
{
	return a < b ? 1 + a * p->nodes + b : -(1 + b * p->nodes + a);
}

/* No two of a before b, b before c, c before a, and the third as well. */
static void add_transitivity(CCaDiCaL *solver, const struct order_problem *p)
{
	for (int a = 0; a < p->nodes; a++)
		for (int b = 0; b < p->nodes; b++)
			for (int c = 0; c < p->nodes; c++) {
				if (a == b || b == c || a == c)
					continue;
				ccadical_add(solver, literal(p, b, a));
				ccadical_add(solver, literal(p, c, b));
				ccadical_add(solver, literal(p, a, c));
				ccadical_add(solver, 0);
			}
}

enum answer eager_solve(const struct order_problem *p)
{
	CCaDiCaL *solver = ccadical_init();
	ccadical_set_option(solver, "quiet", 1);
	add_transitivity(solver, p);
	for (int i = 0; i < p->clause_count; i++) {
		const struct order_clause *c = &p->clauses[i];
		for (int k = 0; k < c->size; k++)
			ccadical_add(solver, literal(p, c->literals[k].a, c->literals[k].b));
		ccadical_add(solver, 0);
	}
	int said = ccadical_solve(solver);
	ccadical_release(solver);
	return said == 10 ? SATISFIABLE : said == 20 ? UNSATISFIABLE : NO_ANSWER;
}

#else

enum answer eager_solve(const struct order_problem *p)
{
	(void)p;
	return NO_ANSWER;
}

#endif
