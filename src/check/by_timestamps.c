/* by_timestamps: see by_timestamps.h. */
#include "check/by_timestamps.h"

#include "base/guard.h"
#include "base/ids.h"
#include "base/radix.h"
#include "check/describe.h"
#include "check/timestamps.h"
#include "history/opaque_update.h"
#include "history/render.h"

#include <assert.h>

enum {
	COUNT_MAX = 10 * 1000 * 1000,   /* mismatches, then the replay is left */
	DESCRIBED_BYTES_MAX = 64 << 20, /* a thousand violations may show one long value each */
};

/* The mismatches of a replay, sorted by what they prove. */
struct findings {
	struct pool *pool;
	const struct history *h;
	size_t keep_max;
	bool decides; /* stamps_decide() */
	VEC(struct kept_mismatch) kept;
	size_t kept_bytes;             /* memory of what they show */
	uint64_t violations, of_reads; /* of_reads: EXT */
	bool has_undecided;
	bool writers_tied;              /* the last writer of a key is not known */
	struct kept_mismatch undecided; /* the first that proves nothing */
	VEC(struct keyed) by_unknown;   /* writes of unknown transactions, by key and value */
};

/* A value that its own transaction overwrites explains no read, but counts all the same:
 * `unknown` too often is better than a wrong `violates`. */
static void collect_unknown_writes(struct findings *f)
{
	const struct history *h = f->h;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		if (h->txns[t].status != ALIBI_UNKNOWN_STATUS)
			continue;
		for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
			uint64_t pair = radix_pair(op_key(h->ops[op]), h->ops[op].value);
			guard_tick(pool_guard(f->pool));
			if (op_writes(h->ops[op]))
				vec_push(f->pool, &f->by_unknown, ((struct keyed){pair, t}));
		}
	}
	radix_sort(f->pool, f->by_unknown.items, f->by_unknown.count);
}

/* May an unknown transaction have written this value, or one after it, to the key? */
static bool unknown_wrote(const struct findings *f, uint32_t key, uint32_t value, bool or_more)
{
	const struct keyed *writes = f->by_unknown.items;
	uint64_t pair = radix_pair(key, value);
	size_t at = radix_find(writes, f->by_unknown.count, pair);
	return at < f->by_unknown.count &&
	       (or_more ? writes[at].key >> 32 == key : writes[at].key == pair);
}

static bool unknown_may_write_key(const struct findings *f, uint32_t key)
{
	for (struct reach r = opaque_update_reachers(f->h, key); r.first < r.end; r.first++)
		if (f->h->txns[f->h->queries->reach_txn.items[r.first]].status ==
		    ALIBI_UNKNOWN_STATUS)
			return true;
	return unknown_wrote(f, key, 0, true);
}

/* Could a transaction of unknown outcome have written what was read? */
static bool unknown_may_explain(const struct findings *f, const struct mismatch *m)
{
	struct reach reachers = opaque_update_reachers(f->h, m->key);
	bool reached = reachers.first < reachers.end; /* an opaque update may have changed it */
	if (m->kind != MISMATCH_EXT || (!f->by_unknown.count && !reached))
		return false;
	uint32_t value = f->h->ops[m->op].value;
	if (reached || query_at(f->h, m->op))
		return unknown_may_write_key(f, m->key);
	if (!f->h->key_is_list[m->key])
		return unknown_wrote(f, m->key, value, false);
	size_t count;
	const uint32_t *items = atoms_items(&f->h->values, value, &count);
	for (size_t i = 0; i < count; i++)
		if (unknown_wrote(f, m->key, items[i], false))
			return true;
	return false;
}

static bool sort_finding(void *data, const struct mismatch *m)
{
	struct findings *f = data;
	assert(m->kind != MISMATCH_ORDER);       /* timestamps always make an order */
	bool of_order = m->kind != MISMATCH_INT; /* which holds in any order */
	if (m->kind == MISMATCH_TIE || (of_order && !f->decides) || unknown_may_explain(f, m)) {
		if (!f->has_undecided)
			f->undecided = describe_keep(f->pool, f->h, m);
		f->has_undecided = true;
		f->writers_tied |= m->kind == MISMATCH_TIE && m->op == ID_NONE;
		return true;
	}
	if (f->kept.count < f->keep_max && f->kept_bytes < DESCRIBED_BYTES_MAX) {
		size_t before = pool_guard(f->pool)->used;
		vec_push(f->pool, &f->kept, describe_keep(f->pool, f->h, m));
		f->kept_bytes += pool_guard(f->pool)->used - before;
	}
	f->of_reads += m->kind == MISMATCH_EXT;
	return ++f->violations < COUNT_MAX;
}

static void drop_reads(struct findings *f)
{
	size_t kept = 0;
	for (size_t i = 0; i < f->kept.count; i++)
		if (f->kept.items[i].m.kind != MISMATCH_EXT)
			f->kept.items[kept++] = f->kept.items[i];
	f->kept.count = kept;
	f->violations -= f->of_reads;
}

static const char *why_undecided(struct findings *f, const struct check_options *options)
{
	text_vec t = {0};
	struct kept_mismatch *k = &f->undecided;
	const char *more = "; it may have taken effect, but the timestamps do not say when";
	if (!f->decides)
		more = describe_no_serial_order(options->stamp_meaning);
	else if (k->m.kind == MISMATCH_TIE)
		more = "";
	if (k->m.kind != MISMATCH_TIE)
		describe_find_writers(f->pool, f->h, k, 1);
	text_addf(f->pool, &t, "%s%s%s", describe(f->pool, f->h, options->level, k).text, more,
	          f->decides ? "" : "; a search decides it");
	return text_string(f->pool, &t);
}

static void describe_all(const struct findings *f, const struct level *level, alibi_result *result)
{
	struct guard *g = pool_guard(f->pool);
	alibi_violation *violations = pool_array(f->pool, f->kept.count + 1, sizeof *violations);
	size_t before = g->used, i = 0;
	guard_stage(g, "describing", f->kept.count);
	describe_find_writers(f->pool, f->h, f->kept.items, f->kept.count);
	for (; i < f->kept.count && g->used - before < DESCRIBED_BYTES_MAX; i++) {
		violations[i] = describe(f->pool, f->h, level, &f->kept.items[i]);
		guard_tick(g);
	}
	result->violations = violations;
	result->described = i;
}

void check_by_timestamps(struct pool *pool, const struct history *h,
                         const struct check_options *options, alibi_result *result)
{
	const struct level *level = options->level;
	struct replay_rules rules = check_rules(options).replay;
	assert(level->rules.visible == VISIBLE_STATE); /* alibi_check() refuses the others */
	struct timestamp_order order = timestamp_order(pool, h, rules);
	result->basis = "the database's own timestamps";
	if (order.missing) {
		text_vec t = {0};
		text_addf(pool, &t, "%s %s", describe_txn(pool, h, order.txn), order.missing);
		result->reason = text_string(pool, &t);
		return;
	}
	struct findings f = {.pool = pool,
	                     .h = h,
	                     .keep_max = options->max_violations,
	                     .decides = stamps_decide(rules, options->stamp_meaning)};
	collect_unknown_writes(&f);
	result->counted_all = replay(pool, h, rules, order.events, order.count, sort_finding, &f);
	if (f.writers_tied)
		drop_reads(&f);
	result->violation_count = f.violations;
	if (f.violations) {
		result->verdict = ALIBI_VIOLATES;
		result->basis =
		        "the database's own timestamps; it may still be valid in an order that "
		        "they do not show";
	} else if (f.has_undecided) {
		result->reason = why_undecided(&f, options);
	} else {
		result->verdict = ALIBI_VALID;
	}
	describe_all(&f, level, result);
}
