/*
 * formula: anomalies at a level that is a definition in formulas.
 *
 * Formulas are evaluated, which has no steps to follow, and only few transactions can be. But a
 * history that violates them violates a level of the table, too, and has anomalies there. Those
 * whose transactions alone violate the formulas explain the verdict, and in a history that is too
 * large to be evaluated they are the verdict (executions.h).
 */
#ifndef ALIBI_EXPLAIN_FORMULA_H
#define ALIBI_EXPLAIN_FORMULA_H

#include "explain/explain.h"

/* As explain(), of a small history. level: by formulas; options->level: the level of the table.
 * *out may stay empty. */
void explain_formula(struct pool *pool, const struct history *h, const char *level,
                     const struct check_options *options, double seconds, alibi_explanation *out);

/* Looks for a few transactions of a large history that violate the level alone; if there are any,
 * *result says so. Options as above. */
void formula_decide_by_part(struct pool *pool, const struct history *h, const char *level,
                            const struct check_options *options, alibi_result *result);

#endif
