/*
 * refutation: what the steps of a refutation are checked against, and the step at hand.
 *
 * A step claims a clause: one of its literals is true of every order of the history's events. A
 * literal says that one event is before another; queries.c and visible.h have literals of their
 * own. See verify.h.
 */
#ifndef ALIBI_VERIFY_REFUTATION_H
#define ALIBI_VERIFY_REFUTATION_H

#include "format/certificate.h"
#include "replay/replay.h"
#include "verify/candidates.h"

struct literal {
	uint32_t before, after;
};

struct step {
	uint32_t kind;
	word_vec words;
	VEC(struct literal) clause;
};

struct refutation {
	struct replay_rules rules;
	struct candidates candidates;
};

static inline void step_literal(struct refutation *r, struct step *s, uint32_t before,
                                uint32_t after)
{
	vec_push(r->candidates.pool, &s->clause, ((struct literal){before, after}));
}

/* The events at which a transaction reads and writes. */
static inline uint32_t reads_at(const struct refutation *r, uint32_t txn)
{
	return r->rules.snapshot ? 2 * txn : 2 * txn + 1;
}

static inline uint32_t writes_at(uint32_t txn)
{
	return 2 * txn + 1;
}

#endif
