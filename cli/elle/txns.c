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

/* For the next search. What is left of --timeout, which is for all of them, may be less. */
static void set_timeout(const struct elle_run *r)
{
	double seconds = (double)r->asked->cycle_search_timeout / 1000;
	double left = r->asked->load.timeout - job_seconds(r->job);
	if (seconds > 0 && r->asked->load.timeout > 0 && left < seconds)
		seconds = left > 0.001 ? left : 0.001;
	if (seconds > 0)
		alibi_set_timeout(r->job->alibi, seconds);
}

static alibi_check_options options_of(enum elle_scope scope, const char *level)
{
	return (alibi_check_options){ALIBI_INIT(alibi_check_options), .level = level,
	                             .ignore_sessions = scope == ELLE_DATA,
	                             .assume_time_order = scope == ELLE_REALTIME,
	                             .require_txns = 1};
}

/* The weakest level that is violated without real time; NULL: none is. */
static const alibi_result *weakest(struct elle_run *r, enum elle_scope scope)
{
	alibi_check_options asked = options_of(scope, NULL);
	const alibi_result *next;
	set_timeout(r);
	const alibi_levels *all = alibi_check_all(r->job->alibi, r->history, &asked);
	for (size_t i = 0; all && (next = alibi_levels_at(all, i)); i++)
		if (alibi_result_verdict(next) == ALIBI_VIOLATES &&
		    strcmp(alibi_result_level(next), "sser") != 0)
			return next;
	return NULL;
}

/* The weakest level with real time that is one of Elle's models. */
static const alibi_result *weakest_in_time(struct elle_run *r)
{
	alibi_check_options asked = options_of(ELLE_REALTIME, "si");
	set_timeout(r);
	const alibi_result *result = alibi_check(r->job->alibi, r->history, &asked);
	return result && alibi_result_verdict(result) == ALIBI_VIOLATES ? result : NULL;
}

/* Explains the weakest level that is violated, with as little besides data as possible: what
 * violates it is the anomaly, whatever was asked for. */
static void explain_weakest(struct elle_run *r, enum elle_scope most)
{
	const alibi_result *found = NULL;
	for (enum elle_scope scope = ELLE_DATA; scope <= most && !found; scope++) {
		found = scope == ELLE_REALTIME ? weakest_in_time(r) : weakest(r, scope);
		if (!found)
			continue;
		r->scope = scope;
		r->finding = (alibi_finding){
		        ALIBI_INIT(alibi_finding), .level = alibi_result_level(found),
		        .ignore_sessions = scope == ELLE_DATA, .result = found};
	}
	alibi_check_options asked = options_of(r->scope, r->finding.level);
	set_timeout(r);
	r->finding.explanation =
	        alibi_explain(r->job->alibi, r->history, &asked, r->finding.result);
}

/* Whether one goal holds. */
static void judge_goal(struct elle_run *r, const struct elle_goal *g)
{
	alibi *job = r->job->alibi;
	enum elle_scope scope = g->ignore_sessions ? ELLE_DATA
	                        : g->time_order    ? ELLE_REALTIME
	                                           : ELLE_PROCESS;
	alibi_check_options asked = options_of(scope, g->level);
	set_timeout(r);
	const alibi_result *result = alibi_check(job, r->history, &asked);
	if (!result) {
		leave_open(r, g, alibi_last_error(job)->text);
		return;
	}
	if (alibi_result_verdict(result) == ALIBI_UNKNOWN)
		leave_open(r, g, alibi_result_reason(result));
	alibi_finding f = {ALIBI_INIT(alibi_finding), .level = g->level,
	                   .ignore_sessions = g->ignore_sessions, .result = result};
	if (r->verdict == ALIBI_VALID)
		r->finding = f;
	if (alibi_result_verdict(result) != ALIBI_VIOLATES)
		return;
	if (g->forbidden_count)
		f.explanation = alibi_explain(job, r->history, &asked, result);
	if (!elle_goal_refuted(job, g, f.explanation)) {
		leave_open(r, g,
		           "a stronger level is violated, and whether this one is remains open");
		return;
	}
	r->verdict = ALIBI_VIOLATES;
	r->finding = f;
	r->scope = !strcmp(g->level, "sser") ? ELLE_REALTIME : scope;
	say(r, "%s", g->name);
	if (r->asked->explain && !f.explanation)
		explain_weakest(r, r->scope);
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
		say(r, "only some operations have an :index or a :time, so that real time is not "
		       "known; number them all, or ask for strong-session-serializable");
	}
	return true;
}

bool judge_list_append(struct elle_run *r)
{
	r->model = "list-append";
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
	r->model = "rw-register";
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
