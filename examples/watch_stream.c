/*
 * watch_stream: checks a stream of transactions while it arrives, and prints each finding as soon
 * as it is certain.
 *
 *     watch_stream LEVEL HORIZON [FILE]
 *     cc watch_stream.c -o watch_stream $(pkg-config --cflags --libs alibi)
 *
 * The stream is JSON Lines with the database's timestamps (docs/history-format.md), from FILE or
 * from standard input. A transaction may arrive up to HORIZON behind the newest commit_ts.
 *
 * At the end of the stream everything is decided. An interrupt is not the end of the stream: what
 * the transactions that are still in flight have read stays undecided. Exits with 0 if all of it
 * holds, 1 if there is a violation, 2 if something is undecided, and 3 after an error.
 */
#include <alibi.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static alibi *job; /* for the signal handler */
static volatile sig_atomic_t interrupted;

/* Also ends work in progress; read() returns with EINTR. */
static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
	alibi_cancel(job);
}

/* The next interrupt ends the program at once. */
static void catch_interrupt(void)
{
	struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* How the last call went. That it was cancelled is no news. */
static bool succeeded(void)
{
	const alibi_error *e = alibi_last_error(job);
	if (e->code != ALIBI_OK && e->code != ALIBI_CANCELLED)
		fprintf(stderr, "%s\n", e->text);
	return e->code == ALIBI_OK;
}

static bool print_events(alibi_watch *w)
{
	static const char *const names[] = {"violation", "undecided", "unverified"};
	alibi_violation v = {ALIBI_INIT(alibi_violation)};
	const alibi_watch_event *e;
	while ((e = alibi_watch_next(w))) {
		alibi_watch_event_violation(e, &v);
		printf("%s: %s\n", names[alibi_watch_event_what(e)], v.text);
	}
	fflush(stdout);
	return succeeded(); /* NULL is also the end of the events */
}

/* Until the stream ends; false: an error or an interrupt. After an error, the events from before
 * it can still be read. */
static bool watch(alibi_watch *w, int fd, const char *name)
{
	static char bytes[1 << 16];
	bool ok = true;
	ssize_t length = 1;
	while (ok && length > 0 && !interrupted) {
		length = read(fd, bytes, sizeof bytes);
		if (length < 0) {
			if (!interrupted)
				fprintf(stderr, "%s: %s\n", name, strerror(errno));
			return false;
		}
		if (length)
			alibi_watch_text(w, name, bytes, (size_t)length);
		else
			alibi_watch_finish(w);
		ok = succeeded();
		ok = print_events(w) && ok;
	}
	return ok;
}

static int print_summary(const alibi_watch *w)
{
	alibi_watch_stats s = {ALIBI_INIT(alibi_watch_stats)};
	alibi_watch_statistics(w, &s);
	printf("%" PRIu64 " transactions, %" PRIu64 " violations, %" PRIu64 " undecided, %" PRIu64
	       " unverified, %" PRIu64 " in flight\n",
	       s.txns, s.violations, s.undecided, s.unverified, s.waiting);
	return s.violations ? 1 : s.undecided || s.unverified || s.waiting ? 2 : 0;
}

int main(int argc, char **argv)
{
	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: %s LEVEL HORIZON [FILE]\n", argv[0]);
		return 3;
	}
	char *end;
	unsigned long long horizon = strtoull(argv[2], &end, 10);
	if (end == argv[2] || *end) {
		fprintf(stderr, "HORIZON is a number, not '%s'\n", argv[2]);
		return 3;
	}
	const char *name = argc == 4 ? argv[3] : "standard input";
	int fd = argc == 4 ? open(name, O_RDONLY) : STDIN_FILENO;
	if (fd < 0) {
		fprintf(stderr, "%s: %s\n", name, strerror(errno));
		return 3;
	}
	job = alibi_new();
	if (!job) {
		fprintf(stderr, "out of memory\n");
		return 3;
	}
	catch_interrupt();
	alibi_watch_options options = {ALIBI_INIT(alibi_watch_options), .level = argv[1],
	                               .has_horizon = true, .horizon = horizon, .longest = horizon};
	alibi_watch *w = alibi_watch_new(job, &options);
	int status = 3;
	if (w) {
		bool ok = watch(w, fd, name);
		status = print_summary(w);
		if (!ok && !interrupted)
			status = 3;
	} else {
		succeeded();
	}
	alibi_free(job);
	close(fd);
	return status;
}
