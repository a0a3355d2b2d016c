/* check: see check.h. */
#include "check/check.h"

#include "base/guard.h"
#include "check/describe.h"
#include "check/timestamps.h"
#include "history/render.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_MAX = 10 * 1000 * 1000 }; /* mismatches, then the replay is left */

struct written {
	uint32_t key, value;
};

/* What the replay found, sorted into what it proves. */
struct findings {
	struct pool *pool;
	const struct history *h;
	size_t keep_max;
	VEC(struct kept_mismatch) kept;
	uint64_t violations, of_reads; /* of_reads: EXT */
	bool has_undecided;
	bool writers_tied; /* who wrote a key last is not known: reads of it prove nothing */
	struct kept_mismatch undecided; /* the first that proves nothing */
	VEC(struct written) by_unknown; /* final writes of unknown transactions, sorted */
};

static int by_key_and_value(const void *x, const void *y)
{
	const struct written *a = x, *b = y;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

/* An overwritten value of an unknown transaction explains no read, but is kept
 * all the same: `unknown` is said once too often rather than `violates`. */
static void collect_unknown_writes(struct findings *f)
{
	const struct history *h = f->h;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		if (h->txns[t].status != ALIBI_UNKNOWN_STATUS)
			continue;
		for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
			guard_tick(pool_guard(f->pool));
			if (op_writes(h->ops[op]))
				vec_push(f->pool, &f->by_unknown,
				         ((struct written){op_key(h->ops[op]), h->ops[op].value}));
		}
	}
	if (f->by_unknown.count)
		qsort(f->by_unknown.items, f->by_unknown.count, sizeof *f->by_unknown.items,
		      by_key_and_value);
}

static bool unknown_wrote(const struct findings *f, uint32_t key, uint32_t value)
{
	struct written like = {key, value};
	return f->by_unknown.count && bsearch(&like, f->by_unknown.items, f->by_unknown.count,
	                                      sizeof like, by_key_and_value);
}

/* Could a transaction whose outcome nobody knows have made this read right? */
static bool unknown_may_explain(const struct findings *f, const struct mismatch *m)
{
	if (m->kind != MISMATCH_EXT || !f->by_unknown.count)
		return false;
	uint32_t value = f->h->ops[m->op].value;
	if (!f->h->key_is_list[m->key])
		return unknown_wrote(f, m->key, value);
	size_t count;
	const uint32_t *items = atoms_items(&f->h->values, value, &count);
	for (size_t i = 0; i < count; i++)
		if (unknown_wrote(f, m->key, items[i]))
			return true;
	return false;
}

static bool sort_finding(void *data, const struct mismatch *m)
{
	struct findings *f = data;
	assert(m->kind != MISMATCH_ORDER); /* timestamps always make an order */
	if (m->kind == MISMATCH_TIE || unknown_may_explain(f, m)) {
		if (!f->has_undecided)
			f->undecided = describe_keep(f->pool, f->h, m);
		f->has_undecided = true;
		f->writers_tied |= m->kind == MISMATCH_TIE && m->op == NO_OP;
		return true;
	}
	if (f->kept.count < f->keep_max)
		vec_push(f->pool, &f->kept, describe_keep(f->pool, f->h, m));
	f->of_reads += m->kind == MISMATCH_EXT;
	return ++f->violations < COUNT_MAX;
}

static void forget_reads(struct findings *f)
{
	size_t kept = 0;
	for (size_t i = 0; i < f->kept.count; i++)
		if (f->kept.items[i].m.kind != MISMATCH_EXT)
			f->kept.items[kept++] = f->kept.items[i];
	f->kept.count = kept;
	f->violations -= f->of_reads;
}

/* ---- the verdict ---- */

static const char *sentence(struct pool *pool, const char *a, const char *b, const char *c)
{
	text_vec t = {0};
	text_addf(pool, &t, "%s%s%s", a, b, c);
	return text_string(pool, &t);
}

static const char *why_undecided(struct pool *pool, const struct findings *f,
                                 const struct level *level)
{
	struct kept_mismatch k = f->undecided;
	if (k.m.kind == MISMATCH_TIE)
		return describe(pool, f->h, level, &k).text;
	describe_find_writers(pool, f->h, &k, 1);
	return sentence(pool, describe(pool, f->h, level, &k).text,
	                "; it may have taken effect, but the timestamps ", "do not say when");
}

static void judge(struct pool *pool, const struct history *h, const struct check_options *options,
                  alibi_result *result)
{
	const struct level *level = options->level;
	struct timestamp_order order = timestamp_order(pool, h, level->rules);
	if (order.missing) {
		result->reason =
		        sentence(pool, describe_txn(pool, h, order.txn), " ", order.missing);
		return;
	}
	struct findings f = {.pool = pool, .h = h, .keep_max = options->max_violations};
	collect_unknown_writes(&f);
	result->counted_all =
	        replay(pool, h, level->rules, order.events, order.count, sort_finding, &f);
	if (f.writers_tied)
		forget_reads(&f);
	if (f.violations)
		result->verdict = ALIBI_VIOLATES;
	else if (!f.has_undecided)
		result->verdict = ALIBI_VALID;
	result->violation_count = f.violations;
	if (result->verdict == ALIBI_UNKNOWN)
		result->reason = why_undecided(pool, &f, level);
	guard_stage(pool_guard(pool), "describing", f.kept.count);
	describe_find_writers(pool, h, f.kept.items, f.kept.count);
	alibi_violation *violations = pool_array(pool, f.kept.count + 1, sizeof *violations);
	for (size_t i = 0; i < f.kept.count; i++)
		violations[i] = describe(pool, h, level, &f.kept.items[i]);
	result->violations = violations;
	result->described = f.kept.count;
}

const alibi_result *check(struct pool *pool, const struct history *h,
                          const struct check_options *options)
{
	alibi_result *result = pool_zalloc(pool, sizeof *result);
	uint64_t committed = 0;
	text_vec t = {0};
	*result = (alibi_result){
	        .verdict = ALIBI_UNKNOWN, .level = options->level->name, .counted_all = true};
	for (uint32_t i = 0; i < h->txn_count; i++)
		committed += h->txns[i].status == ALIBI_COMMIT;
	if (committed < options->require_txns) {
		text_addf(pool, &t,
		          "the history has %" PRIu64
		          " committed transactions, and at least %" PRIu64
		          " are required to say anything",
		          committed, options->require_txns);
		result->reason = text_string(pool, &t);
	} else if (options->order == ALIBI_ORDER_NONE) {
		result->reason = "nothing tells in which order to replay it; if the database's own "
		                 "timestamps are in the history, say --order timestamps";
	} else {
		judge(pool, h, options, result);
		result->basis =
		        result->verdict == ALIBI_VIOLATES
		                ? "the database's own timestamps; it may still be right in an "
		                  "order that they do not show"
		                : "the database's own timestamps";
	}
	return result;
}
