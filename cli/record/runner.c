/* runner: see runner.h. */
#include "runner.h"

#include "availability.h"
#include "barrier.h"
#include "commit_log.h"
#include "journal.h"
#include "live.h"
#include "output.h"
#include "schedule.h"
#include "setup.h"
#include "stamps.h"
#include "workload.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NS = 50 * 1000 * 1000, READY_SECONDS = 30, STACK_BYTES = 512 * 1024 };
enum { PROGRESS_SECONDS = 10 }; /* between lines about it, if there is no terminal */

struct runner {
	const struct run_options *o; /* … of which these are a copy: */
	struct run_options options;
	const char *path;        /* of the journal; NULL: no file is written */
	struct journal *journal; /* NULL: no file is written */
	struct journal *stream;  /* NULL: none */
	struct journal *ordered; /* gets the database's order at the end; NULL: none */
	struct live *live;       /* for the stream; NULL: it gets no timestamps */
	uint64_t mark, origin_ns;
	sigset_t interrupts, mask; /* signals that end it early; the mask before */
	atomic_bool stop;
	atomic_uint_fast64_t next_number;        /* of sessions */
	atomic_uint_fast64_t outcomes[OUTCOMES]; /* of transactions, so far */
	pthread_mutex_t error_lock;
	char error[sizeof((struct code_count *)0)->code]; /* the latest; "": none */
	double reported;              /* when the latest progress was shown, in seconds */
	atomic_uint_fast64_t running; /* clients */
	struct barrier barrier;       /* if the workload has rounds */
	struct availability availability;
};

struct client {
	pthread_t thread;
	struct runner *r;
	struct session session;
	uint64_t turns; /* transactions to do */
	struct run_result result;
};

/* ---- one client ---- */

/* Notes that an attempt to reach the client's node is over. */
static void note(struct client *k, enum attempt attempt)
{
	availability_note(&k->r->availability, k->session.slot % k->r->o->connect.url->host_count,
	                  attempt);
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = TICK_NS}, NULL);
}

/* A connection that shows the initial rows; NULL: none yet. */
static struct connection *connect_ready(const struct run_options *o, uint64_t slot, uint64_t mark,
                                        struct text *why)
{
	text_cut(why, 0);
	struct connection *c =
	        o->driver->connect(&o->connect, slot % o->connect.url->host_count, why);
	if (!c)
		return NULL;
	if (!setup_is_visible(c, mark)) {
		text_word(why, "the initial rows are not there");
	} else if (o->driver->prepare(c, o->workload->statements, o->workload->statement_count) !=
	           ANSWER_DONE) {
		text_word(why, c->problem);
	} else {
		return c;
	}
	o->driver->close(c);
	return NULL;
}

/* Retries until it succeeds or the recording ends. */
static bool reconnect(struct client *k)
{
	struct text why = {0};
	while (!atomic_load(&k->r->stop) && !k->session.c) {
		k->session.c = connect_ready(k->r->o, k->session.slot, k->r->mark, &why);
		if (k->session.c)
			break;
		note(k, ATTEMPT_UNANSWERED);
		nap();
	}
	text_release(&why);
	k->result.connections += k->session.c != NULL;
	return k->session.c;
}

static void count_code(struct run_result *r, const char *code, const char *problem, uint64_t times)
{
	for (size_t i = 0; i < CODES_MAX && *code; i++) {
		struct code_count *c = &r->codes[i];
		if (!*c->code) {
			snprintf(c->code, sizeof c->code, "%s", code);
			snprintf(c->problem, sizeof c->problem, "%s", problem);
		}
		if (strcmp(c->code, code) != 0)
			continue;
		c->count += times;
		return;
	}
}

static bool prepare_round(void *data)
{
	struct client *k = data;
	return k->session.workload->prepare_round(&k->session);
}

/* True: the next transaction may begin. */
static bool await_round(struct client *k)
{
	struct session *s = &k->session;
	if (!s->workload->prepare_round)
		return true;
	s->round = barrier_next_round(&k->r->barrier);
	return s->workload->before_round(s, s->round) &&
	       barrier_wait(&k->r->barrier, prepare_round, k) == BARRIER_PASSED;
}

/* Backpressure: the lines that are not acknowledged must not grow without bound. */
static bool must_wait(const struct runner *r)
{
	return journal_is_full(r->stream) || (r->live && live_is_full(r->live));
}

static enum outcome transact(struct client *k, struct text *line)
{
	struct runner *r = k->r;
	if (r->live)
		live_begin(r->live, k->session.slot);
	enum outcome outcome = session_transact(&k->session, r->origin_ns, line);
	if (r->live)
		live_end(r->live, k->session.slot, line->data, line->length);
	else
		journal_add(r->stream, line->data, line->length);
	journal_add(r->journal, line->data, line->length);
	return outcome;
}

/* Errors are rare enough for a lock. */
static void note_error(struct runner *r, const char *code)
{
	if (!*code)
		return;
	pthread_mutex_lock(&r->error_lock);
	snprintf(r->error, sizeof r->error, "%s", code);
	pthread_mutex_unlock(&r->error_lock);
}

static void *run_client(void *data)
{
	struct client *k = data;
	struct session *s = &k->session;
	struct text line = {0};
	while (!atomic_load(&k->r->stop) && s->turn < k->turns) {
		if (!s->c && !reconnect(k))
			break;
		if (must_wait(k->r)) {
			nap();
			continue;
		}
		if (!await_round(k))
			continue;
		enum outcome outcome = transact(k, &line);
		note(k, outcome == COMMITTED ? ATTEMPT_COMMITTED
		        : s->c               ? ATTEMPT_ANSWERED
		                             : ATTEMPT_UNANSWERED);
		k->result.outcomes[outcome]++;
		count_code(&k->result, s->code, s->problem, 1);
		note_error(k->r, s->code);
		if (outcome == UNKNOWN)
			s->number = atomic_fetch_add(&k->r->next_number, 1);
		atomic_fetch_add(&k->r->outcomes[outcome], 1);
	}
	barrier_leave(&k->r->barrier);
	if (s->c)
		s->c->driver->close(s->c);
	text_release(&line);
	text_release(&s->ops);
	atomic_fetch_sub(&k->r->running, 1);
	return NULL;
}

/* ---- before and after ---- */

/* Messages of libpq have several lines; they are printed as one. */
static bool report_error(const struct run_options *o, const char *what, const char *why)
{
	struct text url = {0}, line = {0};
	url_print(o->connect.url, &url);
	for (const char *word = why + strspn(why, " \t\n"); *word; word += strspn(word, " \t\n")) {
		size_t length = strcspn(word, " \t\n");
		text_word(&line, line.length ? " " : "");
		text_add(&line, word, length);
		word += length;
	}
	print_error("record", "%s: %s: %s", url.data, what, line.length ? line.data : "");
	text_release(&line);
	text_release(&url);
	return false;
}

static void write_header(struct runner *r, struct connection *c, const char *level,
                         const struct text *initial)
{
	struct text source = {0}, line = {0};
	const struct run_options *o = r->o;
	text_word(&source, "alibi record ");
	url_print(o->connect.url, &source);
	text_word(&source, ": ");
	o->driver->describe(c, &source);
	text_print(&source, ", %s, workload %s, seed %" PRIu64, isolation_sql(o->connect.isolation),
	           o->workload->name, o->seed);
	text_word(&line, "{\"alibi\":1,");
	if (level)
		text_print(&line, "\"level\":\"%s\",", level);
	text_word(&line, "\"skew\":0,");
	if (o->connect.server_order) /* no database that is known here says its serial order */
		text_word(&line, "\"timestamps\":\"snapshot\",");
	text_word(&line, "\"source\":");
	text_json(&line, source.data);
	text_print(&line, ",\"initial\":[%s]}\n", initial->length ? initial->data : "");
	journal_add(r->journal, line.data, line.length);
	journal_add(r->stream, line.data, line.length);
	text_release(&source);
	text_release(&line);
}

/* Without a log the order comes from snapshots alone, and unknown outcomes remain unknown. */
static void open_log(struct runner *r, struct connection *c)
{
	if (!r->o->connect.server_order || !r->o->driver->log_open || !r->journal)
		return;
	r->options.connect.logs = r->o->driver->log_open(c) == ANSWER_DONE;
	if (!r->options.connect.logs)
		report_error(r->o, "unknown outcomes will not be looked up in its log", c->problem);
}

/* Opens all of them first, so that a recording that could not be written never starts. */
static bool open_each_journal(struct runner *r)
{
	const struct run_options *o = r->o;
	if (o->out && o->connect.server_order && !(r->ordered = journal_open(o->out)))
		return false;
	if (r->path && !(r->journal = journal_open(r->path)))
		return false;
	if (o->to && !(r->stream = journal_open(o->to)))
		return false;
	if (o->to && o->connect.server_order)
		r->live = live_new(r->stream, o->shape.sessions);
	return !o->to || !o->connect.server_order || r->live;
}

/* Threads that this starts (the NATS client has some) must block the signals: one that received
 * one would end the process. */
static bool open_journals(struct runner *r)
{
	sigset_t before;
	pthread_sigmask(SIG_BLOCK, &r->interrupts, &before);
	bool ok = open_each_journal(r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ok;
}

/* Creates the tables and writes the header. */
static bool prepare(struct runner *r, struct run_result *result)
{
	const struct run_options *o = r->o;
	struct text text = {0};
	struct connection *c = o->driver->connect(&o->connect, 0, &text);
	bool ok = false;
	if (!c) {
		report_error(o, "no connection", text.length ? text.data : "no memory");
	} else if (!open_journals(r)) {
		; /* the error has been reported */
	} else if (!setup_tables(c, o->workload, &o->shape, r->mark, &text)) {
		report_error(o, "the tables could not be created", c->problem);
	} else {
		const char *level = o->level ? o->level : o->driver->claim(c);
		snprintf(result->level, sizeof result->level, "%s", level ? level : "");
		write_header(r, c, level, &text);
		open_log(r, c);
		ok = true;
	}
	if (c)
		o->driver->close(c);
	text_release(&text);
	return ok;
}

/* All clients connect before the first transaction. */
static bool connect_all(struct runner *r, struct client *clients)
{
	const struct run_options *o = r->o;
	uint64_t deadline = clock_ns() + READY_SECONDS * 1000000000ull;
	struct text why = {0};
	bool ok = true;
	for (uint64_t i = 0; i < o->shape.sessions && ok; i++) {
		struct session *s = &clients[i].session;
		while (!(s->c = connect_ready(o, i, r->mark, &why)) && clock_ns() < deadline)
			nap();
		ok = s->c || report_error(o, "a client could not connect",
		                          why.length ? why.data : "no memory");
	}
	text_release(&why);
	return ok;
}

static struct client *make_clients(struct runner *r)
{
	const struct run_options *o = r->o;
	uint64_t count = o->shape.sessions;
	struct client *clients = calloc(count, sizeof *clients);
	for (uint64_t i = 0; clients && i < count; i++) {
		clients[i].r = r;
		clients[i].turns = o->shape.schedule ? schedule_turns(o->shape.schedule, i)
		                                     : o->txns / count + (i < o->txns % count);
		clients[i].session = (struct session){
		        .workload = o->workload,
		        .shape = &o->shape,
		        .seed = o->seed,
		        .slot = i,
		        .number = atomic_fetch_add(&r->next_number, 1),
		        .recording = r->journal || r->stream,
		};
	}
	return clients;
}

/* How it goes: the status line of a terminal, or else a line now and then. */
static void show_progress(struct runner *r)
{
	double seconds = (double)(clock_ns() - r->origin_ns) / 1e9;
	uint64_t committed = atomic_load(&r->outcomes[COMMITTED]);
	uint64_t aborted = atomic_load(&r->outcomes[ABORTED]);
	uint64_t unknown = atomic_load(&r->outcomes[UNKNOWN]);
	uint64_t none = atomic_load(&r->outcomes[NOT_BEGUN]);
	double rate = (double)(committed + aborted + unknown) / seconds;
	bool terminal = isatty(STDERR_FILENO);
	if (!terminal && seconds < r->reported + PROGRESS_SECONDS)
		return;
	r->reported = seconds;
	struct text line = {0};
	text_print(&line,
	           "%.0f s  %" PRIu64 " committed  %" PRIu64 " aborted  %" PRIu64
	           " unknown  %.0f/s",
	           seconds, committed, aborted, unknown, rate);
	if (none)
		text_print(&line, "  %" PRIu64 " could not begin", none);
	pthread_mutex_lock(&r->error_lock);
	if (*r->error)
		text_print(&line, "  latest error %s", r->error);
	pthread_mutex_unlock(&r->error_lock);
	if (terminal)
		print_status("recording  %s", line.data);
	else
		print_error("record", "%s", line.data);
	text_release(&line);
}

/* False: the output has failed. */
static bool tick(struct runner *r)
{
	if (r->live)
		live_tick(r->live);
	journal_tick(r->journal);
	journal_tick(r->stream);
	return !journal_failed(r->journal) && !journal_failed(r->stream);
}

/* Waits until it is time to stop. */
static void watch(struct runner *r)
{
	uint64_t end =
	        r->o->seconds > 0 ? r->origin_ns + (uint64_t)(r->o->seconds * 1e9) : UINT64_MAX;
	while (atomic_load(&r->running) && clock_ns() < end) {
		if (sigtimedwait(&r->interrupts, NULL, &(struct timespec){.tv_nsec = TICK_NS}) > 0)
			break;
		if (!tick(r))
			break;
		show_progress(r);
	}
	atomic_store(&r->stop, true);
	barrier_stop(&r->barrier);
	clear_status();
}

/* Signals are blocked while the history is being written: one often arrives twice, for the process
 * and for its group. At the end those pending are consumed. */
static void interrupts_init(struct runner *r)
{
	sigemptyset(&r->interrupts);
	sigaddset(&r->interrupts, SIGINT);
	sigaddset(&r->interrupts, SIGTERM);
	pthread_sigmask(SIG_BLOCK, NULL, &r->mask);
}

static void interrupts_end(struct runner *r)
{
	while (sigtimedwait(&r->interrupts, NULL, &(struct timespec){0}) > 0)
		;
	pthread_sigmask(SIG_SETMASK, &r->mask, NULL);
}

/* Returns how many were started. */
static uint64_t start_clients(struct runner *r, struct client *clients)
{
	pthread_attr_t attributes;
	uint64_t started = 0;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (; started < r->o->shape.sessions; started++) {
		atomic_fetch_add(&r->running, 1);
		if (!pthread_create(&clients[started].thread, &attributes, run_client,
		                    &clients[started]))
			continue;
		atomic_fetch_sub(&r->running, 1);
		atomic_store(&r->stop, true);
		fputs("alibi record: the system does not allow so many threads\n", stderr);
		break;
	}
	pthread_attr_destroy(&attributes);
	return started;
}

static void add_up(struct run_result *sum, const struct run_result *part)
{
	for (size_t i = 0; i < OUTCOMES; i++)
		sum->outcomes[i] += part->outcomes[i];
	for (size_t i = 0; i < CODES_MAX; i++)
		count_code(sum, part->codes[i].code, part->codes[i].problem, part->codes[i].count);
	sum->connections += part->connections;
}

static void close_from(struct client *clients, uint64_t first, uint64_t count)
{
	for (uint64_t i = first; i < count; i++)
		if (clients[i].session.c)
			clients[i].session.c->driver->close(clients[i].session.c);
}

static bool run_clients(struct runner *r, struct run_result *result)
{
	uint64_t count = r->o->shape.sessions, started = 0;
	struct client *clients = make_clients(r);
	if (clients && connect_all(r, clients)) {
		pthread_sigmask(SIG_BLOCK, &r->interrupts, NULL);
		r->origin_ns = clock_ns();
		availability_begin(&r->availability);
		started = start_clients(r, clients);
		watch(r);
		for (uint64_t i = 0; i < started; i++) {
			pthread_join(clients[i].thread, NULL);
			add_up(result, &clients[i].result);
		}
		result->seconds = (double)(clock_ns() - r->origin_ns) / 1e9;
		availability_end(&r->availability);
		result->without_commits = availability_without(&r->availability);
	}
	if (clients)
		close_from(clients, started, count);
	free(clients);
	return started == count;
}

/* After the last transaction, to the host of the tables. NULL: not_done has been reported. */
static struct connection *connect_again(const struct run_options *o, const char *not_done)
{
	uint64_t deadline = clock_ns() + READY_SECONDS * 1000000000ull;
	struct text why = {0};
	struct connection *c;
	while (!(c = o->driver->connect(&o->connect, 0, &why)) && clock_ns() < deadline) {
		text_cut(&why, 0);
		nap();
	}
	if (!c)
		report_error(o, not_done, why.length ? why.data : "no memory");
	text_release(&why);
	return c;
}

/* False: another recording used the tables, too; the error has been reported. If the server does
 * not come back, this is unknown. */
static bool tables_are_ours(const struct runner *r)
{
	const struct run_options *o = r->o;
	struct connection *c =
	        connect_again(o, "cannot check whether another recording used the tables");
	bool ours = !c || setup_is_visible(c, r->mark);
	if (!ours) {
		report_error(o,
		             "this history is worthless; run one recording at a time in a database",
		             *c->problem ? c->problem
		                         : "another recording used the tables at the same time");
		setup_remove_mark(c);
	}
	if (c)
		o->driver->close(c);
	return ours;
}

static void read_log(struct runner *r, struct commit_log *log)
{
	static const char not_done[] = "its log could not be read";
	const struct run_options *o = r->o;
	struct connection *c = connect_again(o, not_done);
	if (c) {
		if (o->driver->log_read(c, o->workload->tables, log) != ANSWER_DONE)
			report_error(o, not_done, c->problem);
		o->driver->close(c);
	}
	commit_log_sort(log);
}

/* However the recording ended: a slot that is left behind keeps the server's log from being
 * removed. */
static void close_log(const struct runner *r)
{
	static const char not_done[] =
	        "the replication slot of this recording is left; remove it with --cleanup";
	const struct run_options *o = r->o;
	struct connection *c =
	        o->connect.logs && o->driver->log_close ? connect_again(o, not_done) : NULL;
	if (c && o->driver->log_close(c) != ANSWER_DONE)
		report_error(o, not_done, c->problem);
	if (c)
		o->driver->close(c);
}

/* Adds the database's order to the recorded history. */
static bool add_order(struct runner *r, const char *recorded, struct run_result *result)
{
	struct commit_log log = {0};
	struct resolved resolved;
	if (r->o->connect.logs)
		read_log(r, &log);
	bool ok = stamps_add(recorded, r->ordered, &log, &resolved);
	ok = journal_close(r->ordered) && ok;
	r->ordered = NULL;
	result->resolved = resolved.committed + resolved.aborted;
	result->outcomes[COMMITTED] += resolved.committed;
	result->outcomes[ABORTED] += resolved.aborted;
	result->outcomes[UNKNOWN] -= result->resolved;
	commit_log_release(&log);
	if (ok)
		unlink(recorded);
	else
		print_error("record", "what was recorded is in %s", recorded);
	return ok;
}

/* The last line. Not of a recording that did not begin, nor of one whose steps may wait. */
static void write_availability(struct runner *r)
{
	struct text line = {0};
	if (!r->availability.end_ns || r->o->shape.schedule)
		return;
	availability_print(&r->availability, r->o->connect.url, &line);
	journal_add(r->journal, line.data, line.length);
	journal_add(r->stream, line.data, line.length);
	text_release(&line);
}

/* False: not everything could be written. */
static bool close_journals(struct runner *r)
{
	uint64_t misplaced = r->live ? live_close(r->live) : 0;
	write_availability(r);
	bool ok = journal_close(r->stream);
	if (misplaced)
		print_error("record",
		            "%" PRIu64 " transactions have no timestamps in the stream: "
		            "their snapshots do not see transactions that ended before",
		            misplaced);
	return journal_close(r->journal) && ok;
}

bool runner_run(const struct run_options *o, struct run_result *result)
{
	struct text part = {0};
	struct runner r = {.options = *o, .mark = clock_ns() ^ (uint64_t)getpid() << 32 >> 1};
	*result = (struct run_result){0};
	r.o = &r.options;
	barrier_init(&r.barrier, o->shape.sessions);
	pthread_mutex_init(&r.error_lock, NULL);
	interrupts_init(&r);
	r.mark &= INT64_MAX;
	atomic_store(&r.next_number, 1);
	signal(SIGPIPE, SIG_IGN); /* a lost connection is reported by the client library */
	if (o->out && o->connect.server_order)
		text_print(&part, "%s.part", o->out);
	r.path = part.length ? part.data : o->out;
	bool ok = prepare(&r, result) && run_clients(&r, result);
	ok = close_journals(&r) && ok;
	ok = ok && tables_are_ours(&r);
	if (ok && part.length)
		ok = add_order(&r, part.data, result);
	journal_close(r.ordered);
	close_log(&r);
	interrupts_end(&r);
	barrier_release(&r.barrier);
	text_release(&part);
	return ok;
}

/* ---- cleaning up ---- */

static bool execute(struct connection *c, const char *before, const char *table, const char *after)
{
	struct text sql = {0};
	text_print(&sql, "%s %.*s%s", before, (int)strcspn(table, " "), table, after);
	bool done = c->driver->execute(c, sql.data) == ANSWER_DONE;
	text_release(&sql);
	return done;
}

/* Also says that it did. */
static bool drop_table(struct connection *c, const char *table, bool *any)
{
	if (!execute(c, "SELECT 1 FROM", table, " WHERE 1 = 0"))
		return true; /* there is none */
	bool done = execute(c, "DROP TABLE", table, "");
	*any = true;
	if (done)
		print_out("dropped the table %.*s\n", (int)strcspn(table, " "), table);
	return done;
}

bool runner_clean_up(const struct run_options *o)
{
	struct text why = {0};
	struct connection *c = o->driver->connect(&o->connect, 0, &why);
	bool ok = c != NULL, any = false;
	if (!c)
		report_error(o, "no connection", why.length ? why.data : "no memory");
	if (c && o->driver->log_close) {
		ok = o->driver->log_close(c) == ANSWER_DONE;
		any = c->rows;
		if (any)
			print_out("dropped the replication slot %s\n", o->driver->cell(c, 0, 1));
	}
	for (const char *const *name = workload_names; ok && *name; name++)
		for (const char *const *t = workload_named(*name)->tables; ok && *t; t++)
			ok = drop_table(c, *t, &any);
	ok = ok && drop_table(c, "alibi_mark", &any);
	if (ok && !any)
		print_out("nothing of a recording was left\n");
	if (c && !ok)
		report_error(o, "not everything could be removed", c->problem);
	if (c)
		o->driver->close(c);
	text_release(&why);
	return ok;
}
