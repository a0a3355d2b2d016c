/*
 * synth: histories that some levels allow and others forbid.
 *
 * Problem. Is there a history of n transactions that all of these levels allow and all of
 * those forbid? A level allows a history if some witness makes its formulas true, and forbids
 * it if none does. The latter quantifies over all witnesses, which a SAT solver cannot.
 *
 * Idea (Isolde's, after Solar-Lezama's CEGIS). One solver proposes histories that the first
 * levels allow. For each level that should forbid them, another one looks for a witness, the
 * counterexample. If it finds one, all histories that this witness would allow are ruled out,
 * and the first solver proposes another.
 *
 * What makes it fast.
 * - Most proposals are never made. A forbidding level must reject every witness, so it must
 *   reject those that are known beforehand: the witnesses of the allowing levels, and the
 *   relations `vis` that known levels derive from an order. These are ruled out from the
 *   start, across the two kinds of levels. Where one level implies the other, this alone is
 *   usually a contradiction, and nothing is ever proposed.
 * - Symmetry breaking (encode.h).
 * - Sizes increase: first histories of one transaction, then of two, and so on, in which
 *   every transaction has an operation.
 *
 * Every history found is confirmed: the formulas are evaluated directly (evaluate.h), and
 * where `alibi check` knows the level, it must agree. That there are no more rests on the
 * solver.
 */
#ifndef ALIBI_SYNTH_SYNTH_H
#define ALIBI_SYNTH_SYNTH_H

#include "alibi.h"
#include "synth/definition.h"
#include "synth/skeleton.h"

struct synth_found {
	struct skeleton skeleton;
	struct witness *witnesses; /* of the levels that allow it */
};

struct synth_task {
	const struct definition *const *allow, *const *forbid;
	size_t allow_count, forbid_count;
	uint32_t txns, keys, values; /* at most; values: of a key, with the initial one */
	bool smallest;               /* in operations, then in pairs of one session */
	bool apart;                  /* every transaction has a session of its own */
	bool no_symmetry_breaking;   /* for tests; nor guess witnesses */
	size_t wanted;
	const alibi_solver *solver;
	void (*on_found)(void *data, const struct synth_found *found);
	void *data;
};

struct synth_state {
	size_t found;
	uint32_t exhausted; /* there are no more of up to so many transactions */
	uint64_t proposals, counterexamples;
};

/* Does a level use the order of reads? */
bool synth_ordered_reads(const struct synth_task *task);

/* *state, initially zero, is up to date whenever a limit ends the job. */
void synth(struct pool *pool, const struct synth_task *task, struct synth_state *state);

#endif
