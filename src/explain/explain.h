/*
 * explain: from a verdict to an explanation that a person can follow.
 *
 * 1. The evidence of the violation names a few operations (evidence.h).
 * 2. They are reduced to a minimal violating part (reduce.h), also by shorter paths
 *    (shortcut.h).
 * 3. What is left is a read without a candidate writer (reads.h), or cycles of
 *    dependencies (cases.h). It gets a name (name.h) and sentences (sentence.h).
 * 4. The reads of the explanation are removed, and the rest of the history is checked
 *    again. That finds further violations, which rest on other reads.
 */
#ifndef ALIBI_EXPLAIN_EXPLAIN_H
#define ALIBI_EXPLAIN_EXPLAIN_H

#include "check/check.h"

/* An empty explanation. */
alibi_explanation *explain_new(struct pool *pool);

/* A part that violates and from which nothing can be left out. Smaller ones may exist.
 * Options and result as below. */
const struct history *explain_minimal_part(struct pool *pool, const struct history *h,
                                           const alibi_result *result,
                                           const struct check_options *options);

/* result: of checking h with these options; it violates. A limit may end this at any time;
 * *out then has what was found so far. The search for further violations uses half of the
 * time that is left. It changes the deadline of the guard; a caller that catches the end of
 * the job restores it. seconds: above 0, the explanation is brief: it takes
 * at most so long, and one violation of a large history is explained, which is not checked again.
 */
void explain(struct pool *pool, const struct history *h, const struct check_options *options,
             const alibi_result *result, double seconds, alibi_explanation *out);

#endif
