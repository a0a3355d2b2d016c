/* rules: the steps of a refutation that speak of the history. See verify.h. */
#ifndef ALIBI_VERIFY_RULES_H
#define ALIBI_VERIFY_RULES_H

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

/* What a refutation is checked against. */
struct refutation {
	struct replay_rules rules;
	struct candidates candidates;
};

/* Does the step hold? Fills its clause. */
bool rules_check(struct refutation *r, struct step *s);

void step_literal(struct refutation *r, struct step *s, uint32_t before, uint32_t after);

static inline uint32_t reads_at(const struct refutation *r, uint32_t txn)
{
	return r->rules.snapshot ? 2 * txn : 2 * txn + 1;
}

static inline uint32_t writes_at(uint32_t txn)
{
	return 2 * txn + 1;
}

#endif
