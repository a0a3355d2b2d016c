/*
 * explain: why a history violates a level, in words, with the few transactions that
 * show it.
 */
#include "choices.h"
#include "job.h"
#include "level_choice.h"
#include "output.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

struct explain_values {
	struct load_values load;
	const char *level, *order, *session_order, *reduced;
	unsigned long long clock_skew;
	bool assume_time_order, json;
};

#define NO_SKEW ULLONG_MAX

static const char *const order_names[] = {"search", "timestamps", NULL};
static const char *const on_off[] = {"on", "off", NULL};

static const struct option options[] = {
        {"level", OPTION_NAME, "LEVEL",
         "the isolation level to check; otherwise the one that the history's header claims",
         offsetof(struct explain_values, level), level_choices},
        {"order", OPTION_CHOICE, "ORDER",
         "where the order of events comes from, as for check (search)",
         offsetof(struct explain_values, order), order_names},
        {"session-order", OPTION_CHOICE, "on|off",
         "off: transactions of one session may come in any order (on)",
         offsetof(struct explain_values, session_order), on_off},
        {"clock-skew", OPTION_COUNT, "D", "the clients' clocks differ by at most D, as for check",
         offsetof(struct explain_values, clock_skew), NULL},
        {"assume-time-order", OPTION_FLAG, NULL,
         "let the clients' clocks count at pc, si and ser, too, not only at sser",
         offsetof(struct explain_values, assume_time_order), NULL},
        {"reduced", OPTION_TEXT, "FILE",
         "write the transactions of the first violation as a history of their own",
         offsetof(struct explain_values, reduced), NULL},
        {"json", OPTION_FLAG, NULL, "print one JSON object", offsetof(struct explain_values, json),
         NULL},
        LOAD_OPTIONS(struct explain_values),
        {0},
};

/* ---- JSON ---- */

static void print_json_edge(const alibi_anomaly *a, const alibi_edge *e)
{
	bool first = true;
	putchar('{');
	json_member_raw(&first, "from", a->txns[e->from]);
	json_member_raw(&first, "to", a->txns[e->to]);
	json_member_text(&first, "kind", e->kind);
	json_member_raw(&first, "key", e->key);
	json_member_text(&first, "text", e->text);
	putchar('}');
}

static void print_json_case(const alibi_anomaly *a, const alibi_case *c)
{
	bool first = true;
	putchar('{');
	json_member_text(&first, "assumption", c->assumption);
	json_member_text(&first, "text", c->text);
	json_open_member(&first, "edges");
	putchar('[');
	for (size_t i = 0; i < c->edge_count; i++) {
		fputs(i ? "," : "", stdout);
		print_json_edge(a, &c->edges[i]);
	}
	fputs("]}", stdout);
}

static void print_json_anomaly(const alibi_anomaly *a)
{
	bool first = true;
	putchar('{');
	json_member_text(&first, "name", a->name);
	json_member_text(&first, "title", a->title);
	json_member_text(&first, "adya", a->adya);
	json_member_text(&first, "summary", a->summary);
	json_open_member(&first, "txns");
	putchar('[');
	for (size_t i = 0; i < a->txn_count; i++)
		printf("%s%s", i ? "," : "", a->txns[i]);
	putchar(']');
	json_member_raw(&first, "lists_cut", a->lists_cut ? "true" : "false");
	json_open_member(&first, "cases");
	putchar('[');
	for (size_t i = 0; i < a->case_count; i++) {
		fputs(i ? "," : "", stdout);
		print_json_case(a, &a->cases[i]);
	}
	fputs("]}", stdout);
}

static void print_json(const char *path, const alibi_result *r, const alibi_explanation *e)
{
	bool first = true;
	putchar('{');
	json_member_text(&first, "file", path);
	json_member_text(&first, "level", r->level);
	json_member_text(&first, "verdict", alibi_verdict_name(r->verdict));
	json_member_count(&first, "count", e ? e->count : 0);
	json_member_raw(&first, "counted_all", !e || e->counted_all ? "true" : "false");
	json_open_member(&first, "anomalies");
	putchar('[');
	for (size_t i = 0; e && i < e->count; i++) {
		fputs(i ? "," : "", stdout);
		print_json_anomaly(&e->anomalies[i]);
	}
	puts("]}");
}

/* ---- text ---- */

static void print_case(const alibi_case *c, bool several)
{
	const char *indent = several ? "    " : "  ";
	if (several && c->assumption)
		printf("  If %s:\n", c->assumption);
	for (size_t i = 0; i < c->edge_count; i++)
		printf("%s%s  %s\n", indent, c->edges[i].kind, c->edges[i].text);
	if (c->edge_count)
		printf("%s%s.\n", indent, c->text);
}

static void print_anomaly(const alibi_anomaly *a)
{
	print_coloured(COLOUR_BAD, a->title);
	if (a->adya && strcmp(a->adya, a->name) != 0)
		printf(" (%s, %s)\n", a->name, a->adya);
	else
		printf(" (%s)\n", a->name);
	printf("  %s.\n  Transactions: ", a->summary);
	for (size_t i = 0; i < a->txn_count; i++)
		printf("%s%s", i ? ", " : "", a->txns[i]);
	putchar('\n');
	if (a->lists_cut)
		puts("  Lists are shown with the elements that these transactions appended.");
	for (size_t i = 0; i < a->case_count; i++)
		print_case(&a->cases[i], a->case_count > 1);
}

static void print_text(const char *path, const alibi_result *r, const alibi_explanation *e)
{
	printf("%s\t%s\n", path, alibi_verdict_name(r->verdict));
	if (r->reason)
		printf("  %s\n", r->reason);
	for (size_t i = 0; e && i < e->count; i++) {
		putchar('\n');
		print_anomaly(&e->anomalies[i]);
	}
	if (e && (e->count > 1 || !e->counted_all))
		printf("\n%zu violation%s shown%s\n", e->count, e->count == 1 ? "" : "s",
		       e->counted_all ? "" : "; there may be more");
}

/* ---- the command ---- */

static int complain(struct job *job)
{
	job_quiet(job);
	fprintf(stderr, "alibi explain: %s\n", alibi_last_error(job->alibi)->text);
	return job_exit_code(job);
}

static void print_all(const char *path, const struct explain_values *v, const alibi_result *r,
                      const alibi_explanation *e)
{
	if (v->json)
		print_json(path, r, e);
	else
		print_text(path, r, e);
}

static int explain_loaded(struct job *job, const char *path, const alibi_history *h,
                          const struct explain_values *v, const alibi_check_options *asked)
{
	static const int codes[] = {EXIT_VALID, EXIT_VIOLATES, EXIT_UNDECIDED};
	const alibi_result *r = alibi_check(job->alibi, h, asked);
	if (!r)
		return complain(job);
	const alibi_explanation *e = NULL;
	if (r->verdict == ALIBI_VIOLATES)
		e = alibi_explain(job->alibi, h, asked, r);
	if (r->verdict == ALIBI_VIOLATES && !e)
		complain(job);
	job_quiet(job);
	print_all(path, v, r, e);
	if (e && v->reduced &&
	    job_save(job, "explain", e->anomalies[0].reduced, v->reduced, "alibi"))
		return EXIT_BROKEN;
	return codes[r->verdict];
}

static int explain_one(const char *path, const struct explain_values *v)
{
	struct job job = job_start(&v->load);
	const alibi_history *h = job_load(&job, path, &v->load);
	const char *level = v->level;
	struct level_choice choice;
	int code;
	if (h && !level)
		level = alibi_history_stats(h).claimed_level;
	if (!h) {
		code = complain(&job);
	} else if (!level || !level_choose(&choice, level, v->session_order)) {
		fprintf(stderr, "alibi explain: %s: %s\n", path,
		        level ? choice.why : "which level? The history claims none; say --level");
		code = EXIT_USAGE;
	} else {
		alibi_check_options asked = {
		        .level = choice.level,
		        .order = !strcmp(v->order, "search") ? ALIBI_ORDER_NONE
		                                             : ALIBI_ORDER_TIMESTAMPS,
		        .ignore_sessions = choice.ignore_sessions,
		        .assume_time_order = v->assume_time_order,
		        .has_clock_skew = v->clock_skew != NO_SKEW,
		        .clock_skew = v->clock_skew,
		};
		code = explain_loaded(&job, path, h, v, &asked);
	}
	job_end(&job);
	return code;
}

static int run(int argc, char **argv)
{
	struct explain_values v = {.order = "search", .clock_skew = NO_SKEW};
	struct words files;
	if (!options_parse("explain", options, argc, argv, &v, &files))
		return EXIT_USAGE;
	if (files.count != 1) {
		fputs("alibi explain: name one history, or - for standard input\n", stderr);
		return EXIT_USAGE;
	}
	return explain_one(files.items[0], &v);
}

const struct command cmd_explain = {
        .name = "explain",
        .words = "HISTORY",
        .summary = "show why a history violates an isolation level",
        .details =
                "Checks the history, and tells of each violation what it is called, which "
                "transactions show it, and why they contradict each other. These are as few as "
                "can be: without any one of them, or of their operations, there is no violation. "
                "Violations that rest on other reads are listed apart, the simplest first, at "
                "most ten. Exits as check does.",
        .options = options,
        .run = run,
};
