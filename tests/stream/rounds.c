/*
 * rounds: streams without timestamps against check, on random histories.
 *
 *     rounds COUNT [SEED]
 *
 * A store is simulated: each transaction takes effect at one moment between its begin and
 * its end, or, if its outcome is unknown, perhaps, and perhaps later. Then some reads are
 * changed. Transactions arrive out of order, with the least horizon that lets nothing be
 * late, and there is a round after every few. Some come twice. At random points all that
 * the watch knows is saved, and another one goes on from there. The verdict must be that
 * of alibi_check() on the whole, and on a beginning of it.
 *
 * Some histories are planted: they violate only by what is long gone.
 *
 * A stream in which nobody ever goes says what check says whatever is wrong with letting
 * go; so it is counted who goes.
 */
#include <alibi.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TXNS = 80, OPS = 4, KEYS = 6, SESSIONS = 6 };

struct op {
	bool writes, has_from;
	int key, value; /* 0: null, or deleted */
	int from;       /* a transaction, or -1: the initial version */
};

struct txn {
	int id, session, count;
	int64_t begin, end, effect, arrival;
	enum alibi_status status;
	bool takes_effect;
	struct op ops[OPS];
};

struct random_history {
	struct txn txns[TXNS];
	int count, keys;
	int64_t skew, delay;
	bool named, twice, restarts;
};

static uint64_t state;

static int below(int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (int)((state >> 11) % (uint64_t)n);
}

static bool chance(int percent)
{
	return below(100) < percent;
}

/* ---- what happened ---- */

static int by_effect(const void *x, const void *y)
{
	const struct txn *a = x, *b = y;
	return a->effect != b->effect ? (a->effect < b->effect ? -1 : 1) : a->id - b->id;
}

static int by_arrival(const void *x, const void *y)
{
	const struct txn *a = x, *b = y;
	return a->arrival != b->arrival ? (a->arrival < b->arrival ? -1 : 1) : a->id - b->id;
}

static void make_times(struct random_history *h, int sessions, int longest)
{
	int64_t free_at[SESSIONS] = {0};
	int unknown = below(3) ? 0 : 15;
	for (int i = 0; i < h->count; i++) {
		struct txn *t = &h->txns[i];
		*t = (struct txn){.id = i + 1, .session = below(sessions), .count = 1 + below(OPS)};
		t->begin = free_at[t->session] + below(4);
		t->end = t->begin + 1 + below(longest);
		free_at[t->session] = t->end + 1;
		t->effect = t->begin + below((int)(t->end - t->begin) + 1);
		t->takes_effect = true;
		if (chance(5)) {
			t->status = ALIBI_ABORT;
			t->takes_effect = false;
		} else if (chance(unknown)) {
			t->status = ALIBI_UNKNOWN_STATUS;
			t->takes_effect = chance(60);
			t->effect += chance(30) ? below(40) : 0;
		}
	}
}

/* Runs them all, one after the other, by when they take effect. */
static void make_ops(struct random_history *h, int values, int reads, bool late_readers)
{
	int held[KEYS] = {0}, writer[KEYS], next = 1;
	for (int k = 0; k < KEYS; k++)
		writer[k] = -1;
	qsort(h->txns, (size_t)h->count, sizeof *h->txns, by_effect);
	for (int i = 0; i < h->count; i++) {
		struct txn *t = &h->txns[i];
		int own[KEYS], own_writer[KEYS];
		memcpy(own, held, sizeof own);
		memcpy(own_writer, writer, sizeof own_writer);
		/* Who wrote last is seen only at the end. */
		bool blind = late_readers || chance(50);
		bool only_reads = late_readers ? 3 * i > 2 * h->count : chance(reads);
		for (int j = 0; j < t->count; j++) {
			struct op *o = &t->ops[j];
			*o = (struct op){.key = below(h->keys)};
			o->writes = blind ? !only_reads : !chance(reads);
			if (!o->writes) {
				o->value = own[o->key];
				o->from = own_writer[o->key];
				o->has_from = h->named && chance(50);
				continue;
			}
			o->value = values ? 1 + below(values) : next++;
			if (chance(4))
				o->value = 0;
			own[o->key] = o->value;
			own_writer[o->key] = t->id;
		}
		if (t->takes_effect) {
			memcpy(held, own, sizeof held);
			memcpy(writer, own_writer, sizeof writer);
		}
	}
}

/* Some reads return what another transaction wrote, often one that wrote before as well. */
static void break_reads(struct random_history *h, int times)
{
	bool near = chance(60);
	for (int tries = 0; tries < 200 && times; tries++) {
		int reader = below(h->count), writer = below(h->count);
		if (near)
			writer = reader - below(reader < 20 ? reader + 1 : 20);
		struct txn *t = &h->txns[reader], *u = &h->txns[writer];
		struct op *o = &t->ops[below(t->count)], *w = &u->ops[below(u->count)];
		if (o->writes || !w->writes || o->key != w->key || t == u)
			continue;
		o->value = w->value;
		o->from = u->id;
		times--;
	}
}

/* Clocks differ, and messages take their time, but those of a session keep their order. */
static void make_arrival(struct random_history *h)
{
	int64_t last[SESSIONS];
	for (int s = 0; s < SESSIONS; s++)
		last[s] = INT64_MIN;
	for (int i = 0; i < h->count; i++) { /* ids are in session order */
		struct txn *t = NULL;
		for (int j = 0; j < h->count && !t; j++)
			t = h->txns[j].id == i + 1 ? &h->txns[j] : NULL;
		t->begin += below((int)h->skew + 1);
		t->end += below((int)h->skew + 1);
		t->end = t->end < t->begin ? t->begin : t->end;
		t->arrival = t->end + below((int)h->delay + 1);
		if (t->arrival < last[t->session])
			t->arrival = last[t->session];
		last[t->session] = t->arrival;
	}
	qsort(h->txns, (size_t)h->count, sizeof *h->txns, by_arrival);
}

static void make_history(struct random_history *h)
{
	h->count = 8 + below(TXNS - 8);
	h->keys = 1 + below(KEYS);
	h->skew = chance(50) ? 0 : below(12);
	h->delay = chance(30) ? 0 : below(30);
	h->named = chance(15);
	h->twice = chance(20);
	h->restarts = chance(30);
	make_times(h, 1 + below(SESSIONS), 2 + below(chance(20) ? 60 : 15));
	make_ops(h, chance(30) ? 1 + below(5) : 0, 20 + below(60), chance(30));
	if (chance(50))
		break_reads(h, 1 + below(2));
	make_arrival(h);
}

/* ---- to the library ---- */

static alibi_value number(int n)
{
	return n ? (alibi_value){.kind = ALIBI_INT, .integer = n} : (alibi_value){0};
}

static void feed(alibi_builder *b, const struct txn *t)
{
	for (int i = 0; i < t->count; i++) {
		const struct op *o = &t->ops[i];
		alibi_op op = {.kind = o->writes ? ALIBI_WRITE : ALIBI_READ,
		               .key = number(o->key + 1),
		               .value = number(o->value),
		               .has_from = !o->writes && o->has_from};
		if (o->from > 0)
			op.from = number(o->from);
		alibi_builder_op(b, &op);
	}
	alibi_builder_end(b, &(alibi_txn){.id = number(t->id),
	                                  .session = number(t->session + 1),
	                                  .status = t->status,
	                                  .has = ALIBI_HAS_BEGIN | ALIBI_HAS_END,
	                                  .begin = t->begin,
	                                  .end = t->end});
}

/* With this distance from the newest end to the oldest begin nothing is late. */
static uint64_t least_horizon(const struct random_history *h, int count)
{
	int64_t newest = INT64_MIN, horizon = 0;
	for (int i = 0; i < count; i++) {
		const struct txn *t = &h->txns[i];
		if (newest != INT64_MIN && newest - t->begin > horizon)
			horizon = newest - t->begin;
		if (t->status == ALIBI_COMMIT && t->end > newest)
			newest = t->end;
	}
	return (uint64_t)horizon;
}

static enum alibi_verdict checked(const struct random_history *h, int count, const char *level)
{
	alibi *a = alibi_new(NULL);
	alibi_builder *b = alibi_builder_new(a);
	for (int i = 0; i < count; i++)
		feed(b, &h->txns[i]);
	const alibi_history *built = alibi_builder_finish(b);
	const alibi_result *r =
	        alibi_check(a, built,
	                    &(alibi_check_options){.level = level,
	                                           .assume_time_order = true,
	                                           .has_clock_skew = true,
	                                           .clock_skew = (uint64_t)h->skew});
	if (!r) {
		fprintf(stderr, "%s\n", alibi_last_error(a)->text);
		exit(1);
	}
	enum alibi_verdict verdict = r->verdict;
	alibi_free(a);
	return verdict;
}

static struct {
	uint64_t passed, failed, violating, gone, rounds, torn;
} sum;

struct saved {
	unsigned char bytes[1 << 16];
	size_t length;
};

static bool keep(void *data, const void *bytes, size_t length)
{
	struct saved *s = data;
	if (length > sizeof s->bytes - s->length)
		return false;
	memcpy(s->bytes + s->length, bytes, length);
	s->length += length;
	return true;
}

static void fail_if(alibi *a)
{
	if (alibi_last_error(a)->code == ALIBI_OK)
		return;
	fprintf(stderr, "%s\n", alibi_last_error(a)->text);
	exit(1);
}

static void take(alibi_watch *w, bool show)
{
	const alibi_watch_event *e;
	while ((e = alibi_watch_next(w)))
		if (show)
			printf("%s %s\n", e->about.kind, e->about.text);
}

/* Another watch goes on from what this one knows. */
static alibi_watch *restart(alibi **a, alibi_watch *w, const alibi_watch_options *options)
{
	static struct saved saved;
	saved.length = 0;
	alibi_watch_save(w, keep, &saved);
	fail_if(*a);
	alibi_free(*a);
	*a = alibi_new(NULL);
	w = alibi_watch_new(*a, options);
	alibi_watch_load(w, saved.bytes, saved.length);
	fail_if(*a);
	return w;
}

static alibi_watch_stats watched(const struct random_history *h, int count, const char *level,
                                 size_t round, bool show)
{
	alibi *a = alibi_new(NULL);
	alibi_watch_options options = {.level = level,
	                               .has_horizon = true,
	                               .horizon = least_horizon(h, count),
	                               .client_times = true,
	                               .has_clock_skew = true,
	                               .clock_skew = (uint64_t)h->skew,
	                               .round = round};
	alibi_watch *w = alibi_watch_new(a, &options);
	fail_if(a);
	for (int i = 0; i < count; i++) {
		feed(alibi_watch_builder(w), &h->txns[i]);
		take(w, show);
		if (h->twice)
			feed(alibi_watch_builder(w), &h->txns[i]);
		take(w, show);
		if (h->restarts && i % 7 == 3)
			w = restart(&a, w, &options);
	}
	alibi_watch_finish(w);
	take(w, show);
	fail_if(a);
	alibi_watch_stats stats = alibi_watch_statistics(w);
	if (stats.txns != (uint64_t)count || stats.duplicates != (h->twice ? stats.txns : 0))
		sum.failed++;
	alibi_free(a);
	return stats;
}

static void show(const struct random_history *h, int count)
{
	for (int i = 0; i < count; i++) {
		const struct txn *t = &h->txns[i];
		static const char *const status[] = {"commit", "abort", "unknown"};
		printf("{\"id\":%d,\"session\":%d,\"status\":\"%s\",\"begin\":%" PRId64
		       ",\"end\":%" PRId64 ",\"ops\":[",
		       t->id, t->session + 1, status[t->status], t->begin, t->end);
		for (int j = 0; j < t->count; j++) {
			const struct op *o = &t->ops[j];
			printf("%s[\"%s\",%d", j ? "," : "",
			       !o->writes ? "r"
			       : o->value ? "w"
			                  : "d",
			       o->key + 1);
			if (!o->writes && !o->value)
				printf(",null");
			else if (o->value)
				printf(",%d", o->value);
			if (!o->writes && o->has_from && o->from > 0)
				printf(",{\"from\":%d}", o->from);
			else if (!o->writes && o->has_from)
				printf(",{\"from\":null}");
			printf("]");
		}
		printf("]}\n");
	}
}

static void compare(const struct random_history *h, int count, uint64_t seed)
{
	const char *level = chance(50) ? "ser" : "sser";
	size_t round = (size_t)(1 + below(8));
	enum alibi_verdict wanted = checked(h, count, level);
	alibi_watch_stats got = watched(h, count, level, round, false);
	bool torn = got.by_outcome > 0;
	bool same = got.verdict == wanted || (torn && got.verdict == ALIBI_UNKNOWN);
	sum.passed += same;
	sum.failed += !same;
	sum.violating += wanted == ALIBI_VIOLATES;
	sum.gone += got.gone;
	sum.rounds += got.rounds;
	sum.torn += torn;
	if (same || sum.failed > 3)
		return;
	printf("seed %" PRIu64 ": check says %s, the stream %s (%s, skew %" PRId64
	       ", horizon %" PRIu64 ", round %zu, unverified %" PRIu64 ")\n",
	       seed, alibi_verdict_name(wanted), alibi_verdict_name(got.verdict), level, h->skew,
	       least_horizon(h, count), round, got.unverified);
	show(h, count);
	watched(h, count, level, round, true);
}

/* ---- planted ---- */

/* Some in a row that use another key, so that all before them can go. */
static void add_quiet(struct random_history *h, int64_t from)
{
	for (int i = 0; i < 12; i++) {
		struct txn t = {.id = h->count + 1, .session = 5, .count = 1};
		t.begin = from + 10 * i;
		t.end = t.begin + 5;
		t.ops[0] = (struct op){.writes = true, .key = 5, .value = 100 + i};
		h->txns[h->count++] = t;
	}
}

static void add_planted(struct random_history *h, int session, int64_t begin, int64_t end,
                        const char *ops)
{
	struct txn t = {.id = h->count + 1, .session = session, .begin = begin, .end = end};
	for (; *ops; ops += ops[3] ? 4 : 3) /* w01 r23: key and value are digits */
		t.ops[t.count++] = (struct op){
		        .writes = *ops == 'w', .key = ops[1] - '0', .value = ops[2] - '0'};
	h->txns[h->count++] = t;
}

/* stay: they all have to. */
static void try_planted(const char *name, const struct random_history *h, bool stay)
{
	for (size_t round = 1; round < 8; round++) {
		enum alibi_verdict wanted = checked(h, h->count, "ser");
		alibi_watch_stats got = watched(h, h->count, "ser", round, false);
		bool ok = wanted == ALIBI_VIOLATES && got.verdict == wanted &&
		          (stay || got.gone > 12);
		sum.passed += ok;
		sum.failed += !ok;
		if (!ok)
			printf("%s: check says %s, the stream %s; %" PRIu64 " went\n", name,
			       alibi_verdict_name(wanted), alibi_verdict_name(got.verdict),
			       got.gone);
	}
}

static void planted(void)
{
	struct random_history lost = {.restarts = true}, turned = {0}, hidden = {0}, old = {0};
	struct random_history settled = {0};
	/* Two read the same and write; the first is long gone when the second comes. */
	add_planted(&lost, 0, 0, 5, "w01");
	add_planted(&lost, 1, 10, 15, "r01 w02");
	add_quiet(&lost, 20);
	add_planted(&lost, 2, 200, 205, "r01 w03");
	add_quiet(&lost, 210);
	try_planted("a lost update", &lost, false);
	/* The first ended before the second began; the third ran beside both. That its write of
	 * one key was overwritten by the first, and its write of the other overwrote the
	 * second's, does not go together. */
	add_planted(&turned, 0, 0, 10, "w01");
	add_planted(&turned, 1, 20, 30, "w11");
	add_planted(&turned, 2, 5, 25, "w02 w12");
	add_quiet(&turned, 40);
	add_planted(&turned, 3, 200, 205, "r01 r12");
	try_planted("a group that is not free", &turned, true);
	/* The second read what the first wrote, so the third, which ran beside both, came
	 * before both or after both. */
	add_planted(&hidden, 0, 0, 10, "w01");
	add_planted(&hidden, 1, 15, 20, "r01 w13");
	add_planted(&hidden, 2, 0, 30, "w02 w12");
	add_quiet(&hidden, 40);
	add_planted(&hidden, 3, 200, 205, "r02 r13");
	try_planted("a read that settles what was last", &hidden, true);
	/* As before, but the key that was read is overwritten, so that only what it settles is
	 * left of it: the fourth read what the second wrote, so the third, which began when the
	 * first had ended, came before the second or after the fourth. */
	add_planted(&settled, 0, 0, 10, "w21");
	add_planted(&settled, 1, 5, 25, "w01 w22");
	add_planted(&settled, 2, 20, 40, "w03 w13");
	add_planted(&settled, 3, 30, 35, "r01 w14");
	add_planted(&settled, 4, 45, 48, "w05");
	add_quiet(&settled, 60);
	add_planted(&settled, 3, 200, 205, "r21 r14");
	try_planted("a read that settles what is left", &settled, true);
	add_planted(&old, 0, 0, 5, "w01");
	add_planted(&old, 0, 10, 15, "w02");
	add_quiet(&old, 20);
	add_planted(&old, 1, 200, 205, "r01");
	try_planted("a read of what was overwritten", &old, false);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	planted();
	for (uint64_t i = 0; i < count; i++, seed++) {
		struct random_history h = {0};
		state = seed * 0x9e3779b97f4a7c15u + 1;
		make_history(&h);
		compare(&h, h.count, seed);
		if (!h.named) /* a writer may not have arrived yet */
			compare(&h, 1 + below(h.count), seed);
	}
	printf("%" PRIu64 " violate, %" PRIu64 " rounds, %" PRIu64 " transactions went, %" PRIu64
	       " with a transaction that was torn\n",
	       sum.violating, sum.rounds, sum.gone, sum.torn);
	if (!sum.gone || !sum.violating)
		sum.failed++;
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", sum.passed, sum.failed);
	return sum.failed != 0;
}
