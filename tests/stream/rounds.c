/*
 * rounds: streams without timestamps against check, on random histories.
 *
 *     rounds COUNT [SEED]
 *
 * A store is simulated: each transaction takes effect at one moment between its begin and
 * its end, or, if its outcome is unknown, perhaps, and perhaps later. Then some reads are
 * changed. Transactions arrive out of order, with the least horizon that lets nothing be
 * late, and there is a round after every few. Some come twice. At random points all that
 * the watch knows is saved, and another one resumes from there. The verdict must be that
 * of alibi_check() on the whole, and on a beginning of it.
 *
 * Some histories are planted: they violate only by what is long gone.
 *
 * A stream that collects nothing says what check says, however wrong garbage collection is; so
 * collected transactions are counted.
 */
#include "simulated.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	alibi *a = alibi_new();
	alibi_builder *b = alibi_builder_new(a);
	for (int i = 0; i < count; i++)
		feed(b, &h->txns[i], true);
	const alibi_history *built = alibi_builder_finish(b);
	const alibi_result *r = alibi_check(
	        a, built,
	        &(alibi_check_options){ALIBI_INIT(alibi_check_options), .level = level,
	                               .assume_time_order = true, .has_clock_skew = true,
	                               .clock_skew = (uint64_t)h->skew});
	if (!r) {
		fprintf(stderr, "%s\n", alibi_last_error(a)->text);
		exit(1);
	}
	enum alibi_verdict verdict = alibi_result_verdict(r);
	alibi_free(a);
	return verdict;
}

static struct {
	uint64_t passed, failed, violating, gone, rounds, torn, lossy;
} sum;

static void take(alibi_watch *w, bool show)
{
	const alibi_watch_event *e;
	while ((e = alibi_watch_next(w)))
		if (show)
			printf("%s %s\n", event_about(e).kind, event_about(e).text);
}

static alibi_watch_stats watched(const struct random_history *h, int count, const char *level,
                                 size_t round, bool show)
{
	alibi *a = alibi_new();
	alibi_watch_options options = {
	        ALIBI_INIT(alibi_watch_options),    .level = level,       .has_horizon = true,
	        .horizon = least_horizon(h, count), .client_times = true, .has_clock_skew = true,
	        .clock_skew = (uint64_t)h->skew,    .round = round};
	alibi_watch *w = alibi_watch_new(a, &options);
	fail_if(a);
	for (int i = next_arrival(h, -1, w); i < count; i = next_arrival(h, i, w)) {
		feed(alibi_watch_builder(w), &h->txns[i], true);
		take(w, show);
		if (h->twice)
			feed(alibi_watch_builder(w), &h->txns[i], true);
		take(w, show);
		if (h->restarts && i % 7 == 3)
			w = restart(&a, w, &options);
	}
	alibi_watch_finish(w);
	take(w, show);
	fail_if(a);
	alibi_watch_stats stats = watch_stats(w);
	int came = count - (h->gone_until - h->gone_from);
	if (stats.txns != (uint64_t)came || stats.duplicates != (h->twice ? stats.txns : 0)) {
		printf("of %d transactions %" PRIu64 " came, and %" PRIu64 " twice\n", came,
		       stats.txns, stats.duplicates);
		sum.failed++;
	}
	alibi_free(a);
	return stats;
}

static void compare(const struct random_history *h, int count, uint64_t seed)
{
	const char *level = chance(50) ? "ser" : "sser";
	size_t round = (size_t)(1 + below(8));
	enum alibi_verdict wanted = checked(h, count, level);
	alibi_watch_stats got = watched(h, count, level, round, false);
	bool torn = got.by_reason[ALIBI_WATCH_OUTCOME] > 0;
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

/* Of a history that holds some are lost: the rest is not called a violation. */
static void compare_lossy(const struct random_history *h, int count, uint64_t seed)
{
	struct random_history lossy = *h;
	size_t round = (size_t)(1 + below(8));
	simulated_lose(&lossy, count);
	if (lossy.gone_from == lossy.gone_until || checked(h, count, "sser") != ALIBI_VALID)
		return;
	alibi_watch_stats got = watched(&lossy, count, "sser", round, false);
	bool ok = got.verdict == ALIBI_UNKNOWN && !got.violations &&
	          got.by_reason[ALIBI_WATCH_GONE] == 1;
	sum.passed += ok;
	sum.failed += !ok;
	sum.lossy++;
	if (ok || sum.failed > 3)
		return;
	printf("seed %" PRIu64 ": without %d to %d the stream is called %s\n", seed,
	       lossy.gone_from, lossy.gone_until - 1, alibi_verdict_name(got.verdict));
	show(h, count);
	watched(&lossy, count, "sser", round, true);
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
		          (stay ? !got.gone : got.gone > 12);
		sum.passed += ok;
		sum.failed += !ok;
		if (!ok)
			printf("%s: check says %s, the stream %s; %" PRIu64 " collected\n", name,
			       alibi_verdict_name(wanted), alibi_verdict_name(got.verdict),
			       got.gone);
	}
}

static void planted(void)
{
	struct random_history lost = {.restarts = true}, turned = {0}, hidden = {0}, old = {0};
	struct random_history ordered = {0};
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
	add_planted(&ordered, 0, 0, 10, "w21");
	add_planted(&ordered, 1, 5, 25, "w01 w22");
	add_planted(&ordered, 2, 20, 40, "w03 w13");
	add_planted(&ordered, 3, 30, 35, "r01 w14");
	add_planted(&ordered, 4, 45, 48, "w05");
	add_quiet(&ordered, 60);
	add_planted(&ordered, 3, 200, 205, "r21 r14");
	try_planted("a read that orders residual writes", &ordered, false);
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
		simulated_seed(seed);
		simulated_make(&h);
		compare(&h, h.count, seed);
		if (!h.named) /* a writer may not have arrived yet */
			compare(&h, 1 + below(h.count), seed);
		compare_lossy(&h, h.count, seed);
	}
	printf("%" PRIu64 " violate, %" PRIu64 " rounds, %" PRIu64
	       " transactions were collected, %" PRIu64
	       " with a transaction that was torn, %" PRIu64 " of which some was lost\n",
	       sum.violating, sum.rounds, sum.gone, sum.torn, sum.lossy);
	if (!sum.gone || !sum.violating || !sum.lossy) {
		printf("that is too few to show anything\n");
		sum.failed++;
	}
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", sum.passed, sum.failed);
	return sum.failed != 0;
}
