/*
 * synth: histories that some levels allow and others forbid.
 *
 * Problem. Is there a history of so many transactions that all of these levels allow
 * and none of those? Allowed means that some witness makes the formulas true; forbidden
 * means that none does. The second is beyond a SAT solver: it is about all witnesses.
 *
 * Idea (Isolde's, after Solar-Lezama's CEGIS). One solver proposes histories that the
 * first levels allow. Another one, for each level that should forbid them, looks for a
 * witness. If it finds one, all histories that this very witness would allow are ruled
 * out from now on, and the first solver proposes another.
 *
 * What makes it fast.
 * - Most proposals are never made: what must not be allowed for any witness must not be
 *   for those at hand. So the witnesses of the first levels, and the relations `vis`
 *   that known levels make of an order, are ruled out from the start, across the two
 *   kinds of levels. Where one level implies the other, that alone is mostly a
 *   contradiction, and nothing is ever proposed.
 * - Names are no choices (encode.h).
 * - Sizes go up: first histories of one transaction, then of two, and so on, in which
 *   every transaction does something.
 *
 * What is found is confirmed: the formulas are evaluated directly (evaluate.h), and
 * where `alibi check` knows the level, it must agree. That there is nothing more rests
 * on the solver.
 */
#ifndef ALIBI_SYNTH_SYNTH_H
#define ALIBI_SYNTH_SYNTH_H

#include "alibi.h"
#include "synth/definition.h"
#include "synth/shape.h"

struct synth_found {
	struct shape shape;
	struct witness *witnesses; /* of those that allow it */
};

struct synth_task {
	const struct definition *const *allow, *const *forbid;
	size_t allow_count, forbid_count;
	uint32_t txns, keys, values; /* at most; values: of a key, with the initial one */
	bool smallest;               /* in operations, then in pairs of one session */
	bool apart;                  /* every transaction has a session of its own */
	bool names_matter;           /* for tests: break no symmetry, guess no witness */
	size_t wanted;
	const alibi_solver *solver;
	void (*tell)(void *data, const struct synth_found *found);
	void *data;
};

struct synth_state {
	size_t found;
	uint32_t exhausted; /* there are no more with up to so many transactions */
	uint64_t proposals, lessons;
};

/* Does a level ask which key was read first? */
bool synth_ordered_reads(const struct synth_task *task);

/* *state, all 0 at first, is kept up to date for when a limit ends the job. */
void synth(struct pool *pool, const struct synth_task *task, struct synth_state *state);

#endif
