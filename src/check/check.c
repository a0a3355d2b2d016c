/* check: see check.h. */
#include "check/check.h"

#include "base/guard.h"
#include "check/certificate.h"
#include "check/coverage.h"
#include "check/describe.h"
#include "check/find.h"
#include "check/skew.h"
#include "check/timestamps.h"
#include "check/versions.h"
#include "history/open.h"
#include "history/render.h"
#include "verify/claims.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	COUNT_MAX = 10 * 1000 * 1000, /* mismatches, then the replay is left */
	SHOWN_TXNS = 8,
	REASON_MAX = 1024,
	DESCRIBED_BYTES_MAX = 64 << 20, /* a thousand violations may show one long value each */
};

static const char not_defined[] =
        "the history has queries, and what these should not have found is defined only at the "
        "levels from pc on; check one of those";

struct check {
	struct pool *pool;
	alibi_result result;
	struct find_log log;
	struct check_order *order; /* NULL: not asked for */
	char reason[REASON_MAX];   /* if a limit ends it */
};

struct written {
	uint32_t key, value;
};

/* What the replay found, sorted into what it proves. */
struct findings {
	struct pool *pool;
	const struct history *h;
	size_t keep_max;
	VEC(struct kept_mismatch) kept;
	size_t kept_bytes;             /* memory of what they show */
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

static bool unknown_wrote_key(const struct findings *f, uint32_t key)
{
	for (struct reach r = open_reachers(f->h, key); r.first < r.end; r.first++)
		if (f->h->txns[f->h->queries->reach_txn.items[r.first]].status ==
		    ALIBI_UNKNOWN_STATUS)
			return true;
	for (size_t i = 0; i < f->by_unknown.count; i++)
		if (f->by_unknown.items[i].key == key)
			return true;
	return false;
}

/* Could a transaction whose outcome nobody knows have made this read right? */
static bool unknown_may_explain(const struct findings *f, const struct mismatch *m)
{
	struct reach reachers = open_reachers(f->h, m->key);
	bool reached = reachers.first < reachers.end; /* what it met may have been changed */
	if (m->kind != MISMATCH_EXT || (!f->by_unknown.count && !reached))
		return false;
	uint32_t value = f->h->ops[m->op].value;
	if (reached || query_at(f->h, m->op))
		return unknown_wrote_key(f, m->key);
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
	if (f->kept.count < f->keep_max && f->kept_bytes < DESCRIBED_BYTES_MAX) {
		size_t before = pool_guard(f->pool)->used;
		vec_push(f->pool, &f->kept, describe_keep(f->pool, f->h, m));
		f->kept_bytes += pool_guard(f->pool)->used - before;
	}
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

static void describe_all(const struct findings *f, const struct level *level, alibi_result *result)
{
	struct guard *g = pool_guard(f->pool);
	alibi_violation *violations = pool_array(f->pool, f->kept.count + 1, sizeof *violations);
	size_t before = g->used, i = 0;
	for (; i < f->kept.count && g->used - before < DESCRIBED_BYTES_MAX; i++) {
		violations[i] = describe(f->pool, f->h, level, &f->kept.items[i]);
		guard_tick(g);
	}
	result->violations = violations;
	result->described = i;
}

static void judge(struct pool *pool, const struct history *h, const struct check_options *options,
                  alibi_result *result)
{
	const struct level *level = options->level;
	assert(level->rules.visible == VISIBLE_STATE); /* alibi_check() refuses the others */
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
	describe_all(&f, level, result);
}

/* ---- without an order ---- */

/* How many words the edge takes that begins with this one. */
static uint32_t edge_words(enum step_kind kind, const uint32_t *words)
{
	if (kind == STEP_CYCLE || words[1] == CLAIM_SESSION)
		return 2;
	return words[1] == CLAIM_SEEN ? 5 : 4;
}

struct naming {
	struct pool *pool;
	const struct history *h;
	text_vec *t;
	bool *named; /* by transaction */
	uint32_t count;
};

static void name_txn(struct naming *n, uint32_t txn)
{
	if (txn >= n->h->txn_count || n->named[txn])
		return;
	n->named[txn] = true;
	if (n->count++ < SHOWN_TXNS) {
		text_addf(n->pool, n->t, n->count > 1 ? ", " : " between transactions ");
		text_add_value(n->pool, n->t, history_txn_id(n->h, txn));
	}
}

/* The transactions that a refutation speaks of, each once. */
static void say_who(struct pool *pool, const struct history *h, const struct proof *p, text_vec *t)
{
	struct naming n = {.pool = pool, .h = h, .t = t};
	n.named = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *n.named);
	for (size_t i = 0; i < p->steps.count; i++) {
		const struct proof_step *s = &p->steps.items[i];
		const uint32_t *words = p->words.items + s->offset, *end = words + s->count;
		bool cycle = s->kind == STEP_CYCLE || s->kind == STEP_SEEN_CYCLE;
		for (; cycle && words < end; words += edge_words(s->kind, words))
			name_txn(&n, s->kind == STEP_CYCLE ? words[0] >> 1 : words[0]);
		if (s->kind == STEP_QUERY) {
			name_txn(&n, history_txn_at(h, words[0]));
			name_txn(&n, words[2]); /* nobody: no such transaction */
		} else if (s->kind == STEP_LIST_PAIR) {
			name_txn(&n, history_txn_at(h, words[0]));
			name_txn(&n, history_txn_at(h, words[1]));
		}
		if (s->kind == STEP_MET) {
			name_txn(&n, words[0]);
			name_txn(&n, words[3]);
		}
	}
	if (n.count > SHOWN_TXNS)
		text_addf(pool, t, " and %u more", n.count - SHOWN_TXNS);
	pool_free(pool, n.named);
}

static const char *say_refutation(struct pool *pool, const struct history *h, const struct proof *p)
{
	assert(p->steps.items && p->steps.count);
	const struct proof_step *last = &p->steps.items[p->steps.count - 1];
	text_vec t = {0};
	bool query = last->kind == STEP_QUERY || (last->kind == STEP_INT && last->count > 1);
	bool no_writer = last->kind == STEP_WRITER || last->kind == STEP_CHOICES ||
	                 last->kind == STEP_LIST_FEWER;
	if (query) {
		const uint32_t *words = p->words.items + last->offset;
		text_addf(pool, &t, "%s looked for ",
		          describe_txn(pool, h, history_txn_at(h, words[0])));
		text_add_query(pool, &t, h, query_at(h, words[0]));
		text_addf(pool, &t, ", and what that told of key %s %s",
		          render_value(pool, atoms_value(&h->keys, words[1])),
		          last->kind == STEP_INT ? "is not what it had written there before"
		                                 : "nobody can have left there");
	} else if (last->kind == STEP_INT || no_writer) {
		uint32_t op = p->words.items[last->offset];
		const char *no_match = describe_no_match(pool, h, op);
		if (no_match && last->kind == STEP_INT)
			return no_match;
		text_addf(pool, &t, "%s read key %s and found ",
		          describe_txn(pool, h, history_txn_at(h, op)),
		          render_value(pool, atoms_value(&h->keys, op_key(h->ops[op]))));
		text_add_atom(pool, &t, h, h->ops[op].value, SHOWN_TXNS);
		text_addf(pool, &t, "%s",
		          last->kind == STEP_INT
		                  ? ", which is not what it had read or written before"
		                  : ", which nobody can have left there");
	} else {
		text_addf(pool, &t, "no order explains what was read: there is a contradiction");
		say_who(pool, h, p, &t);
	}
	return text_string(pool, &t);
}

struct verify_rules check_rules(const struct check_options *options)
{
	struct verify_rules rules = {options->level->name, options->level->rules};
	rules.replay.no_session = !options->session_order;
	rules.replay.realtime |= options->time_order;
	rules.replay.skew = options->skew;
	return rules;
}

/* What the verdict rests on, apart from the reads. stamped: on an order made of the
 * database's timestamps. That they were of no use is said only if there is an order. */
static const char *basis_of(struct pool *pool, const struct history *h,
                            const struct verify_rules *rules, bool stamped, bool valid)
{
	text_vec t = {0};
	if (stamped)
		text_addf(pool, &t, "an order made of the database's own timestamps");
	else if (valid && versions_apply(h, rules->replay))
		text_addf(pool, &t,
		          "a search, because the database's own timestamps give no order that "
		          "explains every read");
	if (rules->replay.realtime && h->times)
		text_addf(pool, &t, "%sthe clients' clocks, taken to differ by at most %" PRIu64,
		          t.count ? "; and by " : "", rules->replay.skew);
	return t.count ? text_string(pool, &t) : NULL;
}

/* NULL: the verifier accepts it. */
static const char *settle(struct check *c, const struct history *h,
                          const struct verify_rules *rules, byte_vec certificate)
{
	alibi_result *result = &c->result;
	const char *why =
	        verify(c->pool, h, rules, certificate.items, certificate.count, &result->verdict);
	if (why) {
		result->verdict = ALIBI_UNKNOWN;
		return why;
	}
	result->certificate = certificate.items;
	result->certificate_length = certificate.count;
	return NULL;
}

/* An order that the database's timestamps give, if it explains everything. */
static bool judge_by_versions(struct check *c, const struct history *h,
                              const struct verify_rules *rules)
{
	struct guard *guard = pool_guard(c->pool);
	if (!versions_apply(h, rules->replay))
		return false;
	guard_clock(guard, &c->log.work.prepare_seconds);
	struct pool *own = pool_child(c->pool);
	struct search_result found = versions_order(own, h, rules->replay);
	byte_vec bytes = {0};
	if (found.found)
		bytes = certificate_of(c->pool, h, rules, &found);
	pool_release(own);
	guard_clock(guard, &c->log.work.verify_seconds);
	bool holds = found.found && !settle(c, h, rules, bytes);
	guard_clock(guard, NULL);
	if (!holds)
		pool_free(c->pool, bytes.items);
	return holds;
}

static void keep_order(struct check *c, const struct search_result *found)
{
	size_t count = found->event_count;
	c->order->events = pool_array(c->pool, count + 1, sizeof *found->events);
	c->order->count = count;
	if (count)
		memcpy(c->order->events, found->events, count * sizeof *found->events);
}

static void judge_by_search(struct check *c, const struct history *h,
                            const struct verify_rules *rules, unsigned threads)
{
	struct pool *pool = c->pool;
	alibi_result *result = &c->result;
	struct guard *guard = pool_guard(pool);
	struct pool *own = pool_child(pool);
	struct search_result found = find(own, h, rules->replay, threads, &c->log);
	if (found.given_up) {
		result->reason = "values were written more than once, and too many ways remain in "
		                 "which they can have been read; unique values are always decided";
		return;
	}
	if (h->queries && found.found && rules->replay.visible != VISIBLE_STATE) {
		result->reason = not_defined;
		return;
	}
	guard_clock(guard, &c->log.work.verify_seconds);
	byte_vec bytes = certificate_of(pool, h, rules, &found);
	if (c->order && found.found)
		keep_order(c, &found);
	const char *refutation = found.found ? NULL : say_refutation(pool, h, &found.proof);
	pool_release(own); /* verifying needs room of its own */
	const char *why = settle(c, h, rules, bytes);
	guard_clock(guard, NULL);
	if (why) {
		result->reason =
		        sentence(pool,
		                 "a fault of Alibi's own: its verifier does not accept what "
		                 "its search found (",
		                 why, "); please report it");
		return;
	}
	if (result->verdict == ALIBI_VALID)
		return;
	alibi_violation *violation = pool_zalloc(pool, sizeof *violation);
	violation->kind = "ORDER";
	violation->text = refutation;
	result->violations = violation;
	result->described = result->violation_count = 1;
}

static void judge_without_order(struct check *c, const struct history *h,
                                const struct check_options *options)
{
	struct verify_rules rules = check_rules(options);
	bool stamped = judge_by_versions(c, h, &rules);
	if (!stamped)
		judge_by_search(c, h, &rules, options->threads);
	c->result.work = c->log.work;
	if (c->result.verdict != ALIBI_UNKNOWN)
		c->result.basis =
		        basis_of(c->pool, h, &rules, stamped, c->result.verdict == ALIBI_VALID);
}

struct check *check_new(struct pool *pool)
{
	struct check *c = pool_zalloc(pool, sizeof *c);
	c->pool = pool_child(pool);
	return c;
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
	c->result.coverage.warning = NULL; /* it was for `valid` */
	pool_release(c->pool);
	c->pool = NULL;
	if (error->code != ALIBI_MEMORY && error->code != ALIBI_TIMEOUT)
		return NULL;
	return &c->result;
}

const alibi_result *check_run(struct check *c, const struct history *h,
                              const struct check_options *options)
{
	struct pool *pool = c->pool;
	alibi_result *result = &c->result;
	uint64_t committed = 0;
	text_vec t = {0};
	*result = (alibi_result){
	        .verdict = ALIBI_UNKNOWN, .level = options->level->name, .counted_all = true};
	struct coverage coverage =
	        options->coverage ? *options->coverage : coverage_of(pool, h, options);
	coverage_at(pool, &coverage, options, result); /* as it is if a limit ends the check */
	for (uint32_t i = 0; i < h->txn_count; i++)
		committed += h->txns[i].status == ALIBI_COMMIT;
	if (committed < options->require_txns || !committed) {
		text_addf(pool, &t,
		          "the history has %" PRIu64
		          " committed transactions, and at least %" PRIu64
		          " are required to say anything",
		          committed, options->require_txns ? options->require_txns : 1);
		result->reason = text_string(pool, &t);
	} else if (has_open(h) && options->level->rules.visible != VISIBLE_STATE) {
		result->reason = sentence(
		        pool, describe_txn(pool, h, h->queries->open_txn),
		        " has an update of which the history does not tell what it changed; ",
		        "check a level from pc on, or add its rows: [\"u\", predicate, change, "
		        "rows]");
	} else if (has_open(h) && h->queries->open_too_many) {
		result->reason = "the updates of which the history does not tell what they changed "
		                 "can have left too many different rows; add the rows of some: "
		                 "[\"u\", predicate, change, rows]";
	} else if (options->order == ALIBI_ORDER_NONE) {
		judge_without_order(c, h, options);
	} else {
		judge(pool, h, options, result);
		result->basis =
		        result->verdict == ALIBI_VIOLATES
		                ? "the database's own timestamps; it may still be right in an "
		                  "order that they do not show"
		                : "the database's own timestamps";
	}
	coverage_at(pool, &coverage, options, result);
	return result;
}

void check_clocks(struct check *c, const struct history *h, const struct check_options *options)
{
	suspect_clocks(c->pool, h, options, &c->result);
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
