/*
 * explain: from a verdict to what a person can follow.
 *
 * 1. The evidence of the violation names a few operations (seeds.h).
 * 2. They are made as few as possible (reduce.h), also by other ways (shortcut.h).
 * 3. What is left is a contradiction that can be told in words: a read that nothing
 *    explains (reads.h), or cycles (cases.h), with a name (name.h).
 * 4. The reads that it rests on are taken away, and what is left of the history is
 *    checked again: so further violations are found which rest on other reads.
 */
#ifndef ALIBI_EXPLAIN_EXPLAIN_H
#define ALIBI_EXPLAIN_EXPLAIN_H

#include "check/check.h"
#include "explain/subset.h"

/* An explanation in which nothing is explained yet. */
alibi_explanation *explain_new(struct pool *pool);

/* Before a part is looked for: gives transactions something to do that have to be in it, but
 * have no operations (idle.h). */
void explain_busy(struct pool *pool, const struct check_options *options, const struct history **h,
                  const alibi_result **result);

/* A part that violates, of which nothing can be left out; there may be smaller ones. Options
 * and result as below. */
struct subset explain_part(struct pool *pool, const struct history *h, const alibi_result *result,
                           const struct check_options *options);

/* result: of checking h with these options; it violates. A limit may end this at any
 * time: *out is right then, with what was found. Only half of the time that is left is
 * used to look for more than one violation; whoever catches the end of the job gives the
 * guard its deadline back. */
void explain(struct pool *pool, const struct history *h, const struct check_options *options,
             const alibi_result *result, alibi_explanation *out);

#endif
