/* check_histories: see check_histories.h. */
#include "check_histories.h"

#include "choices.h"
#include "job.h"
#include "level_choice.h"
#include "next_command.h"
#include "output.h"
#include "reporting.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

struct check_values {
	struct load_values load;
	const char *level, *expect, *order, *timestamps, *session_order;
	unsigned long long require_txns, max_violations, clock_skew, threads;
	double min_commits;
	bool assume_time_order;
	struct report_values report;
	/* No options: */
	bool explain;
	const char *expected;     /* with --level all, by Alibi's name; NULL: the claimed level */
	const struct text *again; /* the options for another run */
};

static const char *const order_names[] = {"search", "timestamps", NULL};
#define NO_SKEW ULLONG_MAX

static const char *const on_off[] = {"on", "off", NULL};

const struct option check_options[] = {
        {"level", OPTION_NAME, "LEVEL",
         "the isolation level to check, also by a name that others have for it (alibi levels), one "
         "that alibi synth has formulas of, a file of formulas that ends in .level, or all; "
         "otherwise the one that the history's header claims",
         offsetof(struct check_values, level), formula_level_choices},
        {"expect", OPTION_NAME, "LEVEL",
         "the level that must hold: with --level all it decides the exit code and the colour of "
         "reports, whatever the history claims; without --level it is the level to check",
         offsetof(struct check_values, expect), formula_level_choices},
        {"order", OPTION_CHOICE, "ORDER",
         "where the order of events comes from: search finds one or proves that there is none, "
         "timestamps replays the database's own start_ts and commit_ts (search)",
         offsetof(struct check_values, order), order_names},
        {"timestamps", OPTION_CHOICE, "MEANING",
         "what commit_ts is for --order timestamps: snapshot, the order of versions only, or "
         "serial, "
         "also the order in which the transactions are serial (what the history says, or snapshot)",
         offsetof(struct check_values, timestamps), timestamp_choices},
        {"session-order", OPTION_CHOICE, "on|off",
         "off: transactions of one session may come in any order (on)",
         offsetof(struct check_values, session_order), on_off},
        {"clock-skew", OPTION_COUNT, "D",
         "the clients' clocks differ by at most D, in their own unit: a transaction comes before "
         "another if it ended more than D before that began (what the history says, or 0)",
         offsetof(struct check_values, clock_skew), NULL},
        {"assume-time-order", OPTION_FLAG, NULL,
         "let the clients' clocks count at pc, si and ser, too, not only at sser",
         offsetof(struct check_values, assume_time_order), NULL},
        {"require-txns", OPTION_COUNT, "N",
         "say unknown unless at least N transactions committed (1)",
         offsetof(struct check_values, require_txns), NULL},
        {"min-commits", OPTION_SHARE, "SHARE",
         "say unknown instead of valid of a recording in which less than this share of the time "
         "had "
         "commits (0.5)",
         offsetof(struct check_values, min_commits), NULL},
        {"max-violations", OPTION_COUNT, "N", "describe at most N violations a history (100)",
         offsetof(struct check_values, max_violations), NULL},
        {"threads", OPTION_COUNT, "N",
         "search independent components of the history on up to N threads (1)",
         offsetof(struct check_values, threads), NULL},
        REPORT_OPTIONS(struct check_values),
        LOAD_OPTIONS(struct check_values),
        {0},
};

enum { THREADS_MAX = 1024, NAMING_SECONDS = 1 };

/* What came out about one history. */
struct outcome {
	int exit_code;
	struct level_choice choice;
	alibi_finding finding;            /* at one level, … */
	alibi_finding levels[LEVELS_MAX]; /* … or at all */
	const alibi_levels *all;          /* NULL: it was one */
	alibi_error error;                /* if it is one of ours */
};

static void fail(struct outcome *o, const struct job *job)
{
	o->exit_code = job_exit_code(job);
	o->finding.error = alibi_last_error(job->alibi);
}

static void refuse(struct outcome *o, const char *why)
{
	o->exit_code = EXIT_USAGE;
	o->error = (alibi_error){ALIBI_INIT(alibi_error), .code = ALIBI_USAGE, .text = why};
	o->finding.error = &o->error;
}

/* The level that was chosen, or that the history claims; false: there is none. */
static bool choose_level(struct outcome *o, const alibi_history *h, const struct check_values *v)
{
	const char *claimed = stats_of(h).claimed_level;
	if (!o->choice.level && !claimed)
		refuse(o, "which level? The history claims none; say --level");
	else if (!o->choice.level && !level_choose_any(&o->choice, claimed, v->session_order))
		refuse(o, o->choice.why);
	if (o->finding.error)
		return false;
	o->finding.level = o->choice.level;
	o->finding.asked = o->choice.alias;
	o->finding.whose = o->choice.whose;
	o->finding.ignore_sessions = o->choice.ignore_sessions;
	return true;
}

/* The level that the history claims, as one of Alibi's; NULL: none. */
static const char *claimed_level(const alibi_history *h, bool ignore_sessions)
{
	struct level_choice c;
	const char *claimed = stats_of(h).claimed_level;
	return claimed && level_choose(&c, claimed, ignore_sessions ? "off" : "on") ? c.level
	                                                                            : NULL;
}

/* Why it violates the level. If that takes too long, the verdict still stands. */
static void explain(alibi_finding *f, struct job *job, const alibi_history *h,
                    const alibi_check_options *asked)
{
	alibi_check_options one = *asked;
	one.level = f->level;
	f->explanation = alibi_explain(job->alibi, h, &one, f->result);
	if (!f->explanation && asked->explain_seconds <= 0) {
		clear_status();
		print_error(NULL, "there is no explanation: %s",
		            alibi_last_error(job->alibi)->text);
	}
}

/* Of all levels that do not hold, the weakest that can be explained in time is: what violates it
 * violates the stronger ones. */
static void check_all_levels(struct outcome *o, struct job *job, const alibi_history *h,
                             const alibi_check_options *asked, bool explained)
{
	o->all = job_check_all(job, h, asked);
	if (!o->all) {
		fail(o, job);
		return;
	}
	reporting_levels(o->all, asked->ignore_sessions, o->levels);
	for (size_t i = 0; explained && i < alibi_levels_count(o->all); i++) {
		if (alibi_result_verdict(alibi_levels_at(o->all, i)) != ALIBI_VIOLATES)
			continue;
		explain(&o->levels[i], job, h, asked);
		explained = !o->levels[i].explanation;
	}
}

static void check_loaded(struct outcome *o, struct job *job, const alibi_history *h,
                         const struct check_values *v)
{
	if (!choose_level(o, h, v))
		return;
	alibi_check_options asked = {
	        ALIBI_INIT(alibi_check_options),
	        .level = o->finding.level,
	        .order = !strcmp(v->order, "search") ? ALIBI_ORDER_NONE : ALIBI_ORDER_TIMESTAMPS,
	        .timestamps = v->timestamps,
	        .ignore_sessions = o->choice.ignore_sessions,
	        .assume_time_order = v->assume_time_order,
	        .has_clock_skew = v->clock_skew != NO_SKEW,
	        .clock_skew = v->clock_skew,
	        .require_txns = v->require_txns,
	        .min_commits = min_commits(v->min_commits),
	        .max_violations = v->max_violations,
	        .threads = v->threads > THREADS_MAX ? THREADS_MAX : (unsigned)v->threads,
	};
	bool explained = v->explain || reporting_explains(&v->report);
	if (!explained && !v->report.quiet && asked.order == ALIBI_ORDER_NONE) {
		asked.explain_seconds = NAMING_SECONDS;
		explained = true;
	}
	if (!strcmp(asked.level, "all")) {
		check_all_levels(o, job, h, &asked, explained);
		return;
	}
	const alibi_result *r = alibi_check(job->alibi, h, &asked);
	if (!r) {
		fail(o, job);
		return;
	}
	o->finding.result = r;
	o->exit_code = reporting_exit_code(alibi_result_verdict(r));
	if (explained && alibi_result_verdict(r) == ALIBI_VIOLATES)
		explain(&o->finding, job, h, &asked);
}

static bool has_unwritten_read(const alibi_explanation *e)
{
	for (size_t i = 0; e && i < alibi_explanation_anomaly_count(e); i++)
		if (!strcmp(alibi_anomaly_name(alibi_explanation_anomaly_at(e, i)),
		            "unwritten-read"))
			return true;
	return false;
}

/* The command that explains the weakest level that is violated, or that takes first reads as
 * initial values. */
static void say_next(const alibi_reported *reported, const struct check_values *v)
{
	for (size_t i = 0; i < reported->finding_count; i++) {
		const alibi_finding *f = &reported->findings[i];
		char level[32] = "";
		if (!f->result || alibi_result_verdict(f->result) != ALIBI_VIOLATES)
			continue;
		if (reported->finding_count > 1)
			snprintf(level, sizeof level, " --level %s", f->level);
		if (has_unwritten_read(f->explanation))
			next_print("to take such values as initial", "check", v->again,
			           reported->finding_count > 1 ? " --level all --initial first-read"
			                                       : " --initial first-read",
			           reported->name);
		if (!v->explain)
			next_print("to see why", "explain", v->again, level, reported->name);
		return;
	}
}

static int check_path(const char *path, const struct check_values *v,
                      const struct level_choice *choice, struct reporting *reporting)
{
	struct job job = job_start(&v->load);
	job_interruptible(&job);
	struct outcome o = {.choice = *choice,
	                    .finding = {ALIBI_INIT(alibi_finding), .level = choice->level}};
	double before = cpu_seconds();
	const alibi_history *h = job_load(&job, path, &v->load);
	double load_seconds = cpu_seconds() - before;
	if (h)
		check_loaded(&o, &job, h, v);
	else
		fail(&o, &job);
	clear_status();
	alibi_reported reported = {ALIBI_INIT(alibi_reported),
	                           .name = path,
	                           .history = h,
	                           .finding_count = 1,
	                           .findings = &o.finding,
	                           .seconds = job_seconds(&job),
	                           .load_seconds = load_seconds,
	                           .peak_bytes = alibi_peak_bytes(job.alibi)};
	if (o.all) {
		reported.finding_count = alibi_levels_count(o.all);
		reported.findings = o.levels;
		reported.strongest = alibi_levels_strongest(o.all);
		reported.claimed = claimed_level(h, o.choice.ignore_sessions);
		reported.expected = v->expected;
		reported.verdict = reporting_verdict(o.all, reported.expected ? reported.expected
		                                                              : reported.claimed);
		o.exit_code = reporting_exit_code(reported.verdict);
	}
	bool open = o.all && !reported.expected && !reported.claimed &&
	            reported.verdict == ALIBI_UNKNOWN;
	if (!reporting_add(reporting, &reported))
		o.exit_code = EXIT_BROKEN;
	if (!v->report.quiet && !v->report.json)
		say_next(&reported, v);
	if (open && !v->report.quiet)
		print_to(stderr, "alibi: name the level that must hold with --expect LEVEL\n");
	job_end(&job);
	return o.exit_code;
}

/* Of several histories the worst counts, in this order. */
static int worse(int a, int b)
{
	static const int order[] = {EXIT_USAGE, EXIT_VIOLATES, EXIT_BROKEN, EXIT_UNDECIDED};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return EXIT_VALID;
}

/* What --level and --expect say; false: it was complained. */
static bool choose(const char *command, struct check_values *v, struct level_choice *choice)
{
	bool all = v->level && !strcmp(v->level, "all");
	if (v->level && v->expect && !all) {
		print_error(command,
		            "--level %s is what must hold; leave out --expect, or say --level all",
		            v->level);
		return false;
	}
	const char *name = all || !v->level ? v->expect : v->level;
	const char *option = v->expect ? "expect" : "level";
	bool chosen = !name || (all ? level_option : level_option_any)(choice, command, option,
	                                                               name, v->session_order);
	if (!chosen)
		return false;
	if (!all)
		return true;
	v->expected = choice->level;
	bool off = v->session_order && !strcmp(v->session_order, "off");
	*choice = (struct level_choice){.level = v->level,
	                                .ignore_sessions = name ? choice->ignore_sessions : off};
	return true;
}

static int check_asked(const char *command, bool explain_always, int argc, char **argv,
                       const struct text *again)
{
	struct check_values v = {.order = "search",
	                         .require_txns = 1,
	                         .min_commits = MIN_COMMITS_NOT_SAID,
	                         .max_violations = 100,
	                         .clock_skew = NO_SKEW,
	                         .explain = explain_always,
	                         .again = again};
	struct level_choice choice = {0};
	struct reporting reporting;
	struct words files;
	int worst = EXIT_VALID;
	if (!options_parse(command, check_options, argc, argv, &v, &files))
		return EXIT_USAGE;
	if (!files.count) {
		print_error(command, "which history? Name one or more files, or - for standard "
		                     "input");
		return EXIT_USAGE;
	}
	if (!choose(command, &v, &choice))
		return EXIT_USAGE;
	if (v.timestamps && strcmp(v.order, "timestamps") != 0) {
		print_error(command,
		            "--timestamps says how --order timestamps takes them; a search "
		            "does not depend on it");
		return EXIT_USAGE;
	}
	if (v.report.certificate && !strcmp(v.order, "timestamps")) {
		print_error(command, "--certificate is of what a search found; leave out --order "
		                     "timestamps");
		return EXIT_USAGE;
	}
	if (v.report.certificate && (files.count > 1 || (v.level && !strcmp(v.level, "all")))) {
		print_error(command, "--certificate is for one history at one level");
		return EXIT_USAGE;
	}
	if (!reporting_start(&reporting, command, &v.report, &files))
		return EXIT_USAGE;
	for (int i = 0; i < files.count; i++) {
		if (job_interrupted()) {
			print_error(command, "interrupted; not checked: %s%s", files.items[i],
			            i + 1 < files.count ? " and what follows" : "");
			worst = worse(worst, EXIT_UNDECIDED);
			break;
		}
		worst = worse(worst, check_path(files.items[i], &v, &choice, &reporting));
	}
	return reporting_end(&reporting) ? worst : worse(worst, EXIT_BROKEN);
}

int check_histories(const char *command, bool explain_always, int argc, char **argv)
{
	struct text again = next_options(check_options, argc, argv);
	int code = check_asked(command, explain_always, argc, argv, &again);
	text_release(&again);
	return code;
}
