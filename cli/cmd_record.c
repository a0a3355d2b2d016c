/*
 * record: drives a real database and writes down what its clients saw; see
 * record/README.md.
 */
#include "choices.h"
#include "job.h"
#include "level_choice.h"
#include "output.h"
#include "reporting.h"
#include "runner.h"
#include "schedule.h"
#include "survey.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ANSWER_SECONDS_MAX = 24 * 60 * 60 };

struct record_values {
	const char *isolation, *workload, *level, *out, *to, *schedule;
	unsigned long long sessions, txns, keys, ops, values, seed;
	double duration, answer_timeout, reads, zipf, aborts, min_commits;
	bool check, server_order, unrecorded, cleanup;
	struct load_values load; /* only the limits */
	struct report_values report;
};

static const char *const isolation_names[] = {"read-uncommitted", "read-committed",
                                              "repeatable-read", "serializable", NULL};

static const struct record_values defaults = {
        .isolation = "serializable",
        .workload = "rw",
        .sessions = 8,
        .txns = UINT64_MAX, /* no end */
        .ops = 4,
        .seed = 1,
        .answer_timeout = 30,
        .reads = 0.5,
        .min_commits = MIN_COMMITS_NOT_SAID,
};

#define AT(field) offsetof(struct record_values, field)

static const struct option options[] = {
        {"isolation", OPTION_CHOICE, "LEVEL",
         "what the transactions ask the database for (serializable)", AT(isolation),
         isolation_names},
        {"workload", OPTION_CHOICE, "NAME",
         "what they do (rw): rw reads and writes registers, rmw writes what it has read, blindw "
         "only reads or only writes, append is about lists, bank moves money, predicate "
         "looks for rows by conditions, phantom for what others insert; tpcc, rubis and "
         "twitter are small versions of those benchmarks",
         AT(workload), workload_names},
        {"schedule", OPTION_TEXT, "FILE",
         "instead of a workload, run the steps of this file in their order (alibi synth "
         "--schedule), and say whether the database allowed them: exits with 0 if so, 1 if "
         "not, 2 if that is unknown; a history is written only with --out",
         AT(schedule), NULL},
        {"sessions", OPTION_COUNT, "N", "how many clients run at the same time (8)", AT(sessions),
         NULL},
        {"duration", OPTION_SECONDS, "TIME", "stop after this time (10s, unless --txns is given)",
         AT(duration), NULL},
        {"txns", OPTION_COUNT, "N", "stop after this many transactions, of whatever outcome",
         AT(txns), NULL},
        {"out", OPTION_TEXT, "FILE",
         "where to write the history: a file, compressed if its name ends in .zst, or - (the "
         "default)",
         AT(out), NULL},
        {"to", OPTION_TEXT, "STREAM",
         "publish it while it happens, for alibi watch, to nats://host:port/STREAM, a NATS "
         "JetStream stream, created if it does not exist; a file is then written only with --out",
         AT(to), NULL},
        {"check", OPTION_FLAG, NULL,
         "then check it, and print the levels at which it holds; the claimed level decides the "
         "exit code; the reports below imply it",
         AT(check), NULL},
        {"level", OPTION_NAME, "LEVEL",
         "the claimed level; by default what the database claims at its isolation level", AT(level),
         level_choices},
        {"min-commits", OPTION_SHARE, "SHARE",
         "let --check say unknown instead of valid if less than this share of the time had commits "
         "(0.5)",
         AT(min_commits), NULL},
        {"keys", OPTION_COUNT, "N",
         "how many keys there are (100; bank 10, rubis and twitter 50, phantom 1)", AT(keys), NULL},
        {"ops", OPTION_COUNT, "N", "operations in each transaction (4)", AT(ops), NULL},
        {"reads", OPTION_SHARE, "SHARE",
         "how many of the operations are reads (0.5); in blindw and bank, how many of the "
         "transactions only read; in rmw, how many of the reads have no write after them",
         AT(reads), NULL},
        {"zipf", OPTION_NUMBER, "NUMBER",
         "prefer some keys: the n-th is drawn in proportion to 1/n to this power, such as 1 "
         "(0: all alike)",
         AT(zipf), NULL},
        {"values", OPTION_COUNT, "N",
         "draw what is written from 0 to N-1, so that values repeat (0: all values differ)",
         AT(values), NULL},
        {"aborts", OPTION_SHARE, "SHARE", "how many of the transactions the clients roll back (0)",
         AT(aborts), NULL},
        {"seed", OPTION_COUNT, "N",
         "the seed of the random requests; the same seed makes the same requests (1)", AT(seed),
         NULL},
        {"answer-timeout", OPTION_SECONDS, "TIME",
         "take an answer that is later than this for lost (30s; at most 24h)", AT(answer_timeout),
         NULL},
        {"server-order", OPTION_FLAG, NULL,
         "ask for the database's own order, and give the history start_ts and commit_ts of it: "
         "PostgreSQL's snapshots and log, MariaDB's binlog (from repeatable-read on)",
         AT(server_order), NULL},
        {"unrecorded", OPTION_FLAG, NULL,
         "record nothing, to measure what recording costs by comparison", AT(unrecorded), NULL},
        {"cleanup", OPTION_FLAG, NULL,
         "record nothing, and remove what recordings leave in the database: their tables "
         "(alibi_…), and in PostgreSQL the replication slot of one that was killed",
         AT(cleanup), NULL},
        REPORT_OPTIONS(struct record_values),
        {"max-memory", OPTION_BYTES, "SIZE",
         "let --check use at most this much memory, such as 800M or 2G", AT(load.max_memory), NULL},
        {"timeout", OPTION_SECONDS, "TIME",
         "let --check take at most this time, such as 30s or 5m (60s); recording ends by "
         "--duration",
         AT(load.timeout), NULL},
        {0},
};

static enum isolation isolation_named(const char *name)
{
	enum isolation isolation = READ_UNCOMMITTED;
	while (strcmp(isolation_names[isolation], name) != 0)
		isolation++;
	return isolation;
}

/* ---- options that make no sense ---- */

static bool counts_make_sense(const struct record_values *v)
{
	const struct {
		const char *name;
		unsigned long long value, max;
	} counts[] = {
	        {"sessions", v->sessions, 4096},
	        {"keys", v->keys, 10000000},
	        {"ops", v->ops, 1000},
	};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		if (counts[i].value >= 1 && counts[i].value <= counts[i].max)
			continue;
		print_error("record", "--%s expects a number from 1 to %llu, not %llu",
		            counts[i].name, counts[i].max, counts[i].value);
		return false;
	}
	return true;
}

/* Why they do not go together, or NULL. */
static const char *contradiction(const struct record_values *v)
{
	bool in_file = v->out && strcmp(v->out, "-") != 0;
	if (v->check && !in_file && !v->cleanup)
		return "--check and reports require --out FILE: the history is read from there";
	if (v->server_order && (v->unrecorded || !(in_file || (v->to && !v->out))))
		return "--server-order requires --out FILE: it adds timestamps to the history "
		       "there";
	if (v->to && strncmp(v->to, "nats://", strlen("nats://")) != 0)
		return "--to expects a stream of NATS, such as nats://127.0.0.1:4222/TXNS";
	if (v->to && (v->unrecorded || v->schedule))
		return "--to publishes what a workload did; leave out --unrecorded and --schedule";
	if (v->server_order && isolation_named(v->isolation) < REPEATABLE_READ)
		return "--server-order requires --isolation repeatable-read or serializable; below "
		       "that each statement has a snapshot of its own";
	if (!v->check && (v->load.max_memory || v->load.timeout > 0))
		return "--timeout and --max-memory are limits of --check; --duration and --txns "
		       "end a recording";
	if (!v->check && v->min_commits >= 0)
		return "--min-commits is about the verdict of --check";
	if (v->cleanup && (v->check || v->out || v->to || v->schedule))
		return "--cleanup records nothing; leave out --check, --out, --to, --schedule and "
		       "reports";
	if ((v->report.json || v->report.quiet || v->report.stats) && !v->check)
		return "--json, --quiet and --stats are about what --check prints";
	if (v->check && v->unrecorded)
		return "--unrecorded leaves nothing to check";
	if (v->values && !workload_named(v->workload)->may_repeat)
		return "--values is for rw, rmw, blindw and append; elsewhere the workload chooses "
		       "them";
	if (!v->txns)
		return "--txns expects a number from 1 on; without it, --duration ends the "
		       "recording";
	if (v->schedule &&
	    (v->txns != UINT64_MAX || v->duration > 0 || v->server_order || v->aborts > 0))
		return "--schedule defines what is done and when it ends; leave out --txns, "
		       "--duration, --aborts and --server-order";
	if (v->values > 1000000000)
		return "--values expects at most 1000000000";
	if (v->answer_timeout > ANSWER_SECONDS_MAX)
		return "--answer-timeout expects at most 24h";
	return NULL;
}

/* ---- running ---- */

static void print_summary(const struct run_result *r)
{
	uint64_t sum = r->outcomes[COMMITTED] + r->outcomes[ABORTED] + r->outcomes[UNKNOWN];
	print_to(stderr,
	         "recorded %" PRIu64 " transactions in %.1f s (%.0f/s): %" PRIu64
	         " committed, %" PRIu64 " aborted, %" PRIu64 " unknown",
	         sum, r->seconds, (double)sum / r->seconds, r->outcomes[COMMITTED],
	         r->outcomes[ABORTED], r->outcomes[UNKNOWN]);
	if (r->resolved)
		print_to(stderr, "; %" PRIu64 " outcomes learnt from the log", r->resolved);
	if (r->connections)
		print_to(stderr, "; connected again %" PRIu64 " times", r->connections);
	if (r->without_commits > 0)
		print_to(stderr, "; nothing committed for %.1f s", r->without_commits);
	for (size_t i = 0; i < CODES_MAX && *r->codes[i].code; i++)
		print_to(stderr, "%s%" PRIu64 " of code %s (%s)", i ? ", " : "; ",
		         r->codes[i].count, r->codes[i].code, r->codes[i].problem);
	fputc('\n', stderr);
}

/* A recording that failed, or whose history cannot be checked, is in the reports as an error. */
static int report_failure(const struct record_values *v, struct reporting *r)
{
	alibi_error error = {ALIBI_INIT(alibi_error), .code = ALIBI_INPUT,
	                     .text = *last_error() ? last_error() : "the recording failed"};
	alibi_finding finding = {ALIBI_INIT(alibi_finding), .level = v->level, .error = &error};
	if (r)
		reporting_add(r, &(alibi_reported){ALIBI_INIT(alibi_reported), .name = v->out,
		                                   .finding_count = 1, .findings = &finding});
	return EXIT_BROKEN;
}

/* Instead of a workload; what came of it is the exit code. */
static int play(struct run_options *o, const struct record_values *v, struct reporting *r)
{
	struct run_result result;
	struct schedule *p = schedule_load(v->schedule);
	if (!p)
		return EXIT_USAGE;
	o->workload = &workload_schedule;
	o->shape = (struct shape){
	        .sessions = schedule_sessions(p), .keys = schedule_keys(p), .schedule = p};
	o->seconds = 0;
	o->out = v->out && strcmp(v->out, "-") != 0 ? o->out : NULL;
	int code = EXIT_BROKEN;
	if (runner_run(o, &result)) {
		enum outcome outcome = schedule_report(p, stdout);
		code = outcome == COMMITTED ? EXIT_VALID
		       : outcome == ABORTED ? EXIT_VIOLATES
		                            : EXIT_UNDECIDED;
		if (v->check)
			survey(v->out, result.level, v->min_commits, &v->load, r);
	}
	schedule_free(p);
	return code == EXIT_BROKEN ? report_failure(v, r) : code;
}

/* False: *why says why not. */
static bool server_order_is_supported(const struct record_values *v, const struct run_options *o,
                                      struct text *why)
{
	if (v->server_order && !o->driver->has_order)
		text_print(why, "--server-order is for PostgreSQL and MariaDB; %s exposes no order",
		           o->driver->title);
	else if (v->server_order && v->to && !o->driver->has_snapshots)
		text_print(why,
		           "--server-order with --to is for PostgreSQL; %s does not expose "
		           "the order of read-only transactions",
		           o->driver->title);
	else if (v->server_order && v->to && o->connect.url->host_count > 1)
		text_word(why, "--server-order with --to requires a single host; the snapshots of "
		               "several have no common order");
	return !why->length;
}

static int record(const struct record_values *v, const struct url *url, struct reporting *r)
{
	struct text why = {0};
	struct run_result result;
	struct run_options o = {
	        .driver = driver_for(url->scheme, &why),
	        .connect = {.url = url,
	                    .isolation = isolation_named(v->isolation),
	                    .answer_seconds = v->answer_timeout,
	                    .server_order = v->server_order},
	        .workload = workload_named(v->workload),
	        .shape = {.sessions = v->sessions,
	                  .keys = v->keys,
	                  .ops = v->ops,
	                  .values = v->values,
	                  .reads = v->reads,
	                  .aborts = v->aborts},
	        .seed = v->seed,
	        .txns = v->txns,
	        .seconds = v->duration > 0 || v->txns != UINT64_MAX ? v->duration : 10,
	        .level = v->level,
	        .out = v->unrecorded     ? NULL
	               : v->out || v->to ? v->out
	                                 : "-",
	        .to = v->to,
	};
	if (o.driver &&
	    !(driver_knows_settings(o.driver, url, &why) && server_order_is_supported(v, &o, &why)))
		o.driver = NULL;
	if (!o.driver) {
		print_error("record", "%s", why.data);
		text_release(&why);
		return EXIT_USAGE;
	}
	if (v->cleanup)
		return runner_clean_up(&o) ? EXIT_VALID : EXIT_BROKEN;
	if (v->schedule)
		return play(&o, v, r);
	if (!skew_init(&o.shape.skew, (uint32_t)v->keys, v->zipf)) {
		fputs("alibi record: out of memory\n", stderr);
		return EXIT_BROKEN;
	}
	bool ok = runner_run(&o, &result);
	skew_release(&o.shape.skew);
	if (!ok)
		return report_failure(v, r);
	print_summary(&result);
	return v->check ? survey(v->out, result.level, v->min_commits, &v->load, r) : EXIT_VALID;
}

/* Reports that cannot be written are an error before anything is recorded. */
static int record_and_report(const struct record_values *v, const struct url *url)
{
	struct reporting r;
	char *out = (char *)(uintptr_t)v->out; /* no report may overwrite it */
	if (!v->check)
		return record(v, url, NULL);
	if (!reporting_start(&r, "record", &v->report, &(struct words){&out, 1}))
		return EXIT_USAGE;
	int code = record(v, url, &r);
	return reporting_end(&r) ? code : EXIT_BROKEN;
}

static int run(int argc, char **argv)
{
	struct record_values v = defaults;
	struct words words;
	struct url url;
	struct level_choice level;
	if (!options_parse("record", options, argc, argv, &v, &words) ||
	    (v.level && !level_option(&level, "record", "level", v.level, NULL)))
		return EXIT_USAGE;
	v.level = v.level ? level.level : NULL;
	const char *wrong = words.count == 1 ? url_parse(&url, words.items[0])
	                                     : "which database? Name one, such as "
	                                       "postgres://user@host:5432/name or sqlite:FILE";
	v.check |= reporting_writes(&v.report);
	if (words.count == 1 && !v.keys)
		v.keys = workload_named(v.workload)->keys;
	bool named = wrong && words.count == 1 && !strchr(words.items[0], ':'); /* no secrets */
	if (!wrong)
		wrong = contradiction(&v);
	if (wrong)
		print_error("record", "%s%s%s", named ? words.items[0] : "", named ? ": " : "",
		            wrong);
	int code = wrong || !counts_make_sense(&v) ? EXIT_USAGE : record_and_report(&v, &url);
	if (words.count == 1)
		url_release(&url);
	return code;
}

const struct command cmd_record = {
        .name = "record",
        .words = "DATABASE",
        .summary = "drive a database and record what its clients saw",
        .details =
                "DATABASE is postgres://user:password@host:port/name, mariadb://… of the same "
                "form, or sqlite:FILE. Several hosts with commas between them share the clients. "
                "The tables that it uses are named alibi_…; they are dropped and created again.\n\n"
                "Each client runs transactions one after another, and every transaction becomes "
                "a line of the history: committed, aborted, or unknown if the connection was lost "
                "while it committed. Nothing is retried. A client that loses its "
                "connection reconnects until the recording ends. An interrupt ends it early, "
                "and the history is complete.\n\n"
                "A password is better given by the client's own means (PGPASSWORD, ~/.pgpass): "
                "one in the URL is overwritten at once, but others may see the command "
                "line until then. It is never written to the history.",
        .options = options,
        .run = run,
};
