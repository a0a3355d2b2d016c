/*
 * watch: checks while the database runs; see watch/README.md.
 */
#include "checkpoint.h"
#include "choices.h"
#include "feed.h"
#include "findings.h"
#include "http.h"
#include "job.h"
#include "level_choice.h"
#include "notices.h"
#include "output.h"
#include "spill.h"
#include "stall.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct watch_values {
	struct load_values load; /* initial, and the limits */
	const char *level, *session_order, *log, *checkpoint, *http, *shard, *spill, *fence,
	        *timestamps;
	size_t spill_above;
	unsigned long long horizon, longest, skew, round, threads, sessions;
	double deadline, every;
	bool follow, json, time_order;
};

#define NOT_SAID ULLONG_MAX
#define LINE_SECONDS 0.5 /* between two status lines */

enum {
	DEADLINE_SECONDS = 5,
	CHECKPOINT_SECONDS = 10,
	TIMEOUT_WAKE_MILLISECONDS = 100,
	CHECKPOINT_GRACE_SECONDS = 1,
	THREADS_MAX = 64,
	SHARDS_MAX = 1 << 16,
	SPILL_ABOVE = 1 << 30
};

#define AT(field) offsetof(struct watch_values, field)

static const char *const levels[] = {"si", "ser", "sser", NULL};
static const char *const on_off[] = {"on", "off", NULL};

static const struct option options[] = {
        {"level", OPTION_NAME, "LEVEL",
         "the isolation level to check: si, ser or sser, also by a name that others have for it",
         AT(level), levels},
        {"horizon", OPTION_COUNT, "N",
         "a transaction that arrives committed at most this long before the newest one, in the "
         "unit of the timestamps; reads are checked when that has passed",
         AT(horizon), NULL},
        {"longest", OPTION_COUNT, "N",
         "a transaction starts at most this long before it commits, in the same unit (as "
         "--horizon)",
         AT(longest), NULL},
        {"deadline", OPTION_SECONDS, "TIME",
         "check reads when this much time has passed since their timestamp was the newest (5s, "
         "unless --horizon is given)",
         AT(deadline), NULL},
        {"timestamps", OPTION_CHOICE, "MEANING",
         "what commit_ts is: snapshot, the order of versions only, or serial, also the order in "
         "which the transactions are serial, so that ser can be violated by it (what the stream "
         "says, or snapshot)",
         AT(timestamps), timestamp_choices},
        {"assume-time-order", OPTION_FLAG, NULL,
         "at ser: the clients' clocks (begin, end) count instead of the database's timestamps, as "
         "they always do at sser; an order is searched for",
         AT(time_order), NULL},
        {"clock-skew", OPTION_COUNT, "N",
         "the clients' clocks differ by at most this, in their unit (what the stream says, or 0)",
         AT(skew), NULL},
        {"round", OPTION_COUNT, "N",
         "by clocks: search when at least N transactions have arrived since the last search "
         "(4096)",
         AT(round), NULL},
        {"fence", OPTION_TEXT, "KEY",
         "at ser, without timestamps and clocks: the key that sessions read and write now and "
         "then, with a new value each time; --horizon is then in fences",
         AT(fence), NULL},
        {"sessions", OPTION_COUNT, "N", "with --fence: the stream has at least N sessions",
         AT(sessions), NULL},
        {"session-order", OPTION_CHOICE, "on|off",
         "off: transactions of one session may come in any order (on)", AT(session_order), on_off},
        {"follow", OPTION_FLAG, NULL, "at the end of the file, wait for more", AT(follow), NULL},
        {"log", OPTION_TEXT, "FILE", "append findings to this file, one JSON object a line",
         AT(log), NULL},
        {"checkpoint", OPTION_TEXT, "FILE",
         "save the state periodically, and resume from it if the file exists", AT(checkpoint),
         NULL},
        {"every", OPTION_SECONDS, "TIME", "how often to save it (10s)", AT(every), NULL},
        {"http", OPTION_TEXT, "[HOST:]PORT",
         "serve a live page (/), metrics for Prometheus (/metrics) and a health check (/health); "
         "on 127.0.0.1 unless a host is named",
         AT(http), NULL},
        {"threads", OPTION_COUNT, "N", "use up to N threads (1)", AT(threads), NULL},
        {"shard", OPTION_TEXT, "I/N",
         "check one of N parts of the keys and sessions; I is from 1 to N, and each part needs "
         "a watch of the whole stream",
         AT(shard), NULL},
        {"spill", OPTION_TEXT, "FOLDER",
         "move keys that were not used recently to a file there when memory gets scarce", AT(spill),
         NULL},
        {"spill-above", OPTION_BYTES, "SIZE",
         "spill when the watch takes more memory than this, such as 400M (1G)", AT(spill_above),
         NULL},
        {"json", OPTION_FLAG, NULL, "print JSON instead of text, one object a line", AT(json),
         NULL},
        {"initial", OPTION_TEXT, "JSON",
         "the initial value of all keys but those the input names one for", AT(load.initial), NULL},
        LIMIT_OPTIONS(struct watch_values),
        {0},
};

struct watching {
	struct job job;
	struct notices notices;
	const char *level;
	double timeout; /* seconds; 0: none */
	bool by_timestamps, hinted;
	alibi_watch *watch;
	struct feed feed;
	struct deadline deadline;
	struct findings findings;
	struct checkpoint checkpoint;
	struct stall stall;
	struct status *status; /* what http shows; NULL: nothing does */
	struct http *http;
	double shown; /* when the status line was, in seconds; 0: not yet */
	uint64_t shown_txns;
};

enum ending {
	STREAM_ENDED,
	STOPPED, /* by a signal */
	LIMITED, /* time or memory were not enough */
};

/* The summary. What was not judged is not valid: the library speaks of what is judged. */
static int sum_up(struct watching *w, enum ending ending)
{
	static const int codes[] = {EXIT_VALID, EXIT_VIOLATES, EXIT_UNDECIDED};
	alibi_watch_stats stats = watch_stats(w->watch);
	bool all = ending == STREAM_ENDED || (ending == STOPPED && !stats.waiting);
	if (stats.verdict == ALIBI_VALID && !all)
		stats.verdict = ALIBI_UNKNOWN;
	clear_status();
	findings_sum(&w->findings, &stats, job_seconds(&w->job), ending == STREAM_ENDED);
	return codes[stats.verdict];
}

/* Says why, and what was found before it. A limit is a verdict, too. */
static int fail(struct watching *w)
{
	int code = job_exit_code(&w->job);
	clear_status();
	notice(&w->notices, NOTICE_ERROR, NULL, "%s", alibi_last_error(w->job.alibi)->text);
	if (!w->watch)
		return code;
	findings_take(&w->findings, w->watch);
	return code == EXIT_UNDECIDED ? sum_up(w, LIMITED) : code;
}

/* If it is time for it, or `now`. */
static bool save(struct watching *w, bool now)
{
	uint64_t at = w->feed.place - watch_stats(w->watch).unread, log;
	struct feed_place place;
	if (!now && !checkpoint_is_due(&w->checkpoint, at))
		return true;
	return findings_sync(&w->findings, &log) &&
	       (!w->checkpoint.path || (feed_mark(&w->feed, at, &place) &&
	                                checkpoint_save(&w->checkpoint, w->watch, place, log)));
}

/* The first checkpoint is written at once: no other watch can use the file from then on, and if it
 * cannot be written, better now than after hours. */
static bool claim(struct watching *w)
{
	return !w->checkpoint.path || w->checkpoint.held || save(w, true);
}

/* The options do not fit the stream: it has no timestamps, or they decide nothing at ser. Said
 * once. */
static void hint(struct watching *w)
{
	alibi_watch_stats stats = watch_stats(w->watch);
	bool none = stats.by_reason[ALIBI_WATCH_STAMPS] && !stats.any_stamp;
	bool serial = stats.timestamps && !strcmp(stats.timestamps, "serial");
	bool not_serial = stats.undecided && !serial && !strcmp(w->level, "ser");
	if (!w->by_timestamps || w->hinted || (!none && !not_serial))
		return;
	w->hinted = true;
	notice(&w->notices, NOTICE_HINT, w->feed.name, "%s",
	       none ? "the transactions have no start_ts and commit_ts, so none can be checked; by "
	              "the clients' clocks (begin, end) say --level sser, or --level ser "
	              "--assume-time-order, and without clocks --level ser --fence KEY"
	            : "commit_ts is not said to be a serial order, so that what does not fit it is "
	              "no violation of ser; watch at --level si, or by the clients' clocks (begin, "
	              "end) at --level sser; if the database is serial in the order of commit_ts, "
	              "say --timestamps serial");
}

/* Takes out what is there; EXIT_VALID: go on. */
static int take(struct watching *w)
{
	if (!findings_take(&w->findings, w->watch))
		return EXIT_BROKEN;
	hint(w);
	return alibi_last_error(w->job.alibi)->code == ALIBI_OK ? EXIT_VALID : fail(w);
}

/* What came last could not be read. */
static int fail_at(struct watching *w)
{
	int code = fail(w);
	if (w->feed.message)
		notice(&w->notices, NOTICE_ERROR, w->feed.name,
		       "this is in one of the messages %" PRIu64 " to %" PRIu64
		       "; delete it from the stream to continue without it",
		       w->feed.message, w->feed.place);
	return code;
}

/* What came, and what is gone before it, to the watch; a piece of whole lines need not end in a
 * line end. */
static bool add(struct watching *w)
{
	const struct feed *f = &w->feed;
	bool ok = !f->gone_from || alibi_watch_gap(w->watch, f->gone_from, f->gone_until);
	ok = ok && (!f->length || alibi_watch_text(w->watch, f->name, f->bytes, f->length));
	bool open_line = f->length && f->source->whole_lines && f->bytes[f->length - 1] != '\n';
	if (ok && open_line)
		ok = alibi_watch_text(w->watch, f->name, "\n", 1);
	if (w->status && f->length) {
		status_take_bytes(w->status, f->bytes, f->length);
		status_take_bytes(w->status, "\n", open_line);
	}
	return ok;
}

/* To those who look at the status. */
static void show(struct watching *w)
{
	if (!w->status || !status_is_due(w->status))
		return;
	struct status_facts facts = {.stats = watch_stats(w->watch),
	                             .has_checkpoint = w->checkpoint.path,
	                             .checkpoint = w->checkpoint.written,
	                             .away_since = w->feed.away_since,
	                             .place = w->feed.place};
	status_publish(w->status, &facts);
}

/* The status line of a terminal. */
static void show_line(struct watching *w)
{
	double now = job_seconds(&w->job);
	if (w->notices.json || !isatty(STDERR_FILENO) ||
	    (w->shown > 0 && now < w->shown + LINE_SECONDS))
		return;
	alibi_watch_stats s = watch_stats(w->watch);
	double rate = w->shown > 0 ? (double)(s.txns - w->shown_txns) / (now - w->shown) : 0;
	w->shown = now;
	w->shown_txns = s.txns;
	print_status(
	        "watching at %s  %.0f s  %" PRIu64 " transactions  %.0f/s  %" PRIu64
	        " violations  %" PRIu64 " undecided  %" PRIu64 " not verified  %" PRIu64 " waiting",
	        w->level, now, s.txns, rate, s.violations, s.undecided, s.unverified, s.waiting);
}

/* How long to wait for the stream, -1: for ever. */
static int patience(const struct watching *w)
{
	int wait = deadline_milliseconds(&w->deadline);
	bool line = !w->notices.json && isatty(STDERR_FILENO);
	if ((w->status || line) && (wait < 0 || wait > STATUS_WAKE_MILLISECONDS))
		wait = STATUS_WAKE_MILLISECONDS;
	if (w->timeout > 0 && (wait < 0 || wait > TIMEOUT_WAKE_MILLISECONDS))
		wait = TIMEOUT_WAKE_MILLISECONDS;
	return wait;
}

/* Between two steps a checkpoint can be written. For a step that takes long the library looks
 * at the clock, too, a little later: so that there is time for the checkpoint. */
static bool is_out_of_time(const struct watching *w)
{
	if (w->timeout <= 0 || job_seconds(&w->job) < w->timeout)
		return false;
	notice(&w->notices, NOTICE_ERROR, NULL, "the time limit was reached while watching");
	return true;
}

/* The log may have been renamed. If it is gone, the watch ends. */
static bool hang_up(struct watching *w, enum feed_result *result)
{
	if (w->findings.log < 0) {
		*result = FEED_STOPPED;
		return true;
	}
	if (!findings_reopen(&w->findings) || !save(w, true))
		return false;
	notice(&w->notices, NOTICE_REOPEN, w->findings.log_name, "opened again");
	return true;
}

/* Until the stream ends, a signal comes, or an error. At the end of the
 * stream the checkpoint comes first: should there be more one day, it will count. */
static int watch(struct watching *w)
{
	for (;;) {
		int code;
		show_line(w);
		enum feed_result result = feed_wait(&w->feed, patience(w));
		if (result == FEED_FAILED || (result == FEED_HUNG_UP && !hang_up(w, &result)))
			return EXIT_BROKEN;
		bool over = result == FEED_ENDED || result == FEED_STOPPED;
		if (!add(w))
			return fail_at(w);
		if (w->feed.was_away)
			deadline_restart(&w->deadline);
		w->feed.was_away = false;
		if (!deadline_check(&w->deadline, w->watch))
			return fail(w);
		if ((code = take(w)))
			return code;
		stall_check(&w->stall, w->watch, &w->notices);
		if (!save(w, over))
			return EXIT_BROKEN;
		show(w);
		if (result == FEED_STOPPED)
			return sum_up(w, STOPPED);
		if (result == FEED_ENDED) {
			if (!alibi_watch_finish(w->watch))
				return fail(w);
			code = take(w);
			return code ? code : sum_up(w, STREAM_ENDED);
		}
		if (is_out_of_time(w))
			return save(w, true) ? sum_up(w, LIMITED) : EXIT_BROKEN;
	}
}

/* Opens the port, if there shall be one: when signals are blocked, which is so for the
 * threads that it starts, too. */
static bool open_to_look(struct watching *w, const char *address)
{
	if (!address)
		return true;
	w->status = status_new(w->feed.name, w->level, w->by_timestamps);
	if (!w->status) {
		notice(&w->notices, NOTICE_ERROR, NULL, "out of memory");
		return false;
	}
	w->findings.status = w->status;
	show(w);
	w->http = http_open(address, w->status, &w->notices);
	return w->http != NULL;
}

/* Everything that it takes, then the watch. */
static int open_and_watch(struct watching *w, const struct watch_values *v, const char *path)
{
	int code = EXIT_BROKEN;
	double deadline = v->deadline;
	if (deadline <= 0 && v->horizon == NOT_SAID && !v->fence)
		deadline = DEADLINE_SECONDS;
	w->checkpoint = (struct checkpoint){
	        .path = v->checkpoint, .every = v->every, .notices = &w->notices};
	deadline_start(&w->deadline, deadline);
	w->findings.log = -1;
	if (checkpoint_load(&w->checkpoint, w->job.alibi, w->watch) &&
	    findings_open(&w->findings, w->level, &w->notices, v->log, w->checkpoint.log) &&
	    feed_open(&w->feed, &w->notices, path, v->follow,
	              v->checkpoint ? &w->checkpoint.place : NULL) &&
	    claim(w) && open_to_look(w, v->http)) {
		notice(&w->notices, NOTICE_START, w->feed.name,
		       "watching at %s, from place %" PRIu64, w->level, w->feed.place);
		notify_manager("READY=1");
		code = watch(w);
		notify_manager("STOPPING=1");
		notice(&w->notices, NOTICE_STOP, w->feed.name, "ended with exit code %d", code);
	}
	http_close(w->http);
	status_free(w->status);
	feed_close(&w->feed);
	findings_close(&w->findings);
	checkpoint_close(&w->checkpoint);
	return code;
}

/* "2/3" is shard 1 of 3, as the library counts. */
static bool parse_shard(const char *text, alibi_watch_options *o)
{
	unsigned long number, count;
	char rest;
	if (!text)
		return true;
	if (sscanf(text, "%lu/%lu%c", &number, &count, &rest) != 2 || strchr(text, '-'))
		return false;
	o->shard = (uint32_t)(number - 1);
	o->shards = (uint32_t)count;
	return number >= 1 && number <= count && count <= SHARDS_MAX;
}

/* As JSON: a word needs no quotes. */
static const char *fence_key(const char *key, struct text *t)
{
	if (!key || isdigit((unsigned char)*key) || (*key && strchr("\"{-", *key)) ||
	    !strcmp(key, "true") || !strcmp(key, "false"))
		return key;
	text_json(t, key);
	return t->data;
}

/* NULL: nothing is. The library knows what else does not go together. */
static const char *wrong_with_fence(const struct watch_values *v)
{
	if (!v->fence)
		return v->sessions ? "--sessions requires --fence KEY" : NULL;
	if (!v->sessions)
		return "--fence requires --sessions N: the stream has at least N sessions";
	if (v->deadline > 0 || v->longest != NOT_SAID || v->skew != NOT_SAID || v->time_order)
		return "--fence excludes --deadline, --longest, --clock-skew and "
		       "--assume-time-order: fences are used instead of clocks";
	return NULL;
}

static int start(const struct watch_values *v, const struct level_choice *level, const char *path)
{
	struct load_values limits = v->load;
	if (limits.timeout > 0)
		limits.timeout += CHECKPOINT_GRACE_SECONDS;
	struct watching w = {.job = job_start(&limits),
	                     .notices = {.json = v->json},
	                     .level = level->level,
	                     .timeout = v->load.timeout,
	                     .stall = {.sessions = v->sessions}};
	struct text fence = {0};
	alibi_watch_options o = {
	        ALIBI_INIT(alibi_watch_options),
	        .level = level->level,
	        .ignore_sessions = level->ignore_sessions,
	        .initial = v->load.initial,
	        .has_horizon = v->horizon != NOT_SAID,
	        .horizon = v->horizon,
	        .longest = v->longest != NOT_SAID ? v->longest : v->horizon,
	        .threads = (uint32_t)v->threads,
	        .store = v->spill ? &spill_store : NULL,
	        .store_data = (void *)(uintptr_t)v->spill,
	        .store_above = v->spill_above,
	        .client_times = v->time_order || !strcmp(level->level, "sser"),
	        .has_clock_skew = v->skew != NOT_SAID,
	        .clock_skew = v->skew,
	        .round = v->round,
	        .fence = fence_key(v->fence, &fence),
	        .fence_sessions = v->sessions,
	        .timestamps = v->timestamps,
	};
	parse_shard(v->shard, &o);
	alibi_set_progress(w.job.alibi, NULL, NULL); /* the status line says more */
	w.by_timestamps = !o.client_times && !o.fence;
	w.watch = alibi_watch_new(w.job.alibi, &o);
	int code = w.watch ? open_and_watch(&w, v, path) : fail(&w);
	job_end(&w.job);
	text_release(&fence);
	return code;
}

/* Options that would do nothing are a misunderstanding. NULL: there are none. */
static const char *find_unused_option(const struct watch_values *v, const char *level)
{
	bool clocks = v->time_order || !strcmp(level, "sser");
	if (v->skew != NOT_SAID && !clocks)
		return "--clock-skew requires --level sser or --assume-time-order; by timestamps "
		       "the clients' clocks do not count";
	if (v->round && !clocks && !v->fence)
		return "--round requires --level sser, --assume-time-order or --fence; by "
		       "timestamps nothing is searched for";
	if (v->timestamps && (clocks || v->fence))
		return "--timestamps is about streams that are checked by timestamps; leave it "
		       "out";
	if (v->every >= 0 && !v->checkpoint)
		return "--every requires --checkpoint FILE";
	return NULL;
}

/* NULL: nothing is. */
static const char *what_is_wrong(const struct watch_values *v, const struct words *words,
                                 struct level_choice *level)
{
	if (words->count != 1)
		return "which stream? Name one: a file, - for standard input, or "
		       "nats://host:port/STREAM";
	if (!v->level)
		return "which level? Say --level si or --level ser, or by the clients' clocks "
		       "--level sser, or --level ser --assume-time-order; without clocks "
		       "--level ser --fence KEY";
	const char *with_fence = wrong_with_fence(v);
	if (with_fence)
		return with_fence;
	if (v->longest != NOT_SAID && v->horizon == NOT_SAID)
		return "--longest requires --horizon; with --deadline it is derived";
	if (v->spill_above && !v->spill)
		return "--spill-above requires --spill FOLDER";
	if (v->spill && !HAVE_LMDB)
		return "--spill: this program was built without LMDB (liblmdb)";
	const char *with_http = v->http ? http_wrong_address(v->http) : NULL;
	if (with_http)
		return with_http;
	if (!parse_shard(v->shard, &(alibi_watch_options){0}))
		return "--shard expects I/N, such as 2/3, with I from 1 to N";
	if (v->threads < 1 || v->threads > THREADS_MAX)
		return "--threads expects a number from 1 to 64";
	if (v->log && v->checkpoint && !strcmp(v->log, v->checkpoint))
		return "--log and --checkpoint must be different files";
	return level_choose(level, v->level, v->session_order) ? find_unused_option(v, level->level)
	                                                       : level->why;
}

static int run(int argc, char **argv)
{
	struct watch_values v = {.horizon = NOT_SAID,
	                         .longest = NOT_SAID,
	                         .skew = NOT_SAID,
	                         .threads = 1,
	                         .every = -1};
	struct level_choice level;
	struct words words;
	if (!options_parse("watch", options, argc, argv, &v, &words))
		return EXIT_USAGE;
	const char *wrong = what_is_wrong(&v, &words, &level);
	if (wrong) {
		print_error("watch", "%s", wrong);
		return EXIT_USAGE;
	}
	if (*level.note)
		print_error("watch", "--level: %s", level.note);
	if (v.every < 0)
		v.every = CHECKPOINT_SECONDS;
	if (!v.spill_above)
		v.spill_above = SPILL_ABOVE;
	return start(&v, &level, words.items[0]);
}

const struct command cmd_watch = {
        .name = "watch",
        .words = "STREAM",
        .summary = "check while the database runs, for as long as it does",
        .details =
                "STREAM is a file of JSON Lines, one transaction a line, - for standard input, or "
                "nats://host:port/STREAM, a NATS JetStream stream whose messages are such lines. "
                "Transactions need the database's timestamps (start_ts, commit_ts). They may "
                "arrive out of order, but those of one session in session order. A duplicate, "
                "with the same id, is counted once.\n\n"
                "Write conflicts and session order are checked on arrival. The reads of a "
                "transaction are checked when every version that they may have seen must have "
                "arrived: --horizon or --deadline say how long that takes. A transaction that "
                "arrives later is not checked; it is reported, with the keys that it wrote.\n\n"
                "At ser, commit_ts must be a serial order, by the header or --timestamps serial; "
                "otherwise what does not fit is undecided.\n\n"
                "At sser, and at ser with --assume-time-order, the clients' clocks count instead "
                "of the database's timestamps (begin, end): an order is searched for in rounds. "
                "If there are no clocks either, sessions can make fences: --fence.\n\n"
                "Memory depends on the number of keys and on the horizon, not on how long the "
                "stream is. An interrupt ends the watch, and the summary counts what is not "
                "checked yet. With --checkpoint a watch that was ended or killed resumes where it "
                "was, and the log has every finding once. Exits with 0 if the level held, 1 if it "
                "was violated, and 2 if that is unknown.",
        .options = options,
        .run = run,
};
