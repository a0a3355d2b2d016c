/* all: see all.h. */
#include "check/all.h"

#include "check/coverage.h"
#include "check/skew.h"

/* The same verdict, because of another level's. */
static const alibi_result *follows(struct pool *pool, const alibi_result *from, size_t level,
                                   const struct check_options *options)
{
	alibi_result *r = pool_zalloc(pool, sizeof *r);
	*r = *from;
	r->level = level_at(level)->name;
	r->implied_by = from->level;
	r->certificate = NULL;
	r->certificate_length = 0;
	struct check_options one = *options;
	one.level = level_at(level);
	coverage_at(pool, options->coverage, &one, r);
	return r;
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

/* A level above one that is violated is violated, too, even if it was not decided. */
static void settle_upwards(struct pool *pool, const alibi_result **results, size_t count,
                           const struct check_options *options)
{
	for (size_t i = 1; i < count; i++)
		if (results[i]->verdict == ALIBI_UNKNOWN &&
		    results[i - 1]->verdict == ALIBI_VIOLATES)
			results[i] = follows(pool, results[i - 1], i, options);
}

/* Above the strongest level that holds only clocks may be left. */
static const alibi_result *suspected(struct pool *pool, const struct history *h,
                                     const alibi_result *result,
                                     const struct check_options *options)
{
	alibi_result *r = pool_zalloc(pool, sizeof *r);
	struct check_options one = *options;
	one.level = level_named(result->level);
	*r = *result;
	suspect_clocks(pool, h, &one, r);
	return r;
}

const alibi_levels *check_all(struct pool *pool, const struct history *h,
                              const struct check_options *options)
{
	size_t count = level_count(), holds = count;
	const alibi_result **results = pool_zarray(pool, count, sizeof *results);
	alibi_levels *all = pool_zalloc(pool, sizeof *all);
	struct coverage coverage = coverage_of(pool, h, options);
	struct check_options one = *options;
	one.coverage = &coverage;
	for (size_t i = count; i-- > 0;) {
		one.level = level_at(i);
		if (holds < count)
			results[i] = follows(pool, results[holds], i, &one);
		else if (!one.level->rules.realtime || has_times(h))
			results[i] = check(pool, h, &one);
		if (holds == count && results[i] && results[i]->verdict == ALIBI_VALID)
			holds = i;
	}
	for (size_t i = 1; i < count; i++) /* there are no client times */
		if (!results[i])
			results[i] = follows(pool, results[i - 1], i, &one);
	settle_upwards(pool, results, count, &one);
	if (holds < count && holds + 1 < count && level_at(holds + 1)->rules.realtime)
		results[holds + 1] = suspected(pool, h, results[holds + 1], &one);
	all->count = count;
	all->results = results;
	for (size_t i = 0; i < count; i++)
		if (results[i]->verdict == ALIBI_VALID)
			all->strongest = results[i]->level;
	return all;
}
