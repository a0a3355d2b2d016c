/* options: what a check is asked for, and the rules that follow from it. */
#ifndef ALIBI_CHECK_OPTIONS_H
#define ALIBI_CHECK_OPTIONS_H

#include "findings/findings.h"
#include "level/level.h"
#include "verify/verify.h"

struct check_options {
	const struct level *level;
	const char *asked; /* the name of the level in the result; NULL: that of the table */
	enum alibi_order order;
	enum stamp_meaning stamp_meaning; /* by the options or the history */
	bool session_order;               /* is part of the level */
	bool time_order; /* real-time order is part of it, too, whatever the level */
	uint64_t skew;   /* by which the clients' clocks may differ */
	uint64_t require_txns;
	double min_commits; /* the share of a recording's time that had commits, at least */
	size_t max_violations;
	const struct coverage *coverage; /* the history's; NULL: not counted yet */
	unsigned threads;                /* of the search */
};

/* The level's rules, with what the options say of sessions and clocks. */
static inline struct verify_rules check_rules(const struct check_options *options)
{
	struct verify_rules rules = {options->level->name, options->level->rules};
	rules.replay.no_session = !options->session_order;
	rules.replay.realtime |= options->time_order;
	rules.replay.skew = options->skew;
	return rules;
}

#endif
