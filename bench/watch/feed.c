/*
 * feed: what genhist prints, as a stream for alibi watch.
 *
 *     feed delay <HISTORY >STREAM    lines as they would arrive: after a delay of
 *                                    N(100, 10²), each session in its own order
 *     feed packed LEVEL THREADS [SHARDS] <STREAM    straight into the library, from memory
 *     feed text LEVEL THREADS [SHARDS] <STREAM      JSON Lines, from memory
 *
 * The latter two print the seconds that the library took: CPU seconds of all threads, of
 * the thread that had the most, and by the clock on the wall. With SHARDS the first of so many
 * is judged. Transactions are made, or
 * lines read, a block at a time, and only the feeding is timed.
 */
#include <alibi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	LINE_MAX_BYTES = 1 << 14,
	OPS_MAX = 16,
	BLOCK = 2048,
	TEXT_BYTES = 1 << 18,
	HELD_MAX = 1 << 12,
	SESSIONS = 1 << 12
};
enum { HORIZON = 150, LONGEST = 1100 };

/* The number after "name": in a line. */
static long number_after(const char *line, const char *name)
{
	const char *at = strstr(line, name);
	return at ? strtol(at + strlen(name), NULL, 10) : 0;
}

/* ---- delay ---- */

struct held {
	double arrives;
	char *line;
};

static uint64_t seed = 88172645463325252u;
static struct held held[HELD_MAX]; /* a heap */
static size_t held_count;
static double last_arrival[SESSIONS];

static double unit(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static double delay(void)
{
	return 100 + 10 * sqrt(-2 * log(1 - unit())) * cos(2 * 3.14159265358979 * unit());
}

static void hold(struct held h)
{
	size_t i = held_count++;
	for (; i && held[(i - 1) / 2].arrives > h.arrives; i = (i - 1) / 2)
		held[i] = held[(i - 1) / 2];
	held[i] = h;
}

static void release(void)
{
	struct held h = held[--held_count];
	size_t i = 0, child;
	fputs(held[0].line, stdout);
	free(held[0].line);
	while ((child = 2 * i + 1) < held_count) {
		if (child + 1 < held_count && held[child + 1].arrives < held[child].arrives)
			child++;
		if (held[child].arrives >= h.arrives)
			break;
		held[i] = held[child];
		i = child;
	}
	held[i] = h;
}

static int delay_all(void)
{
	static char line[LINE_MAX_BYTES];
	while (fgets(line, sizeof line, stdin)) {
		double commit = (double)number_after(line, "\"commit_ts\":");
		double *last = &last_arrival[number_after(line, "\"session\":") % SESSIONS];
		double arrives = fmax(commit + delay(), nextafter(*last, INFINITY));
		*last = arrives;
		while (held_count && (held[0].arrives < commit || held_count == HELD_MAX))
			release();
		hold((struct held){.arrives = arrives, .line = strdup(line)});
	}
	while (held_count)
		release();
	return 0;
}

/* ---- packed ---- */

struct packed {
	alibi_txn txn;
	size_t count;
	alibi_op ops[OPS_MAX];
	char line[LINE_MAX_BYTES / 16]; /* has the keys */
};

/* ["r","k12",345] */
static char *pack_op(struct packed *p, char *at)
{
	alibi_op *o = &p->ops[p->count++];
	*o = (alibi_op){ALIBI_INIT(alibi_op), .kind = at[2] == 'w' ? ALIBI_WRITE : ALIBI_READ};
	char *key = at + 6, *end = strchr(key, '"');
	o->key = (alibi_value){.kind = ALIBI_STRING, .text = key, .length = (size_t)(end - key)};
	char *value = end + 2;
	if (*value != 'n')
		o->value = (alibi_value){.kind = ALIBI_INT, .integer = strtol(value, NULL, 10)};
	return strchr(value, ']');
}

static bool pack(struct packed *p)
{
	if (!fgets(p->line, sizeof p->line, stdin))
		return false;
	char *at = strstr(p->line, "\"ops\":[");
	p->count = 0;
	p->txn = (alibi_txn){
	        ALIBI_INIT(alibi_txn),
	        .session = {.kind = ALIBI_INT, .integer = number_after(p->line, "\"session\":")},
	        .has = ALIBI_HAS_START_TS | ALIBI_HAS_COMMIT_TS,
	        .start_ts = {.physical = number_after(p->line, "\"start_ts\":")},
	        .commit_ts = {.physical = number_after(p->line, "\"commit_ts\":")}};
	for (at = at ? strstr(at + 7, "[\"") : NULL; at; at = strstr(at, "[\""))
		at = pack_op(p, at);
	return true;
}

/* On the clocks of the process, of this thread, and on the wall. */
struct seconds {
	double all, own, wall;
};

static double on_clock(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* sign 1: ends an interval, -1: begins it. */
static void add_now(struct seconds *s, double sign)
{
	s->all += sign * on_clock(CLOCK_PROCESS_CPUTIME_ID);
	s->own += sign * on_clock(CLOCK_THREAD_CPUTIME_ID);
	s->wall += sign * on_clock(CLOCK_MONOTONIC);
}

static bool feed_block(alibi_watch *w, const struct packed *block, size_t count)
{
	alibi_builder *b = alibi_watch_builder(w);
	bool ok = true;
	for (size_t i = 0; i < count && ok; i++) {
		for (size_t op = 0; op < block[i].count && ok; op++)
			ok = alibi_builder_op(b, &block[i].ops[op]);
		ok = ok && alibi_builder_end(b, &block[i].txn);
	}
	while (ok && alibi_watch_next(w))
		;
	return ok;
}

/* The next block of the stream, timed. False: that was all, or it failed (*ok). */
static bool feed_packed(alibi_watch *w, struct packed *block, struct seconds *s, bool *ok)
{
	size_t count = 0;
	while (count < BLOCK && pack(&block[count]))
		count++;
	add_now(s, -1);
	*ok = feed_block(w, block, count);
	add_now(s, 1);
	return *ok && count == BLOCK;
}

static bool feed_text(alibi_watch *w, char *text, struct seconds *s, bool *ok)
{
	size_t length = fread(text, 1, TEXT_BYTES, stdin);
	add_now(s, -1);
	*ok = alibi_watch_text(w, "stream", text, length);
	while (*ok && alibi_watch_next(w))
		;
	add_now(s, 1);
	return *ok && length == TEXT_BYTES;
}

static int feed_all(bool packed, const char *level, unsigned threads, unsigned shards)
{
	alibi *a = alibi_new();
	alibi_watch *w =
	        alibi_watch_new(a, &(alibi_watch_options){ALIBI_INIT(alibi_watch_options),
	                                                  .level = level, .has_horizon = true,
	                                                  .horizon = HORIZON, .longest = LONGEST,
	                                                  .threads = threads, .shards = shards});
	void *block = malloc(packed ? BLOCK * sizeof(struct packed) : TEXT_BYTES);
	struct seconds s = {0};
	bool ok = w && block;
	while (ok && (packed ? feed_packed(w, block, &s, &ok) : feed_text(w, block, &s, &ok)))
		;
	if (ok && alibi_watch_finish(w)) {
		alibi_watch_stats stats = {ALIBI_INIT(alibi_watch_stats)};
		alibi_watch_statistics(w, &stats);
		double others = threads > 1 ? (s.all - s.own) / (threads - 1) : 0;
		printf("{\"seconds\":%.3f,\"longest\":%.3f,\"wall\":%.3f,\"txns\":%lu,"
		       "\"violations\":%lu,\"unverified\":%lu,\"bytes\":%zu}\n",
		       s.all, fmax(s.own, others), s.wall, (unsigned long)stats.txns,
		       (unsigned long)stats.violations, (unsigned long)stats.unverified,
		       alibi_peak_bytes(a));
	} else {
		fprintf(stderr, "feed: %s\n", w ? alibi_last_error(a)->text : "cannot start");
		ok = false;
	}
	alibi_free(a);
	free(block);
	return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "delay"))
		return delay_all();
	if ((argc == 4 || argc == 5) && (!strcmp(argv[1], "packed") || !strcmp(argv[1], "text")))
		return feed_all(*argv[1] == 'p', argv[2], (unsigned)strtoul(argv[3], NULL, 10),
		                argc == 5 ? (unsigned)strtoul(argv[4], NULL, 10) : 1);
	fputs("feed: say delay, or packed or text LEVEL THREADS [SHARDS]\n", stderr);
	return 2;
}
