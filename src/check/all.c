/* all: see all.h. */
#include "check/all.h"

#include "base/attempt.h"
#include "base/searching.h"
#include "check/availability.h"
#include "check/coverage.h"

#include <stdio.h>

enum { TURN_GROWS = 4, REASON_MAX = 256 };
static const uint64_t TURN_NS = 1000 * 1000 * 1000; /* of a first turn, and for each operation: */
static const uint64_t TURN_OP_NS = 10 * 1000;

struct level_state {
	alibi_result result; /* so far */
	struct check *check; /* of its last turn; NULL: none */
	bool ended;          /* it has no more turns */
};

struct all {
	struct pool *pool;
	struct guard *guard;
	const struct history *h;
	struct check_options options; /* with the coverage, once it is counted */
	struct coverage coverage;
	struct level_state *levels;
	size_t count;
	uint64_t longest_ns;   /* of the turns of earlier rounds */
	enum alibi_code limit; /* the last one that ended something; ALIBI_OK: none */
	const char *lack;      /* of availability, so that nothing is valid; or NULL */
};

static struct check_options options_at(const struct all *a, size_t level)
{
	struct check_options one = a->options;
	one.level = level_at(level);
	return one;
}

/* ---- what follows from a verdict ---- */

struct at_level {
	struct all *all;
	size_t level;
};

static void cover(void *data)
{
	struct at_level *at = data;
	struct check_options one = options_at(at->all, at->level);
	if (one.coverage)
		coverage_at(at->all->pool, one.coverage, &one, &at->all->levels[at->level].result);
}

/* Tells those who wait. */
static void announce(const struct all *a, size_t level)
{
	alibi_result known = a->levels[level].result;
	availability_require(a->lack, &known);
	if (known.verdict != ALIBI_UNKNOWN)
		searching_decided(a->guard, &known);
}

/* The same verdict, because of another level's. */
static void follow(struct all *a, size_t level, size_t from)
{
	struct level_state *l = &a->levels[level];
	struct alibi_error why;
	l->result = a->levels[from].result;
	l->result.level = level_at(level)->name;
	if (!l->result.implied_by)
		l->result.implied_by = level_at(from)->name;
	l->result.certificate = NULL;
	l->result.certificate_length = 0;
	l->result.coverage = (alibi_coverage){0};
	l->ended = true;
	attempt(a->guard, 0, cover, &(struct at_level){a, level}, &why);
	announce(a, level);
}

static bool is_open(const struct all *a, size_t level)
{
	return a->levels[level].result.verdict == ALIBI_UNKNOWN;
}

static void follow_from(struct all *a, size_t decided)
{
	enum alibi_verdict verdict = a->levels[decided].result.verdict;
	for (size_t i = 0; i < decided && verdict == ALIBI_VALID; i++)
		if (is_open(a, i))
			follow(a, i, decided);
	for (size_t i = decided + 1; i < a->count && verdict == ALIBI_VIOLATES; i++)
		if (is_open(a, i))
			follow(a, i, decided);
}

/* Can client times order any two transactions? */
static bool has_times(const struct history *h)
{
	bool begins = false, ends = false;
	for (uint32_t t = 0; h->times && t < h->txn_count; t++) {
		begins |= h->txns[t].has & ALIBI_HAS_BEGIN;
		ends |= h->txns[t].has & ALIBI_HAS_END;
	}
	return begins && ends;
}

/* ---- turns ---- */

static void count_coverage(void *data)
{
	struct all *a = data;
	a->coverage = coverage_of(a->pool, a->h, &a->options);
	a->options.coverage = &a->coverage;
}

static void run_check(void *data)
{
	struct at_level *at = data;
	struct level_state *l = &at->all->levels[at->level];
	struct check_options one = options_at(at->all, at->level);
	l->check = NULL;
	l->check = check_new(at->all->pool);
	l->result = *check_run(l->check, at->all->h, &one);
}

/* The level after this one in the round, or at the beginning of the next; NULL: it is the last. */
static const char *whose_turn_next(const struct all *a, size_t level)
{
	for (size_t i = level + a->count; i-- > level + 1;)
		if (!a->levels[i % a->count].ended)
			return level_at(i % a->count)->name;
	return NULL;
}

static void take_turn(struct all *a, size_t level, uint64_t turn_ns)
{
	searching_level(a->guard, level_at(level)->name, whose_turn_next(a, level));
	struct level_state *l = &a->levels[level];
	struct alibi_error why;
	uint64_t until = turn_ns ? monotonic_ns() + turn_ns : 0;
	if (attempt(a->guard, until, run_check, &(struct at_level){a, level}, &why)) {
		l->ended = true;
		announce(a, level);
		follow_from(a, level);
		return;
	}
	char ended[REASON_MAX];
	if (why.code == ALIBI_TIMEOUT && !a->guard->deadline_ns) {
		/* Nothing else can be known of it if the job is cancelled before its next turn. */
		snprintf(ended, sizeof ended,
		         "the job was cancelled after a turn that ended while %s", a->guard->stage);
		why.text = ended;
	}
	if (l->check)
		l->result = *check_limited(l->check, &why);
	l->ended = why.code == ALIBI_MEMORY;
	a->limit = why.code;
}

static size_t count_waiting(const struct all *a)
{
	size_t waiting = 0;
	for (size_t i = 0; i < a->count; i++)
		waiting += !a->levels[i].ended;
	return waiting;
}

/* How long a turn is, if `players` have one in the time that is left. 0: as long as it takes. */
static uint64_t turn_for(const struct all *a, size_t players, uint64_t wanted_ns)
{
	uint64_t deadline = a->guard->deadline_ns, now = monotonic_ns();
	if (count_waiting(a) == 1)
		return 0;
	uint64_t most = !deadline ? UINT64_MAX : now < deadline ? (deadline - now) / players : 1;
	return wanted_ns < most ? wanted_ns : most;
}

/* A turn for each level that is not decided. If time is short, only the stronger ones play: a
 * turn that is no longer than the last one would end where that did. */
static void play_round(struct all *a, uint64_t wanted_ns)
{
	size_t players = count_waiting(a);
	while (players > 1 && a->longest_ns && turn_for(a, players, wanted_ns) <= a->longest_ns)
		players--;
	uint64_t longest_ns = turn_for(a, players, wanted_ns);
	for (size_t i = a->count; i-- > 0 && players && !guard_is_over(a->guard);) {
		if (a->levels[i].ended)
			continue;
		take_turn(a, i, turn_for(a, players, wanted_ns));
		size_t waiting = count_waiting(a);
		players = players - 1 < waiting ? players - 1 : waiting;
	}
	a->longest_ns = longest_ns;
}

static void play(struct all *a)
{
	uint64_t wanted_ns = TURN_NS + a->h->op_count * TURN_OP_NS;
	for (; count_waiting(a) && !guard_is_over(a->guard); wanted_ns *= TURN_GROWS)
		play_round(a, wanted_ns);
	if (count_waiting(a))
		a->limit = a->guard->cancelled ? ALIBI_CANCELLED : ALIBI_TIMEOUT;
}

/* ---- all of it ---- */

/* Above the strongest level that holds only clocks may be left. */
static void suspect(struct all *a, size_t level)
{
	struct level_state *l = &a->levels[level];
	struct check_options one = options_at(a, level);
	if (l->result.verdict != ALIBI_VIOLATES || l->result.implied_by)
		return;
	l->result = *check_clocks(l->check, a->h, &one);
}

/* Why there is no verdict, of a level that had no turn. */
static const char *no_turn(enum alibi_code limit)
{
	return limit == ALIBI_CANCELLED ? "the job was cancelled before the turn of this level"
	       : limit == ALIBI_MEMORY
	               ? "the memory limit was reached before the turn of this level"
	               : "the time limit was reached before the turn of this level";
}

static struct all *all_new(struct pool *pool, const struct history *h,
                           const struct check_options *options)
{
	struct all *a = pool_zalloc(pool, sizeof *a);
	a->pool = pool;
	a->guard = pool_guard(pool);
	a->h = h;
	a->options = *options;
	a->options.coverage = NULL;
	a->options.min_commits = 0; /* what follows does so from what was found */
	a->count = level_count();
	a->levels = pool_zarray(pool, a->count, sizeof *a->levels);
	for (size_t i = 0; i < a->count; i++) {
		a->levels[i].result = (alibi_result){
		        .verdict = ALIBI_UNKNOWN, .level = level_at(i)->name, .counted_all = true};
		a->levels[i].ended = level_at(i)->rules.realtime && !has_times(h);
	}
	return a;
}

const alibi_levels *check_all(struct pool *pool, const struct history *h,
                              const struct check_options *options)
{
	struct all *a = all_new(pool, h, options);
	const alibi_result **results = pool_zarray(pool, a->count, sizeof *results);
	alibi_levels *all = pool_zalloc(pool, sizeof *all);
	a->lack = availability_lacks(pool, h, options->min_commits);
	struct alibi_error why;
	if (!attempt(a->guard, 0, count_coverage, a, &why))
		a->limit = why.code;
	play(a);
	for (size_t i = 1; i < a->count; i++) { /* without client times */
		bool realtime = level_at(i)->rules.realtime;
		if (realtime && is_open(a, i) && !has_times(h))
			follow(a, i, i - 1);
		else if (realtime && a->levels[i - 1].result.verdict == ALIBI_VALID)
			suspect(a, i);
	}
	*all = (alibi_levels){.count = a->count, .results = results};
	for (size_t i = 0; i < a->count; i++) {
		if (is_open(a, i) && !a->levels[i].result.reason)
			a->levels[i].result.reason = no_turn(a->limit);
		availability_require(a->lack, &a->levels[i].result);
		results[i] = &a->levels[i].result;
		if (results[i]->verdict == ALIBI_VALID)
			all->strongest = results[i]->level;
	}
	return all;
}
