/* coverage_level: what a history can show at a level, for coverage.h. */
#include "check/coverage.h"
#include "history/render.h"

static const char no_times[] = "by client times no transaction ended before another began";

/* Why a level says no more than the one below it, or NULL if it may: see coverage.h. A step is
 * proven for two neighbours with these rules only. apart: no two sessions conflict, and a linear
 * order exists. */
static const char *no_more_than_below(const struct coverage *c, struct replay_rules above,
                                      struct replay_rules below, bool times, bool apart)
{
	if (above.realtime)
		return below.visible == VISIBLE_STATE && !below.snapshot && (!times || apart)
		               ? no_times
		               : NULL;
	if (above.visible != VISIBLE_STATE)
		return above.visible == VISIBLE_CAUSAL && below.visible == VISIBLE_DIRECT && apart
		               ? "no two sessions share a key that one of them writes"
		               : NULL;
	if (!above.snapshot)
		return below.noconflict && !c->pivots
		               ? "no transaction reads what another session writes and writes what "
		                 "another session reads"
		               : NULL;
	if (above.noconflict)
		return below.snapshot && !c->common_writers ? "no two sessions write one key"
		                                            : NULL;
	return below.visible == VISIBLE_CAUSAL && ((!times && !c->several_write) || apart)
	               ? "only one session writes"
	               : NULL;
}

/* Goes down from the level as long as the next weaker one says as much; *why gets the reasons. */
static const struct level *go_down(struct pool *pool, const struct coverage *c,
                                   const struct level *level, bool times, text_vec *why)
{
	bool apart = !c->counts.conflicts && (!times || c->times_hold);
	const char *reason;
	while (level != level_at(0) &&
	       (reason = no_more_than_below(c, level->rules, level_below(level)->rules, times,
	                                    apart))) {
		level = level_below(level);
		if (apart)
			why->count = 0; /* the last reason is why all steps were taken */
		text_addf(pool, why, "%s%s", why->count ? "; " : "", reason);
	}
	return level;
}

static void say_by_search(struct pool *pool, const struct coverage *c,
                          const struct check_options *options, alibi_coverage *at, text_vec *t)
{
	const struct level *level = options->level;
	bool asked = level->rules.realtime || options->time_order, times = asked && c->times_bind;
	text_vec why = {0};
	if (c->queries) {
		at->could_violate = true;
		at->says_no_more_than = level->name;
		return;
	}
	at->could_violate = c->foreign_reads || (times && !c->times_hold);
	if (!at->could_violate) {
		text_addf(pool, t,
		          "nothing in this history could have violated %s: no committed "
		          "transaction reads a key%s that another one writes. Let transactions "
		          "read what others write",
		          level->name, c->counts.queries ? ", or asks for keys," : "");
		return;
	}
	const struct level *reached = go_down(pool, c, level, times, &why);
	bool as_much = reached == level;
	at->says_no_more_than = reached->name;
	if (!as_much)
		text_addf(pool, t, "at %s this history says no more than at %s: %s. ", level->name,
		          at->says_no_more_than, text_string(pool, &why));
	else if (asked && !times)
		text_addf(pool, t, "clients' clocks were to count, but %s. ", no_times);
	else
		return;
	if (as_much || (level->rules.realtime && reached == level_below(level)))
		text_addf(pool, t, "Record when transactions begin and end");
	else
		text_addf(pool, t, "Let several sessions read and write the same keys%s",
		          asked && !times ? ", and record when transactions begin and end" : "");
}

void coverage_at(struct pool *pool, const struct coverage *c, const struct check_options *options,
                 alibi_result *result)
{
	alibi_coverage at = c->counts;
	text_vec t = {0};
	if (options->order == ALIBI_ORDER_NONE) {
		say_by_search(pool, c, options, &at, &t);
	} else {
		at.could_violate = true;
		at.says_no_more_than = options->level->name;
		if (!c->foreign_reads && !c->queries)
			text_addf(pool, &t,
			          "no committed transaction reads a key that another one writes, "
			          "so only the timestamps themselves were checked. Let "
			          "transactions read what others write");
	}
	if (t.count && result->verdict == ALIBI_VALID)
		at.warning = text_string(pool, &t);
	if (result->verdict == ALIBI_VIOLATES)
		at.warning = c->overlap;
	at.counted = true;
	result->coverage = at; /* all of it, or nothing if a limit ends this */
}
