/* check: see check.h. */
#include "check/check.h"

#include "base/guard.h"
#include "check/availability.h"
#include "check/by_timestamps.h"
#include "check/certificate.h"
#include "check/coverage.h"
#include "check/describe.h"
#include "check/find.h"
#include "check/refutation.h"
#include "check/skew.h"
#include "check/version_order.h"
#include "history/opaque_update.h"
#include "history/render.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { REASON_MAX = 1024 };

struct check {
	struct pool *pool;
	alibi_result result;
	struct find_log log;
	struct check_order *order; /* NULL: not asked for */
	char reason[REASON_MAX];   /* if a limit ends it, and … */
	char advice[REASON_MAX];   /* … what would leave less to search */
};

/* ---- without timestamps to replay: find an order, and verify it ---- */

static void keep_order(struct check *c, const struct search_result *found)
{
	size_t count = found->event_count;
	c->order->events = pool_array(c->pool, count + 1, sizeof *found->events);
	c->order->count = count;
	if (count)
		memcpy(c->order->events, found->events, count * sizeof *found->events);
}

/* Takes what was found, which is in a pool of its own, to the verifier. NULL: it is accepted,
 * and is the verdict. Else why not. */
static const char *settle(struct check *c, const struct history *h,
                          const struct verify_rules *rules, const struct search_result *found,
                          struct pool *own)
{
	alibi_result *result = &c->result;
	guard_clock(pool_guard(c->pool), &c->log.work.verify_seconds);
	byte_vec bytes = certificate_of(c->pool, h, rules, found);
	if (c->order && found->found)
		keep_order(c, found);
	pool_release(own); /* the verifier needs memory of its own */
	const char *why = verify(c->pool, h, rules, bytes.items, bytes.count, &result->verdict);
	guard_clock(pool_guard(c->pool), NULL);
	if (why) {
		result->verdict = ALIBI_UNKNOWN;
		pool_free(c->pool, bytes.items);
		return why;
	}
	result->certificate = bytes.items;
	result->certificate_length = bytes.count;
	return NULL;
}

/* True: the database's timestamps give an order that explains every read. */
static bool try_version_order(struct check *c, const struct history *h,
                              const struct verify_rules *rules)
{
	if (!version_order_applies(h, rules->replay))
		return false;
	guard_clock(pool_guard(c->pool), &c->log.work.prepare_seconds);
	struct pool *own = pool_child(c->pool);
	struct search_result found = version_order(own, h, rules->replay);
	if (found.found)
		return !settle(c, h, rules, &found, own);
	pool_release(own);
	guard_clock(pool_guard(c->pool), NULL);
	return false;
}

static void decide_by_search(struct check *c, const struct history *h,
                             const struct verify_rules *rules, unsigned threads)
{
	alibi_result *result = &c->result;
	struct pool *own = pool_child(c->pool);
	struct search_result found = find(own, h, rules->replay, threads, &c->log);
	if (found.given_up) {
		result->reason =
		        "values were written more than once, and too many choices of whose "
		        "write each read saw remain; unique values are always decided";
		return;
	}
	if (h->queries && found.found && rules->replay.visible != VISIBLE_STATE) {
		result->reason = "the history has queries, and which rows a query must not find is "
		                 "defined only from pc on; check one of those levels";
		return;
	}
	const char *text = found.found ? NULL : refutation_text(c->pool, h, &found.proof);
	const char *why = settle(c, h, rules, &found, own);
	if (why) {
		text_vec t = {0};
		text_addf(c->pool, &t,
		          "a fault of Alibi's own: its verifier does not accept what its search "
		          "found (%s); please report it",
		          why);
		result->reason = text_string(c->pool, &t);
	} else if (result->verdict == ALIBI_VIOLATES) {
		alibi_violation *violation = pool_zalloc(c->pool, sizeof *violation);
		violation->kind = mismatch_name(MISMATCH_ORDER);
		violation->text = text;
		result->violations = violation;
		result->described = result->violation_count = 1;
	}
}

/* What the verdict rests on, apart from the reads. stamped: on an order made of the
 * database's timestamps. */
static const char *basis_of(struct pool *pool, const struct history *h,
                            const struct verify_rules *rules, bool stamped, bool valid)
{
	text_vec t = {0};
	if (stamped)
		text_addf(pool, &t, "an order made of the database's own timestamps");
	else if (valid && version_order_applies(h, rules->replay))
		text_addf(pool, &t,
		          "a search, because the database's own timestamps give no order that "
		          "explains every read");
	if (rules->replay.realtime && h->times)
		text_addf(pool, &t, "%sthe clients' clocks, taken to differ by at most %" PRIu64,
		          t.count ? "; and by " : "", rules->replay.skew);
	return t.count ? text_string(pool, &t) : NULL;
}

static void decide(struct check *c, const struct history *h, const struct check_options *options)
{
	struct verify_rules rules = check_rules(options);
	bool stamped = try_version_order(c, h, &rules);
	if (!stamped)
		decide_by_search(c, h, &rules, options->threads);
	c->result.work = c->log.work;
	if (c->result.verdict != ALIBI_UNKNOWN)
		c->result.basis =
		        basis_of(c->pool, h, &rules, stamped, c->result.verdict == ALIBI_VALID);
}

/* ---- the pipeline ---- */

/* Why the history cannot be decided at the level, or NULL. */
static const char *why_not(struct pool *pool, const struct history *h,
                           const struct check_options *options)
{
	uint64_t committed = 0, least = options->require_txns ? options->require_txns : 1;
	text_vec t = {0};
	for (uint32_t i = 0; i < h->txn_count; i++)
		committed += h->txns[i].status == ALIBI_COMMIT;
	if (committed < least)
		text_addf(pool, &t,
		          "the history has %" PRIu64
		          " committed transactions; a verdict requires at least %" PRIu64,
		          committed, least);
	else if (has_opaque(h) && options->level->rules.visible != VISIBLE_STATE)
		text_addf(pool, &t,
		          "%s has an update whose rows the history does not record; check a level "
		          "from pc on, or add its rows: [\"u\", predicate, change, rows]",
		          describe_txn(pool, h, h->queries->opaque_txn));
	else if (has_opaque(h) && h->queries->opaque_too_many)
		text_addf(pool, &t,
		          "the updates whose rows the history does not record can have left too "
		          "many different rows; add the rows of some: [\"u\", predicate, change, "
		          "rows]");
	return t.count ? text_string(pool, &t) : NULL;
}

struct check *check_new(struct pool *pool)
{
	struct check *c = pool_zalloc(pool, sizeof *c);
	c->pool = pool_child(pool);
	return c;
}

const alibi_result *check_run(struct check *c, const struct history *h,
                              const struct check_options *options)
{
	alibi_result *result = &c->result;
	*result = (alibi_result){.verdict = ALIBI_UNKNOWN,
	                         .level = options->asked ? options->asked : options->level->name,
	                         .counted_all = true};
	struct coverage coverage =
	        options->coverage ? *options->coverage : coverage_of(c->pool, h, options);
	coverage_at(c->pool, &coverage, options, result); /* as it is if a limit ends the check */
	result->reason = why_not(c->pool, h, options);
	if (!result->reason && options->order == ALIBI_ORDER_NONE)
		decide(c, h, options);
	else if (!result->reason)
		check_by_timestamps(c->pool, h, options, result);
	availability_require(availability_lacks(c->pool, h, options->min_commits), result);
	coverage_at(c->pool, &coverage, options, result);
	return result;
}

const alibi_result *check_clocks(struct check *c, const struct history *h,
                                 const struct check_options *options)
{
	suspect_clocks(c->pool, h, options, &c->result);
	return &c->result;
}

const alibi_result *check_limited(struct check *c, const struct alibi_error *error)
{
	char proven[REASON_MAX / 2];
	guard_clock(pool_guard(c->pool), NULL);
	find_say(&c->log, proven, sizeof proven);
	snprintf(c->reason, sizeof c->reason, "%s%s", error->text, proven);
	c->result = (alibi_result){.verdict = ALIBI_UNKNOWN,
	                           .level = c->result.level,
	                           .reason = c->reason,
	                           .counted_all = true,
	                           .coverage = c->result.coverage,
	                           .work = find_work(&c->log)};
	/* instead of the one for `valid` */
	c->result.coverage.warning = find_advise(&c->result, c->advice, sizeof c->advice);
	pool_release(c->pool);
	c->pool = NULL;
	return is_limit(error->code) ? &c->result : NULL;
}

const alibi_result *check(struct pool *pool, const struct history *h,
                          const struct check_options *options)
{
	return check_run(check_new(pool), h, options);
}

const alibi_result *check_with_order(struct pool *pool, const struct history *h,
                                     const struct check_options *options, struct check_order *order)
{
	struct check *c = check_new(pool);
	*order = (struct check_order){0};
	c->order = order;
	return check_run(c, h, options);
}
