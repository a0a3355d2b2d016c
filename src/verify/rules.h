/* rules: the steps of a refutation that speak of the history. See verify.h. */
#ifndef ALIBI_VERIFY_RULES_H
#define ALIBI_VERIFY_RULES_H

#include "format/certificate.h"
#include "history/origins.h"
#include "replay/replay.h"

struct literal {
	uint32_t before, after;
};

struct step {
	uint32_t kind;
	word_vec words;
	VEC(struct literal) clause;
};

struct judge {
	struct replay_rules rules;
	struct origins origins;
};

/* Does the step hold? Fills its clause. */
bool rules_check(struct judge *j, struct step *s);

void step_literal(struct judge *j, struct step *s, uint32_t before, uint32_t after);

static inline uint32_t reads_at(const struct judge *j, uint32_t txn)
{
	return j->rules.snapshot ? 2 * txn : 2 * txn + 1;
}

static inline uint32_t writes_at(uint32_t txn)
{
	return 2 * txn + 1;
}

#endif
