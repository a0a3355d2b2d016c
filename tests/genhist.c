/*
 * genhist: large histories with a known verdict, on standard output in Alibi's format.
 *
 * A store is simulated in which sessions run transactions at the same time. A session has one event
 * to come, a start or a commit, within the next WHEEL ticks; all sessions stand in a timing wheel,
 * a list for each tick. The commit order, which is the order of the lines, explains the history:
 *
 *   mode=ser   a transaction reads and writes when it commits
 *   mode=si    it reads when it starts, and fails if a key that it writes was committed since
 *
 * break= plants an anomaly in the middle, in sessions of its own, at the last two keys: lost-update
 * and long-fork violate si and ser, write-skew violates ser only.
 * Nothing is shared with the library or with `alibi generate`.
 *
 *   genhist NAME=VALUE...
 *
 *   mode ser|si, shape mixed|blindw|rmw, break none|lost-update|write-skew|long-fork
 *   txns sessions keys seed
 *   ops        operations of a transaction
 *   reads      share of reads; with shape=blindw, of transactions that only read
 *   zipf       skew of the keys, 0: none
 *   dup        share of the keys whose values repeat: dupvalues of them, with skew duptheta
 *   times      1: clients' begin and end        stamps   1: the store's timestamps
 *   aborts     1: with the transactions that failed
 */
#include "random.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPS 256
#define WHEEL 1024
#define REST 10    /* ticks at least between two events of a session */
#define RUNS 1000  /* a transaction takes up to so many ticks more */
#define PAUSES 100 /* and so does the pause after it */
#define MARGIN 3   /* ticks from the client's begin to the start, and from the commit to its end */
#define ABSENT (-1)

struct op {
	bool writes;
	int key;
	long value;
};

struct txn {
	bool runs;
	long start, snapshot; /* when it began, and when it reads */
	int count;
	struct op ops[MAX_OPS];
};

/* Cumulative weights of 0 ... count - 1; no weights: all are equal. */
struct dice {
	int count;
	double *upto;
};

struct options {
	bool si, rmw, blind, times, stamps, aborts;
	const char *anomaly;
	long txns, sessions, ops, keys;
	double reads, dup;
	struct dice key, dup_value;
};

struct store {
	struct options o;
	uint64_t seed;
	long clock, fresh;
	long *value, *committed; /* by key: what it holds, and since when */
};

/* ---- random numbers ---- */

static double draw_share(struct store *s)
{
	return (double)(random_next(&s->seed) >> 11) / 9007199254740992.0;
}

static struct dice make_dice(long count, double theta)
{
	struct dice d = {(int)count, NULL};
	if (theta <= 0)
		return d;
	d.upto = calloc((size_t)count, sizeof *d.upto);
	double sum = 0;
	for (int i = 0; i < count; i++)
		d.upto[i] = sum += pow(i + 1, -theta);
	return d;
}

static int throw_dice(struct store *s, const struct dice *d)
{
	if (!d->upto)
		return (int)(random_next(&s->seed) % (unsigned)d->count);
	double mark = draw_share(s) * d->upto[d->count - 1];
	int low = 0, high = d->count - 1;
	while (low < high) {
		int middle = (low + high) / 2;
		if (d->upto[middle] < mark)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- transactions ---- */

static void add_op(struct txn *t, bool writes, int key, long value)
{
	if (t->count < MAX_OPS)
		t->ops[t->count++] = (struct op){writes, key, value};
}

static bool reads_key(const struct txn *t, int key)
{
	for (int i = 0; i < t->count; i++)
		if (!t->ops[i].writes && t->ops[i].key == key)
			return true;
	return false;
}

static void start(struct store *s, struct txn *t)
{
	const struct options *o = &s->o;
	bool only_reads = draw_share(s) < o->reads;
	t->runs = true;
	t->start = s->clock;
	t->count = 0;
	for (long i = 0; i < o->ops; i++) {
		int key = throw_dice(s, &o->key);
		if (o->blind ? only_reads : draw_share(s) < o->reads) {
			add_op(t, false, key, ABSENT);
			continue;
		}
		if (o->rmw && !reads_key(t, key))
			add_op(t, false, key, ABSENT);
		bool repeats = key < o->dup * (double)o->keys;
		add_op(t, true, key, repeats ? throw_dice(s, &o->dup_value) : ++s->fresh);
	}
}

/* It reads now: its own last write, or what the store has. */
static void read_store(const struct store *s, struct txn *t)
{
	t->snapshot = s->clock;
	for (int i = 0; i < t->count; i++) {
		struct op *op = &t->ops[i];
		if (op->writes)
			continue;
		op->value = s->value[op->key];
		for (int j = 0; j < i; j++)
			if (t->ops[j].writes && t->ops[j].key == op->key)
				op->value = t->ops[j].value;
	}
}

static bool conflicts(const struct store *s, const struct txn *t)
{
	for (int i = 0; i < t->count; i++)
		if (t->ops[i].writes && s->committed[t->ops[i].key] > t->start)
			return true;
	return false;
}

static void write_store(struct store *s, const struct txn *t)
{
	for (int i = 0; i < t->count; i++) {
		if (!t->ops[i].writes)
			continue;
		s->value[t->ops[i].key] = t->ops[i].value;
		s->committed[t->ops[i].key] = s->clock;
	}
}

/* It ends now. */
static void print_txn(const struct store *s, long session, const struct txn *t, bool aborted)
{
	printf("{\"session\":%ld", session);
	if (aborted)
		printf(",\"status\":\"abort\"");
	if (s->o.times)
		printf(",\"begin\":%ld,\"end\":%ld", t->start - MARGIN, s->clock + MARGIN);
	if (s->o.stamps && !aborted)
		printf(",\"start_ts\":%ld,\"commit_ts\":%ld", t->snapshot, s->clock);
	printf(",\"ops\":[");
	for (int i = 0; i < t->count; i++) {
		const struct op *op = &t->ops[i];
		printf("%s[\"%c\",\"k%d\",", i ? "," : "", op->writes ? 'w' : 'r', op->key);
		if (op->value == ABSENT)
			printf("null]");
		else
			printf("%ld]", op->value);
	}
	puts("]}");
}

/* ---- anomalies ---- */

/*
 * Those that write start together, read what was there, and commit one after the other. Two readers
 * of a long fork each see one of the two writes.
 */
static void plant(struct store *s)
{
	bool lost = !strcmp(s->o.anomaly, "lost-update"),
	     skew = !strcmp(s->o.anomaly, "write-skew");
	int x = (int)s->o.keys - 2, y = lost ? x : x + 1, keys[] = {x, y};
	long old[] = {s->value[x], s->value[y]}, new[] = {++s->fresh, ++s->fresh};
	long begun = s->clock;
	struct txn t;
	for (int i = 0; i < 2; i++) {
		t = (struct txn){.start = begun + i, .snapshot = begun + i};
		s->clock = begun + REST + i;
		for (int k = 0; k < 2; k++)
			if (k == i || skew)
				add_op(&t, false, keys[k], old[k]);
		add_op(&t, true, keys[i], new[i]);
		print_txn(s, s->o.sessions + i, &t, false);
	}
	for (int i = 0; i < 2; i++) {
		s->value[keys[i]] = new[i];
		s->committed[keys[i]] = s->clock;
	}
	for (int i = 0; i < 2 && !lost && !skew; i++) {
		long now = begun + 2 * REST + i;
		t = (struct txn){.start = now, .snapshot = now};
		s->clock = begun + 3 * REST + i;
		add_op(&t, false, x, i ? old[0] : new[0]);
		add_op(&t, false, y, i ? new[1] : old[1]);
		print_txn(s, s->o.sessions + 2 + i, &t, false);
	}
}

/* ---- the run ---- */

/* Starts or ends the transaction of a session; true: it committed. */
static bool advance(struct store *s, long session, struct txn *t)
{
	s->clock++;
	t->runs = !t->runs;
	if (t->runs) {
		start(s, t);
		if (s->o.si)
			read_store(s, t);
		return false;
	}
	bool aborts = s->o.si && conflicts(s, t);
	if (!s->o.si)
		read_store(s, t);
	if (!aborts)
		write_store(s, t);
	if (!aborts || s->o.aborts)
		print_txn(s, session, t, aborts);
	return !aborts;
}

static void run(struct store *s)
{
	long sessions = s->o.sessions;
	struct txn *txns = calloc((size_t)sessions, sizeof *txns);
	long *next = calloc((size_t)sessions, sizeof *next); /* in its list, from 1 */
	long wheel[WHEEL] = {0};
	for (long i = 0; i < sessions; i++) {
		long *slot = &wheel[random_next(&s->seed) % WHEEL];
		next[i] = *slot;
		*slot = i + 1;
	}
	bool planted = !strcmp(s->o.anomaly, "none");
	for (long done = 0, now = s->clock; done < s->o.txns; now++) {
		long list = wheel[now % WHEEL];
		wheel[now % WHEEL] = 0;
		while (list && done < s->o.txns) {
			long i = list - 1;
			list = next[i];
			s->clock = s->clock < now ? now : s->clock;
			done += advance(s, i, &txns[i]);
			long wait = REST +
			            (long)(random_next(&s->seed) % (txns[i].runs ? RUNS : PAUSES));
			next[i] = wheel[(now + wait) % WHEEL];
			wheel[(now + wait) % WHEEL] = i + 1;
			if (!planted && done >= s->o.txns / 2) {
				s->clock++;
				plant(s);
				planted = true;
			}
		}
	}
	free(txns);
	free(next);
}

/* The value of an option, the last one given; known: how many words were options */
static const char *word(int argc, char **argv, const char *name, const char *otherwise, int *known)
{
	size_t length = strlen(name);
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], name, length) && argv[i][length] == '=') {
			++*known;
			otherwise = argv[i] + length + 1;
		}
	return otherwise;
}

static double number(int argc, char **argv, const char *name, const char *otherwise, int *known)
{
	return strtod(word(argc, argv, name, otherwise, known), NULL);
}

int main(int argc, char **argv)
{
	int known = 0;
#define WORD(name, otherwise) word(argc, argv, name, otherwise, &known)
#define NUMBER(name, otherwise) number(argc, argv, name, otherwise, &known)
	const char *shape = WORD("shape", "mixed");
	struct store s = {.clock = 100, .fresh = 1000};
	s.o = (struct options){
	        .si = !strcmp(WORD("mode", "ser"), "si"),
	        .rmw = !strcmp(shape, "rmw"),
	        .blind = !strcmp(shape, "blindw"),
	        .times = NUMBER("times", "0") > 0,
	        .stamps = NUMBER("stamps", "0") > 0,
	        .aborts = NUMBER("aborts", "0") > 0,
	        .anomaly = WORD("break", "none"),
	        .txns = (long)NUMBER("txns", "1000"),
	        .sessions = (long)NUMBER("sessions", "20"),
	        .ops = (long)NUMBER("ops", "8"),
	        .keys = (long)NUMBER("keys", "1000"),
	        .reads = NUMBER("reads", "0.5"),
	        .dup = NUMBER("dup", "0"),
	};
	s.seed = (uint64_t)NUMBER("seed", "1");
	s.o.key = make_dice(s.o.keys, NUMBER("zipf", "0"));
	s.o.dup_value = make_dice((long)NUMBER("dupvalues", "100"), NUMBER("duptheta", "0.5"));
	if (known != argc - 1 || s.o.keys < 2 || s.o.sessions < 1 || s.o.ops > MAX_OPS) {
		fprintf(stderr, "genhist: a size or a name is wrong\n");
		return 254;
	}
	s.value = malloc((size_t)s.o.keys * sizeof *s.value);
	s.committed = calloc((size_t)s.o.keys, sizeof *s.committed);
	for (long k = 0; k < s.o.keys; k++)
		s.value[k] = ABSENT;
	run(&s);
	free(s.value);
	free(s.committed);
	free(s.o.key.upto);
	free(s.o.dup_value.upto);
	return 0;
}
