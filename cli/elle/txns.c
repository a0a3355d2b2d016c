/* txns: see txns.h. */
#include "txns.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 2, 3))) say(struct elle_run *r, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(r->why, sizeof r->why, format, args);
	va_end(args);
}

static void leave_open(struct elle_run *r, const struct elle_goal *g, const char *why)
{
	if (r->verdict != ALIBI_VALID)
		return;
	r->verdict = ALIBI_UNKNOWN;
	say(r, "%s: %s", g->name, why);
}

/* Whether one goal holds. */
static void judge_goal(struct elle_run *r, const struct elle_goal *g)
{
	alibi *job = r->job->alibi;
	alibi_check_options asked = {ALIBI_INIT(alibi_check_options), .level = g->level,
	                             .ignore_sessions = g->ignore_sessions,
	                             .assume_time_order = g->time_order, .require_txns = 1};
	double seconds = (double)r->asked->cycle_search_timeout / 1000;
	if (seconds > 0)
		alibi_set_timeout(job, seconds);
	const alibi_result *result = alibi_check(job, r->history, &asked);
	if (!result) {
		leave_open(r, g, alibi_last_error(job)->text);
		return;
	}
	alibi_finding f = {ALIBI_INIT(alibi_finding),
	                   .level = g->level,
	                   .asked = g->is_model && !g->forbidden_count ? g->name : NULL,
	                   .whose = g->is_model && !g->forbidden_count ? "Elle" : NULL,
	                   .ignore_sessions = g->ignore_sessions,
	                   .result = result};
	if (alibi_result_verdict(result) == ALIBI_UNKNOWN)
		leave_open(r, g, alibi_result_reason(result));
	if (alibi_result_verdict(result) != ALIBI_VIOLATES) {
		if (r->verdict == ALIBI_VALID)
			r->finding = f;
		return;
	}
	if (g->forbidden_count || r->asked->directory || r->asked->verbose)
		f.explanation = alibi_explain(job, r->history, &asked, result);
	if (!elle_goal_refuted(job, g, f.explanation)) {
		leave_open(r, g,
		           "a stronger level is violated, and whether this one is remains open");
		return;
	}
	r->verdict = ALIBI_VIOLATES;
	r->finding = f;
	say(r, "%s", g->name);
}

static bool is_time_order_asked(const struct elle_goals *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->items[i].time_order || !strcmp(g->items[i].level, "sser"))
			return true;
	return false;
}

static bool judge(struct elle_run *r)
{
	const struct elle_goals *goals = &r->asked->goals;
	for (size_t i = 0; i < goals->count && r->verdict != ALIBI_VIOLATES; i++) {
		judge_goal(r, &goals->items[i]);
		/* What holds there holds everywhere. */
		if (!strcmp(goals->items[i].level, "sser") && r->verdict == ALIBI_VALID)
			break;
	}
	if (r->verdict == ALIBI_VALID && !stats_of(r->history).with_client_times &&
	    is_time_order_asked(goals)) {
		r->verdict = ALIBI_UNKNOWN;
		say(r, "no operation has an :index or a :time, so that real time is not known; "
		       "number the operations, or ask for strong-session-serializable");
	}
	return true;
}

bool judge_list_append(struct elle_run *r)
{
	if (!elle_load(r))
		return false;
	if (stats_of(r->history).writes) {
		say(r,
		    "%s: this history writes registers (:w); list-append has only :append and "
		    ":r. Say --model rw-register",
		    r->path);
		return false;
	}
	return judge(r);
}

bool judge_rw_register(struct elle_run *r)
{
	if (!elle_load(r))
		return false;
	alibi_stats stats = stats_of(r->history);
	if (stats.appends || stats.list_reads) {
		say(r,
		    "%s: this history has lists (:append); rw-register has only :w and :r. Say "
		    "--model list-append",
		    r->path);
		return false;
	}
	return judge(r);
}
