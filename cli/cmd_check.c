/*
 * check: a verdict for each history, and an exit code for CI.
 */
#include "check_all.h"
#include "choices.h"
#include "job.h"
#include "level_choice.h"
#include "output.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct check_values {
	struct load_values load;
	const char *level, *order, *session_order, *certificate;
	unsigned long long require_txns, max_violations, clock_skew;
	bool assume_time_order;
	bool json, quiet;
};

static const char *const order_names[] = {"search", "timestamps", NULL};
#define NO_SKEW ULLONG_MAX

static const char *const on_off[] = {"on", "off", NULL};

static const struct option options[] = {
        {"level", OPTION_NAME, "LEVEL",
         "the isolation level to check, also by a name that others have for it (alibi levels), or "
         "all; otherwise the one that the history's header claims",
         offsetof(struct check_values, level), level_choices},
        {"order", OPTION_CHOICE, "ORDER",
         "where the order of events comes from: search finds one or proves that there is none, "
         "timestamps replays the database's own start_ts and commit_ts (search)",
         offsetof(struct check_values, order), order_names},
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
        {"certificate", OPTION_TEXT, "FILE",
         "write what proves the verdict, for alibi verify (of one history)",
         offsetof(struct check_values, certificate), NULL},
        {"require-txns", OPTION_COUNT, "N",
         "say unknown unless at least N transactions committed (1)",
         offsetof(struct check_values, require_txns), NULL},
        {"max-violations", OPTION_COUNT, "N", "describe at most N violations a history (100)",
         offsetof(struct check_values, max_violations), NULL},
        {"json", OPTION_FLAG, NULL, "print one JSON object a history",
         offsetof(struct check_values, json), NULL},
        {"quiet", OPTION_FLAG, NULL, "print only the verdicts",
         offsetof(struct check_values, quiet), NULL},
        LOAD_OPTIONS(struct check_values),
        {0},
};

/* Everything there is to say about one history. */
struct outcome {
	const char *path;
	int exit_code;
	alibi_stats stats; /* all 0 if it did not load */
	const char *level;
	struct level_choice choice;
	const char *verdict;
	const char *reason;             /* of unknown and error */
	const alibi_result *result;     /* NULL: there is none */
	const alibi_levels *all;        /* with --level all; else NULL */
	const alibi_coverage *coverage; /* of the verdict, or of the strongest level that holds */
	double seconds;
	size_t peak_bytes;
};

static void print_json_violation(const alibi_violation *v)
{
	bool first = true;
	putchar('{');
	json_member_text(&first, "kind", v->kind);
	json_open_member(&first, "txns");
	printf("[%s%s%s]", v->txn ? v->txn : "", v->other ? "," : "", v->other ? v->other : "");
	if (v->key)
		json_member_raw(&first, "key", v->key);
	if (v->expected)
		json_member_raw(&first, "expected", v->expected);
	if (v->found)
		json_member_raw(&first, "found", v->found);
	json_member_text(&first, "text", v->text);
	putchar('}');
}

static void print_json_coverage(const alibi_coverage *c)
{
	bool first = true;
	putchar('{');
	json_member_count(&first, "reads", c->reads);
	json_member_count(&first, "contended_reads", c->contended_reads);
	json_member_count(&first, "contended_keys", c->contended_keys);
	json_member_count(&first, "conflicts", c->conflicts);
	if (c->has_client_times)
		json_member_count(&first, "overlapping_conflicts", c->overlapping_conflicts);
	json_member_count(&first, "conflicting_sessions", c->conflicting_sessions);
	json_member_raw(&first, "could_violate", c->could_violate ? "true" : "false");
	json_member_text(&first, "says_no_more_than", c->says_no_more_than);
	putchar('}');
}

static void print_json(const struct outcome *o)
{
	bool first = true;
	putchar('{');
	json_member_text(&first, "file", o->path);
	json_member_text(&first, "format", o->stats.format);
	json_member_text(&first, "level", o->level);
	if (o->choice.alias)
		json_member_text(&first, "level_asked", o->choice.alias);
	json_member_text(&first, "session_order", o->choice.ignore_sessions ? "off" : "on");
	json_member_text(&first, "verdict", o->verdict);
	if (o->reason)
		json_member_text(&first, "reason", o->reason);
	if (o->result && o->result->basis)
		json_member_text(&first, "basis", o->result->basis);
	json_member_count(&first, "txns", o->stats.txns);
	json_member_count(&first, "committed", o->stats.committed);
	json_member_count(&first, "aborted", o->stats.aborted);
	json_member_count(&first, "unknown", o->stats.unknown);
	json_member_count(&first, "sessions", o->stats.sessions);
	json_member_count(&first, "ops", o->stats.ops);
	json_member_count(&first, "violation_count", o->result ? o->result->violation_count : 0);
	if (o->all)
		all_print_json(&first, o->all);
	json_open_member(&first, "violations");
	putchar('[');
	for (size_t i = 0; o->result && i < o->result->described; i++) {
		if (i)
			putchar(',');
		print_json_violation(&o->result->violations[i]);
	}
	putchar(']');
	if (o->coverage) {
		json_open_member(&first, "coverage");
		print_json_coverage(o->coverage);
	}
	if (o->coverage && o->coverage->warning)
		json_member_text(&first, "warning", o->coverage->warning);
	printf(",\"seconds\":%.3f", o->seconds);
	json_member_count(&first, "peak_bytes", o->peak_bytes);
	puts("}");
}

static void print_coverage(const alibi_coverage *c)
{
	if (c->warning) {
		fputs("  ", stdout);
		print_coloured(COLOUR_DOUBT, "warning:");
		printf(" %s\n", c->warning);
	}
	printf("  evidence: %" PRIu64 " of %" PRIu64
	       " reads are of keys with several writers; conflicts between sessions: %" PRIu64,
	       c->contended_reads, c->reads, c->conflicts);
	if (c->has_client_times)
		printf(", at the same time: %" PRIu64, c->overlapping_conflicts);
	putchar('\n');
}

static void print_text(const struct outcome *o, bool quiet)
{
	enum colour colour = o->exit_code == EXIT_VALID      ? COLOUR_GOOD
	                     : o->exit_code == EXIT_VIOLATES ? COLOUR_BAD
	                                                     : COLOUR_DOUBT;
	if (o->all) {
		all_print_text(o->path, o->all, quiet);
		if (!quiet)
			print_coverage(o->coverage);
		return;
	}
	printf("%s\t", o->path);
	print_coloured(colour, o->verdict);
	putchar('\n');
	if (quiet)
		return;
	if (o->choice.alias)
		printf("  at %s (%s), which is %s%s\n", o->choice.alias, o->choice.whose, o->level,
		       o->choice.ignore_sessions ? " with --session-order off" : "");
	if (o->reason)
		printf("  %s\n", o->reason);
	if (!o->result)
		return;
	for (size_t i = 0; i < o->result->described; i++)
		printf("  %-10s %s\n", o->result->violations[i].kind,
		       o->result->violations[i].text);
	if (o->result->violation_count > o->result->described)
		printf("  … %s%" PRIu64 " violations in all; --max-violations shows more\n",
		       o->result->counted_all ? "" : "more than ", o->result->violation_count);
	if (o->result->basis) {
		print_coloured(COLOUR_DIM, "  judged by ");
		print_coloured(COLOUR_DIM, o->result->basis);
		putchar('\n');
	}
	print_coverage(o->coverage);
}

static void fail(struct outcome *o, const struct job *job)
{
	o->exit_code = job_exit_code(job);
	o->verdict = o->exit_code == EXIT_UNDECIDED ? "unknown" : "error";
	o->reason = alibi_last_error(job->alibi)->text;
}

static bool save_certificate(const char *path, const alibi_result *r)
{
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(r->certificate, 1, r->certificate_length, f) == r->certificate_length;
	if (f && fclose(f))
		ok = false;
	if (!ok)
		perror(path);
	return ok;
}

static void judge_all(struct outcome *o, struct job *job, const alibi_history *h,
                      const alibi_check_options *asked)
{
	static const char *const names[] = {"valid", "violates", "unknown"};
	const char *claimed = o->stats.claimed_level;
	struct level_choice c;
	if (claimed && level_choose(&c, claimed, asked->ignore_sessions ? "off" : "on"))
		claimed = c.level;
	o->all = alibi_check_all(job->alibi, h, asked);
	if (!o->all) {
		fail(o, job);
		return;
	}
	for (size_t i = 0; i < o->all->count; i++)
		if (!i || o->all->results[i]->verdict == ALIBI_VALID)
			o->coverage = &o->all->results[i]->coverage;
	o->exit_code = all_exit_code(o->all, claimed);
	o->verdict = names[o->exit_code];
}

static void judge(struct outcome *o, struct job *job, const alibi_history *h,
                  const struct check_values *v)
{
	static const int codes[] = {EXIT_VALID, EXIT_VIOLATES, EXIT_UNDECIDED};
	o->stats = alibi_history_stats(h);
	const char *claimed = o->stats.claimed_level;
	if (!o->level && claimed && level_choose(&o->choice, claimed, v->session_order))
		o->level = o->choice.level;
	if (!o->level) {
		o->exit_code = EXIT_USAGE;
		o->verdict = "error";
		o->reason = claimed ? o->choice.why
		                    : "which level? The history claims none; say --level";
		return;
	}
	alibi_check_options asked = {
	        .level = o->level,
	        .order = !strcmp(v->order, "search") ? ALIBI_ORDER_NONE : ALIBI_ORDER_TIMESTAMPS,
	        .ignore_sessions = o->choice.ignore_sessions,
	        .assume_time_order = v->assume_time_order,
	        .has_clock_skew = v->clock_skew != NO_SKEW,
	        .clock_skew = v->clock_skew,
	        .require_txns = v->require_txns,
	        .max_violations = v->max_violations,
	};
	if (!strcmp(o->level, "all")) {
		judge_all(o, job, h, &asked);
		return;
	}
	o->result = alibi_check(job->alibi, h, &asked);
	if (!o->result) {
		fail(o, job);
		return;
	}
	o->coverage = &o->result->coverage;
	if (v->certificate && o->result->certificate &&
	    !save_certificate(v->certificate, o->result)) {
		o->exit_code = EXIT_BROKEN;
		o->verdict = "error";
		o->reason = "the certificate could not be written";
		return;
	}
	o->exit_code = codes[o->result->verdict];
	o->verdict = alibi_verdict_name(o->result->verdict);
	o->reason = o->result->reason;
}

static int check_one(const char *path, const struct check_values *v,
                     const struct level_choice *choice)
{
	struct job job = job_start(&v->load);
	struct outcome o = {.path = path, .choice = *choice, .level = choice->level};
	const alibi_history *h = job_load(&job, path, &v->load);
	if (h)
		judge(&o, &job, h, v);
	else
		fail(&o, &job);
	o.seconds = job_seconds(&job);
	o.peak_bytes = alibi_peak_bytes(job.alibi);
	job_quiet(&job);
	if (o.exit_code == EXIT_USAGE)
		fprintf(stderr, "alibi check: %s: %s\n", path, o.reason);
	if (v->json)
		print_json(&o);
	else if (o.exit_code != EXIT_USAGE)
		print_text(&o, v->quiet);
	fflush(stdout);
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

static int run(int argc, char **argv)
{
	struct check_values v = {
	        .order = "search", .require_txns = 1, .max_violations = 100, .clock_skew = NO_SKEW};
	struct level_choice choice = {0};
	struct words files;
	int worst = EXIT_VALID;
	if (!options_parse("check", options, argc, argv, &v, &files))
		return EXIT_USAGE;
	if (!files.count) {
		fputs("alibi check: which history? Name one or more files, or - for standard "
		      "input\n",
		      stderr);
		return EXIT_USAGE;
	}
	if (v.level && !strcmp(v.level, "all")) {
		choice.level = v.level;
		choice.ignore_sessions = v.session_order && !strcmp(v.session_order, "off");
	} else if (v.level && !level_choose(&choice, v.level, v.session_order)) {
		fprintf(stderr, "alibi check: --level: %s\n", choice.why);
		return EXIT_USAGE;
	}
	if (v.certificate && (files.count > 1 || (v.level && !strcmp(v.level, "all")))) {
		fputs("alibi check: --certificate is for one history at one level\n", stderr);
		return EXIT_USAGE;
	}
	for (int i = 0; i < files.count; i++)
		worst = worse(worst, check_one(files.items[i], &v, &choice));
	return worst;
}

const struct command cmd_check = {
        .name = "check",
        .words = "HISTORY…",
        .summary = "tell whether histories hold at an isolation level",
        .details =
                "Prints a line for each history, its path, a tab and the verdict (valid, violates "
                "or unknown), and below it what was found. Exits with 0 if all are valid, 1 if one "
                "violates the level, 2 if one is unknown, 255 if one cannot be read, 254 for a "
                "mistake on the command line; of several, the worst of 1, 255, 2 and 0.\n\n"
                "--level all checks every level and names the strongest that holds; it exits with "
                "0 "
                "if the level that the history claims holds (or, if it claims none, any does), 1 "
                "if "
                "not, 2 if something is unknown.\n\n"
                "An order of events that explains every value read is searched for; it is found, "
                "or "
                "shown not to exist, exactly. --certificate keeps the proof, which alibi verify "
                "checks.\n\n"
                "With --order timestamps the order in which the database says it ran the "
                "transactions is replayed, and the verdict is about the history with these "
                "timestamps: a transaction's snapshot has what others committed at or before its "
                "start_ts. At ser all reads are as of the commit_ts.",
        .options = options,
        .run = run,
};
