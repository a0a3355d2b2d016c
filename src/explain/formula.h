/*
 * formula: anomalies at a level that is a definition in formulas.
 *
 * The history was evaluated, and no order makes the formulas true; that has no steps to follow. But
 * it violates a level of the table, too, and has anomalies there. Those whose transactions alone
 * violate the formulas as well explain the verdict.
 */
#ifndef ALIBI_EXPLAIN_FORMULA_H
#define ALIBI_EXPLAIN_FORMULA_H

#include "explain/explain.h"

/* As explain(), of a small history. level: by formulas; options->level: the level of the table.
 * *out may stay empty. */
void explain_formula(struct pool *pool, const struct history *h, const char *level,
                     const struct check_options *options, double seconds, alibi_explanation *out);

#endif
