/*
 * by_formula: checks a history at a level that is a definition in formulas.
 *
 * Problem. The search knows the levels of the table (level.h). Others, like parallel snapshot
 * isolation, are definitions that only small histories can be held against.
 *
 * Idea. Most histories are decided by a level of the table: what holds at a stronger one holds,
 * and what violates a weaker one does not, with the certificate of that level. What is left is
 * evaluated exhaustively (executions.h): the whole if it is small, and else a part that may violate
 * the level alone. If that does not decide, it is `unknown`.
 *
 * Which level is stronger or weaker follows from the formulas:
 * - Each level over vis and ar contains read atomic (definition.h), and psi, with `transitive`,
 *   causal.
 * - si => psi, ua, nlu. vis is within ar, so si's `prefix` implies `transitive`, and its
 *   `no-conflict` is that of psi and ua; it lets each writer of a key see all earlier ones, which
 *   is more than nlu requires.
 * - ser => us, us-vis: their axioms are ser's, of fewer transactions.
 * - ra => tap-ra, cc => tap-cc: each anomaly has a writer t2 that t3 sees and that comes after
 *   t1, whose version t3 reads; the axiom puts t2 before t1.
 * A definition `same as` a level of the table is that level (synth.h, tests/synth.py).
 * This is known of the library only. Of a user's file nothing is believed but what its formulas
 * say.
 *
 * Cost. Two checks, and that of executions.h.
 */
#ifndef ALIBI_SYNTH_BY_FORMULA_H
#define ALIBI_SYNTH_BY_FORMULA_H

#include "check/check.h"

/* Is it a definition of the library or a file, and no level of the table? */
bool by_formula_knows(const char *level);

/* The level of the table that implies it, as far as is known; else the strongest without clocks. */
const struct level *by_formula_above(const char *level);

/* Looks for a part of a history that violates the level alone, and if there is one makes the
 * `unknown` *result say so. options->level: by_formula_above(). It is explain/formula.h's. */
typedef void by_formula_parts(struct pool *pool, const struct history *h, const char *level,
                              const struct check_options *options, alibi_result *result);

/* options: without a level. *last: the check that runs, for check_limited(). */
alibi_result *by_formula(struct pool *pool, const struct history *h, const char *level,
                         const struct check_options *options, by_formula_parts *parts,
                         struct check *volatile *last);

#endif
