/*
 * fences: streams without timestamps and clocks against check, on random histories.
 *
 *     fences COUNT [SEED]
 *
 * Histories are those of simulated.h, with fences put in at random: too few, too many, aborted
 * ones, some of unknown outcome, two that read the same, some that only write, some whose
 * values are not new. Sessions are further away than others, and arrive out of order as
 * far as that is allowed; some transactions come twice. At random points all that the watch
 * knows is saved, and another one resumes from there. The verdict must be that of
 * alibi_check() at ser, on the whole and on beginnings, all of them if there are few; and
 * a watch that was never ended must have reported the same, with the same ids.
 *
 * Then there are planted histories, about one thing each: what is reported, and what is collected.
 */
#include "simulated.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_BEGINNINGS = 16, ID = 32, TOLD = 64, HORIZON_NONE = 0 };

static struct {
	uint64_t passed, failed, violating, gone, rounds, torn, unclear, late;
} sum;

/* What a watch said. */
struct said {
	alibi_watch_stats running, stats; /* before the end of the stream, and after it */
	size_t count;
	char ids[TOLD][ID + 1], kinds[TOLD][16];
};

struct way {
	int sessions;
	uint64_t horizon; /* HORIZON_NONE: there is none */
	size_t round;
	bool restarts, show, times;
};

static void check(bool ok, const char *name, const char *what)
{
	sum.passed += ok;
	sum.failed += !ok;
	if (!ok)
		printf("failed: %s: %s\n", name, what);
}

static enum alibi_verdict checked(const struct random_history *h, int count, bool times)
{
	alibi *a = alibi_new();
	alibi_builder *b = alibi_builder_new(a);
	for (int i = 0; i < count; i++)
		feed(b, &h->txns[i], times);
	const alibi_history *built = alibi_builder_finish(b);
	const alibi_result *r = alibi_check(
	        a, built, &(alibi_check_options){ALIBI_INIT(alibi_check_options), .level = "ser"});
	fail_if(a);
	enum alibi_verdict verdict = alibi_result_verdict(r);
	alibi_free(a);
	return verdict;
}

static void take(alibi_watch *w, bool show, struct said *said)
{
	const alibi_watch_event *e;
	while ((e = alibi_watch_next(w))) {
		if (show)
			printf("%s %s\n", event_about(e).kind, event_about(e).text);
		if (strstr(event_about(e).text, "clock") ||
		    strstr(event_about(e).text, "real time") ||
		    strstr(event_about(e).text, "ended at"))
			check(false, "a text that speaks of clocks", event_about(e).text);
		if (said->count == TOLD)
			continue;
		snprintf(said->ids[said->count], ID + 1, "%s", alibi_watch_event_id(e));
		snprintf(said->kinds[said->count++], sizeof said->kinds[0], "%s",
		         event_about(e).kind);
	}
}

static void watched(const struct random_history *h, int count, const struct way *way,
                    struct said *said)
{
	alibi *a = alibi_new();
	alibi_watch_options options = {ALIBI_INIT(alibi_watch_options),
	                               .level = "ser",
	                               .fence = "7",
	                               .fence_sessions = (uint64_t)way->sessions,
	                               .has_horizon = way->horizon != HORIZON_NONE,
	                               .horizon = way->horizon,
	                               .round = way->round};
	alibi_watch *w = alibi_watch_new(a, &options);
	fail_if(a);
	memset(said, 0, sizeof *said);
	for (int i = next_arrival(h, -1, w); i < count; i = next_arrival(h, i, w)) {
		feed(alibi_watch_builder(w), &h->txns[i], way->times);
		take(w, way->show, said);
		if (h->twice)
			feed(alibi_watch_builder(w), &h->txns[i < 20 ? i : i - i % 20], way->times);
		take(w, way->show, said);
		if (way->restarts && i % 7 == 3)
			w = restart(&a, w, &options);
	}
	said->running = watch_stats(w);
	alibi_watch_finish(w);
	take(w, way->show, said);
	fail_if(a);
	said->stats = watch_stats(w);
	alibi_free(a);
}

static bool same_said(const struct said *a, const struct said *b)
{
	const alibi_watch_stats *x = &a->stats, *y = &b->stats;
	return a->count == b->count && !memcmp(a->ids, b->ids, sizeof a->ids) &&
	       x->verdict == y->verdict && x->txns == y->txns && x->fences == y->fences &&
	       x->rounds == y->rounds && x->gone == y->gone && x->waiting == y->waiting &&
	       x->sessions == y->sessions && x->violations == y->violations &&
	       x->unverified == y->unverified && x->duplicates == y->duplicates;
}

/* Of a history that holds some are lost: the rest is not called a violation, and that does not
 * depend on restarts. */
static void compare_lossy(const struct random_history *h, int count, struct way way,
                          const char *name)
{
	static struct said said, again;
	struct random_history lossy = *h;
	simulated_lose(&lossy, count);
	if (lossy.gone_from == lossy.gone_until)
		return;
	watched(&lossy, count, &way, &said);
	bool ok = said.stats.verdict == ALIBI_UNKNOWN && !said.stats.violations &&
	          said.stats.by_reason[ALIBI_WATCH_GONE] == 1;
	check(ok, name, "with some of it lost, it is called a violation");
	if (!ok && sum.failed < 4) {
		printf("without %d to %d\n", lossy.gone_from, lossy.gone_until - 1);
		show(h, count);
		way.show = true;
		watched(&lossy, count, &way, &again);
		way.show = false;
	}
	way.restarts = !way.restarts;
	watched(&lossy, count, &way, &again);
	check(same_said(&said, &again), name, "with some of it lost, restarts change it");
}

static void compare(const struct random_history *h, int count, struct way way, uint64_t seed)
{
	static struct said said, again;
	char name[64];
	enum alibi_verdict wanted = checked(h, count, way.times);
	watched(h, count, &way, &said);
	const alibi_watch_stats *got = &said.stats;
	bool doubt = got->by_reason[ALIBI_WATCH_OUTCOME] && got->verdict == ALIBI_UNKNOWN;
	/* Values that are not new, and sessions that are taken to have ended, are reported; what
	 * is said about such a stream is not compared, but that it is not called valid. */
	bool excused = (got->by_reason[ALIBI_WATCH_FENCE] ||
	                (way.horizon && got->by_reason[ALIBI_WATCH_LATE])) &&
	               (got->verdict != ALIBI_VALID);
	bool same = got->verdict == wanted || doubt || excused;
	snprintf(name, sizeof name, "seed %" PRIu64 ", the first %d", seed, count);
	check(same, name, "another verdict than that of check");
	check(got->txns == (uint64_t)count && got->duplicates == (h->twice ? got->txns : 0), name,
	      "not every transaction is counted once");
	check(way.horizon || !got->by_reason[ALIBI_WATCH_LATE], name, "something was late");
	sum.violating += wanted == ALIBI_VIOLATES;
	sum.gone += got->gone;
	sum.rounds += got->rounds;
	sum.torn += doubt;
	sum.unclear += excused && got->verdict != wanted;
	sum.late += got->by_reason[ALIBI_WATCH_LATE] > 0;
	if (!same && sum.failed < 4) {
		printf("check says %s, the stream %s (sessions %d, horizon %" PRIu64
		       ", round %zu, unverified %" PRIu64 ")\n",
		       alibi_verdict_name(wanted), alibi_verdict_name(got->verdict), way.sessions,
		       way.horizon, way.round, got->unverified);
		show(h, count);
		way.show = true;
		watched(h, count, &way, &again);
		way.show = false;
	}
	way.restarts = !way.restarts;
	watched(h, count, &way, &again);
	check(same_said(&said, &again), name, "ended and begun again, it says something else");
	if (wanted == ALIBI_VALID && !h->twice && !h->odd_fences)
		compare_lossy(h, count, way, name);
}

static int sessions_of(const struct random_history *h)
{
	bool seen[SESSIONS] = {false};
	int count = 0;
	for (int i = 0; i < h->count; i++) {
		count += !seen[h->txns[i].session];
		seen[h->txns[i].session] = true;
	}
	return count;
}

static void try_random(uint64_t seed)
{
	struct random_history h = {0};
	simulated_seed(seed);
	h.fences = 5 + below(60);
	h.odd_fences = chance(15) ? below(30) : 0;
	h.far_away = chance(50) ? 1 + below(80) : 0;
	simulated_make(&h);
	struct way way = {.sessions = sessions_of(&h),
	                  .horizon = chance(20) ? 1 + (uint64_t)below(20) : HORIZON_NONE,
	                  .round = (size_t)(1 + below(8)),
	                  .restarts = h.restarts,
	                  .times = chance(20)}; /* which count for nothing */
	compare(&h, h.count, way, seed);
	if (h.named) /* a writer may not have arrived yet */
		return;
	for (int i = 1; h.count <= ALL_BEGINNINGS && i < h.count; i++)
		compare(&h, i, way, seed);
	compare(&h, 1 + below(h.count), way, seed);
}

/* ---- planted ---- */

/* A history that is written down: one line of what sessions did after the other. */
static struct random_history planted;
static int tip, value; /* what the fence key holds, and the last one */

static struct txn *add(int session, const char *ops)
{
	struct txn *t = &planted.txns[planted.count++];
	*t = (struct txn){.id = planted.count, .session = session};
	for (; *ops; ops += ops[3] ? 4 : 3) /* w01 r23: key and value are digits */
		t->ops[t->count++] = (struct op){
		        .writes = *ops == 'w', .key = ops[1] - '0', .value = ops[2] - '0'};
	return t;
}

static struct txn *fence(int session)
{
	struct txn *t = add(session, "");
	t->ops[t->count++] = (struct op){.key = FENCE, .value = tip};
	t->ops[t->count++] = (struct op){.key = FENCE, .value = tip = 1000 + t->id, .writes = true};
	return t;
}

/* Each session in turn: a transaction that reads what the one before it wrote, and a fence. */
static void run_sessions(int sessions, int times)
{
	for (int i = 0; i < times; i++) {
		struct txn *t = add(i % sessions, "r50 w50");
		t->ops[0].value = value;
		t->ops[1].value = value = 100 + t->id;
		fence(i % sessions);
	}
}

static void begin(void)
{
	planted = (struct random_history){0};
	tip = value = 0;
}

static struct said planted_said;

static const struct said *say(const char *name, struct way way, enum alibi_verdict wanted)
{
	way.round = 1;
	watched(&planted, planted.count, &way, &planted_said);
	check(planted_said.stats.verdict == wanted, name, "the verdict");
	check(checked(&planted, planted.count, false) == wanted || planted_said.stats.unverified,
	      name, "the verdict of check");
	return &planted_said;
}

static bool tells(const struct said *said, const char *kind)
{
	for (size_t i = 0; i < said->count; i++)
		if (!strcmp(said->kinds[i], kind))
			return true;
	return false;
}

/* Fences that do not follow the last one: the chain goes on as soon as it can, and does not
 * wait for the end of the stream. */
static void broken_chains(void)
{
	static const char *const names[] = {"two fences that read the same",
	                                    "a fence that never came", "a fence of unknown outcome",
	                                    "a fence that aborted", "a fence that only writes"};
	for (int i = 0; i < 5; i++) {
		begin();
		run_sessions(3, 9);
		int before = tip;
		struct txn *odd = fence(0);
		if (i == 0)
			tip = before;
		else if (i == 1)
			odd->ops[1].key = 4; /* no transaction wrote what the next one reads */
		else if (i == 2)
			odd->status = ALIBI_UNKNOWN_STATUS;
		else if (i == 3)
			odd->status = ALIBI_ABORT;
		else
			odd->ops[0] = (struct op){.key = 4};
		if (i == 3)
			tip = before;
		run_sessions(3, 20);
		bool wrong = i < 2;
		const struct said *said = say(names[i], (struct way){.sessions = 3},
		                              wrong ? ALIBI_VIOLATES : ALIBI_VALID);
		check(said->running.violations == (uint64_t)wrong, names[i],
		      "it is reported while the stream goes on");
		check(said->stats.fences >= 25 && said->running.gone > 40, names[i],
		      "the chain goes on");
		check(!said->stats.unverified, names[i], "nothing is late");
	}
}

static void sessions_come_and_go(void)
{
	const struct said *said;
	begin();
	run_sessions(2, 10);
	fence(2);
	run_sessions(3, 12);
	said = say("a session that joins", (struct way){.sessions = 2}, ALIBI_VALID);
	check(said->running.gone > 25 && said->stats.sessions == 3, "a session that joins",
	      "goes on");
	say("fewer sessions than said", (struct way){.sessions = 4}, ALIBI_VALID);
	check(!planted_said.running.gone && planted_said.running.waiting,
	      "fewer sessions than said", "nothing is checked before they have come");
	begin();
	run_sessions(2, 10);
	add(2, "w01");
	fence(2);
	run_sessions(3, 12);
	said = say("a session that joins without a fence", (struct way){.sessions = 2},
	           ALIBI_UNKNOWN);
	check(said->count == 1 && tells(said, "LATE"), "a session that joins without a fence",
	      "it is reported");
	say("all sessions are known from the start", (struct way){.sessions = 3}, ALIBI_VALID);
	begin();
	run_sessions(3, 9);
	run_sessions(2, 24);
	said = say("a silent session", (struct way){.sessions = 3}, ALIBI_VALID);
	check(said->running.waiting > 40 && said->running.holds_up.kind == ALIBI_INT &&
	              said->running.holds_up.integer == 3 && said->running.passed == 9,
	      "a silent session", "it is named");
	said = say("a session that ended", (struct way){.sessions = 3, .horizon = 6}, ALIBI_VALID);
	check(said->running.gone > 30 && said->running.sessions == 2, "a session that ended",
	      "the others go on");
	begin();
	run_sessions(3, 9);
	add(2, "w01");
	run_sessions(2, 24);
	said = say("a session that ended without a fence",
	           (struct way){.sessions = 3, .horizon = 6}, ALIBI_UNKNOWN);
	check(said->count == 1 && tells(said, "FENCE"), "a session that ended without a fence",
	      "it is reported");
	add(2, "r01");
	fence(2);
	said = say("a session that comes again", (struct way){.sessions = 3, .horizon = 6},
	           ALIBI_UNKNOWN);
	check(said->count == 2 && tells(said, "LATE"), "a session that comes again", "it is late");
}

static void values_that_are_not_new(void)
{
	begin();
	run_sessions(2, 8);
	fence(0)->ops[1].value = 1002;
	tip = 1002;
	run_sessions(2, 8);
	const struct said *said =
	        say("a value that is not new", (struct way){.sessions = 2}, ALIBI_UNKNOWN);
	check(tells(said, "FENCE"), "a value that is not new", "it is reported");
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (uint64_t i = 0; i < count; i++, seed++)
		try_random(seed);
	broken_chains();
	sessions_come_and_go();
	values_that_are_not_new();
	printf("%" PRIu64 " violate, %" PRIu64 " rounds, %" PRIu64
	       " transactions were collected, %" PRIu64
	       " with a transaction that was torn, %" PRIu64 " with fences that are not clear, "
	       "%" PRIu64 " with late ones\n",
	       sum.violating, sum.rounds, sum.gone, sum.torn, sum.unclear, sum.late);
	if (!sum.gone || !sum.violating)
		sum.failed++;
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", sum.passed, sum.failed);
	return sum.failed != 0;
}
