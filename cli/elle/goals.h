/*
 * goals: what elle-cli's --consistency-models and --anomalies ask of a history, as levels.
 *
 * A consistency model that is one of Alibi's levels is decided by that level. The others have a
 * level that implies them, and anomalies that they forbid (consistency.h). If the level holds, so
 * does the model. If it does not, the model is violated if one of these anomalies was found;
 * otherwise it is unknown. An anomaly that must not be there is such a bound, too.
 */
#ifndef ALIBI_CLI_ELLE_GOALS_H
#define ALIBI_CLI_ELLE_GOALS_H

#include "anomalies.h"

enum { GOALS_MAX = 32, FORBIDDEN_MAX = 4 };

struct elle_goal {
	char name[64];     /* as it was given */
	bool is_model;     /* or else an anomaly */
	const char *level; /* decides it, … */
	bool ignore_sessions, time_order;
	size_t forbidden_count; /* … if this is 0; else it implies it, and these refute it */
	struct elle_found forbidden[FORBIDDEN_MAX];
};

struct elle_goals {
	struct elle_goal items[GOALS_MAX];
	size_t count;
	char why[1024];
};

/* Lists with commas; NULL: what elle-cli takes then. False: see why. */
bool elle_goals_take(struct elle_goals *g, const char *models, const char *anomalies);
/* What a goal is taken for, as a sentence. */
void elle_goal_text(const struct elle_goal *g, char *text, size_t size);

/* Anomalies that refute it, with a space between them; NULL: none. */
void elle_goal_forbid(struct elle_goal *g, const char *words);
/* Of a violation of the goal's level: does what was found refute the goal, too? */
bool elle_goal_refuted(alibi *job, const struct elle_goal *g, const alibi_explanation *e);

#endif
