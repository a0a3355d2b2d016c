/* goals: see goals.h. */
#include "goals.h"

#include "consistency.h"
#include "level_choice.h"

#include <stdio.h>
#include <string.h>

void elle_goal_forbid(struct elle_goal *g, const char *words)
{
	while (words && *words) {
		size_t length = strcspn(words, " ");
		g->forbidden[g->forbidden_count++] = elle_anomaly_named(words, length);
		words += length;
		words += *words == ' ';
	}
}

/* ---- from names to goals ---- */

static bool take_model(struct elle_goals *goals, struct elle_goal *g)
{
	char whose[80];
	struct level_choice choice;
	const struct elle_consistency *c = elle_consistency_named(g->name);
	g->is_model = true;
	if (c) {
		struct elle_consistency as_level = elle_consistency_as_level(c);
		g->level = as_level.level;
		g->ignore_sessions = c->scope == ELLE_DATA;
		g->time_order = c->scope == ELLE_REALTIME && strcmp(g->level, "sser") != 0;
		elle_goal_forbid(g, c->forbids);
		return true;
	}
	snprintf(whose, sizeof whose, "Elle:%s", g->name);
	level_choose(&choice, whose, NULL);
	if (choice.level)
		snprintf(goals->why, sizeof goals->why, "--consistency-models: %s", choice.why);
	else
		snprintf(goals->why, sizeof goals->why,
		         "--consistency-models: Elle has no consistency model '%s' "
		         "(docs/guide/elle-cli.md "
		         "lists them)",
		         g->name);
	return false;
}

static bool take_anomaly(struct elle_goals *goals, struct elle_goal *g)
{
	struct elle_found asked = elle_anomaly_named(g->name, strlen(g->name));
	if (!asked.anomaly) {
		int n = snprintf(goals->why, sizeof goals->why,
		                 "--anomalies: Alibi does not look for '%s' by that name; expected",
		                 g->name);
		for (const struct elle_anomaly *a = elle_anomalies;
		     a->name && n > 0 && (size_t)n < sizeof goals->why; a++)
			n += snprintf(goals->why + n, sizeof goals->why - (size_t)n, "%s %s%s",
			              a == elle_anomalies ? "" : ",", a->name,
			              a->cycle ? "[-process|-realtime]" : "");
		return false;
	}
	g->forbidden[g->forbidden_count++] = asked;
	g->ignore_sessions = asked.scope == ELLE_DATA;
	g->time_order = asked.scope == ELLE_REALTIME;
	/* Real time counts from pc on. */
	g->level =
	        g->time_order && !strcmp(asked.anomaly->level, "rc") ? "si" : asked.anomaly->level;
	return true;
}

static bool take_list(struct elle_goals *goals, const char *list,
                      bool (*take)(struct elle_goals *goals, struct elle_goal *g))
{
	while (*list) {
		size_t length = strcspn(list, ","), colon = *list == ':';
		struct elle_goal *g = &goals->items[goals->count];
		if (goals->count == GOALS_MAX || length - colon >= sizeof g->name) {
			snprintf(goals->why, sizeof goals->why,
			         "that are too many or too long names: %.40s…", list);
			return false;
		}
		*g = (struct elle_goal){0};
		memcpy(g->name, list + colon, length - colon);
		goals->count += *g->name != 0;
		if (*g->name && !take(goals, g))
			return false;
		list += length;
		list += *list == ',';
	}
	return true;
}

bool elle_goals_take(struct elle_goals *g, const char *models, const char *anomalies)
{
	*g = (struct elle_goals){0};
	if (!take_list(g, models ? models : "strict-serializable", take_model))
		return false;
	if (!anomalies && !g->count)
		anomalies = "G0";
	if (anomalies && !take_list(g, anomalies, take_anomaly))
		return false;
	if (!g->count)
		snprintf(g->why, sizeof g->why,
		         "--consistency-models and --anomalies are both empty, so that nothing is "
		         "checked; name one");
	return g->count;
}

void elle_goal_text(const struct elle_goal *g, char *text, size_t size)
{
	snprintf(text, size, "%s is %s%s%s%s%s", g->name,
	         !g->forbidden_count ? "taken for "
	         : g->is_model       ? "implied by "
	                             : "excluded by ",
	         g->level, g->ignore_sessions ? " without session order" : "",
	         g->time_order ? " with real time" : "",
	         g->forbidden_count ? "; where that does not hold, a named anomaly decides" : "");
}

/* A read that no order and no model explains: it has none of Elle's names. */
static bool breaks_every_model(const alibi_anomaly *m)
{
	return !strcmp(alibi_anomaly_name(m), "garbage-read") ||
	       !strcmp(alibi_anomaly_name(m), "wrong-writer");
}

bool elle_goal_refuted(alibi *job, const struct elle_goal *g, const alibi_explanation *e)
{
	if (!g->forbidden_count)
		return true;
	for (size_t i = 0; e && i < alibi_explanation_anomaly_count(e); i++) {
		const alibi_anomaly *m = alibi_explanation_anomaly_at(e, i);
		struct elle_names n = elle_names_of(job, m);
		if (g->is_model && breaks_every_model(m))
			return true;
		for (size_t j = 0; j < g->forbidden_count; j++)
			if (elle_is_case_of(n.label, g->forbidden[j]) ||
			    elle_is_case_of(n.also, g->forbidden[j]))
				return true;
	}
	return false;
}
