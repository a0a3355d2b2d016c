/* explain: see explain.h. */
#include "explain/explain.h"

#include "base/guard.h"
#include "explain/changes.h"
#include "explain/idle.h"
#include "explain/reduce.h"
#include "explain/seeds.h"
#include "explain/sentence.h"
#include "explain/shortcut.h"
#include "history/render.h"

#include <assert.h>
#include <string.h>

enum {
	ANOMALIES_MAX = 10,
	CHECKED_AGAIN_MAX = 1000 * 1000, /* operations: a longer history is not checked again */
	NARROWED_MAX = 8,
	FEW_TXNS = 4, /* a violation of more is worth a search for a smaller one */
};

/* ---- one violation ---- */

/* A part of a history, and the evidence that it violates. */
struct part {
	const struct history *h;
	const alibi_result *result;
	uint32_t *origin; /* by operation; NULL: the same */
};

static bool narrow(struct pool *pool, const struct check_options *options, bool wide,
                   struct part *part)
{
	bool *seeds = seeds_of(pool, part->h, options, part->result, wide);
	struct subset s = subset_of(pool, part->h, seeds);
	const alibi_result *result = check(pool, s.h, options);
	if (result->verdict != ALIBI_VIOLATES)
		return false;
	for (uint32_t i = 0; part->origin && i < s.h->op_count; i++)
		s.origin[i] = part->origin[s.origin[i]];
	*part = (struct part){s.h, result, s.origin};
	return true;
}

/* What the evidence speaks of; and what the evidence of that speaks of; … */
static void narrow_down(struct pool *pool, const struct check_options *options, struct part *part)
{
	/* What open updates meet is more than evidence speaks of. */
	for (uint32_t i = 0; i < NARROWED_MAX && !has_open(part->h); i++) {
		uint32_t before = part->h->op_count;
		if (!narrow(pool, options, false, part) && !narrow(pool, options, true, part))
			return;
		if (part->h->op_count >= before)
			return;
	}
}

static alibi_case *one_case(struct pool *pool, const char *text)
{
	alibi_case *c = pool_zalloc(pool, sizeof *c);
	c->text = text;
	return c;
}

static alibi_edge edge_of(const struct reads *r, const struct arrow *a)
{
	static const char *const kinds[] = {"wr", "so", "rt", "ww", "rw"};
	static const char *const by_query[] = {
	        [ARROW_WR] = "predicate-wr", [ARROW_RW] = "predicate-rw"};
	bool reads = a->kind == ARROW_WR || a->kind == ARROW_RW;
	bool query = reads && seen_query(r, a->read);
	bool keyed = a->kind != ARROW_SO && a->kind != ARROW_RT;
	return (alibi_edge){.from = a->from,
	                    .to = a->to,
	                    .kind = (query ? by_query : kinds)[a->kind],
	                    .key = keyed ? render_value(r->pool, atoms_value(&r->h->keys, a->key))
	                                 : NULL,
	                    .text = sentence_of_arrow(r, a)};
}

static void tell_cases(const struct reads *r, const struct cases *c, alibi_anomaly *out)
{
	alibi_case *made = pool_zarray(r->pool, c->leaves.count, sizeof *made);
	for (size_t i = 0; i < c->leaves.count; i++) {
		const struct leaf *leaf = &c->leaves.items[i];
		const struct arrow *cycle = c->arrows.items + leaf->first_arrow;
		alibi_edge *edges = pool_array(r->pool, leaf->arrow_count, sizeof *edges);
		for (uint32_t j = 0; j < leaf->arrow_count; j++)
			edges[j] = edge_of(r, &cycle[j]);
		made[i] = (alibi_case){.text = sentence_of_cycle(r, cycle, leaf->arrow_count),
		                       .edge_count = leaf->arrow_count,
		                       .edges = edges};
		if (leaf->assumption_count)
			made[i].assumption = sentence_of_assumptions(
			        r, c->assumptions.items + leaf->first_assumption,
			        leaf->assumption_count);
	}
	out->case_count = c->leaves.count;
	out->cases = made;
}

static void set_name(alibi_anomaly *out, struct name name)
{
	out->name = name.name;
	out->title = name.title;
	out->adya = name.adya;
}

/* By what the checker itself said. */
static void tell_violation(struct pool *pool, const alibi_result *result, alibi_anomaly *out)
{
	const alibi_violation *v = &result->violations[0];
	assert(result->described);
	set_name(out, name_of_mismatch(v->kind));
	out->summary = v->text;
	out->case_count = 1;
	out->cases = one_case(pool, v->text);
}

static void tell_fault(const struct reads *r, alibi_anomaly *out)
{
	set_name(out, name_of_fault(r->faulty.fault));
	out->summary = sentence_of_fault(r);
	out->case_count = 1;
	out->cases = one_case(r->pool, out->summary);
}

/* At a level that allows reads of a transaction to differ, they are no fault; but then
 * there is a contradiction which that level forbids. */
static bool is_fault(const struct reads *r, const struct leaf *leaf)
{
	if (r->faulty.fault == FAULT_UNREPEATABLE)
		return !leaf || leaf->rung > RUNG_READ_COMMITTED;
	return r->faulty.fault != NO_FAULT;
}

/* How mild it is, from 1 on, if its updates tell their rows; 0: it has no name. What needs
 * clocks is milder than all that does not. */
static int tell_told(struct pool *pool, const struct history *h,
                     const struct check_options *options, alibi_anomaly *out)
{
	struct reads r = reads_of(pool, h);
	struct cases c = {0};
	bool by_timestamps = options->order == ALIBI_ORDER_TIMESTAMPS;
	if (!by_timestamps && !is_fault(&r, &(struct leaf){0}))
		c = cases_of(&r, options);
	const struct leaf *leaf = c.found ? mildest_case(&r, &c) : NULL;
	if (is_fault(&r, leaf)) {
		tell_fault(&r, out);
		return 1;
	}
	if (!leaf)
		return 0;
	struct name name = name_of_cases(pool, &r, &c);
	int mild = 2 + 2 * (int)leaf->rung + (c.needs_time ? 2 * RUNGS : 0) +
	           (name.anomaly == ANOMALY_PHANTOM || name.anomaly == ANOMALY_PHANTOM_READ);
	leaf = telling_case(&r, &c);
	set_name(out, name);
	out->summary = sentence_of_anomaly(&r, name.anomaly, c.arrows.items + leaf->first_arrow,
	                                   leaf->arrow_count);
	tell_cases(&r, &c, out);
	return mild;
}

static const char *both(struct pool *pool, const char *a, const char *b)
{
	text_vec t = {0};
	text_addf(pool, &t, "%s%s%s", a ? a : "", a && b ? " and " : "", b ? b : "");
	return t.count ? text_string(pool, &t) : NULL;
}

/* The same for each way in which its open updates can have changed rows. The mildest names
 * it, since which of them happened is not known. */
static bool tell_open(struct pool *pool, const struct history *h,
                      const struct check_options *options, alibi_anomaly *out)
{
	struct changes c = changes_of(pool, h);
	VEC(alibi_case) cases = {0};
	int mildest = 0;
	for (uint32_t i = 0; i < c.count; i++) {
		alibi_anomaly one = *out;
		int mild = tell_told(pool, c.h[i], options, &one);
		if (!mild)
			return false;
		if (mild > mildest)
			*out = one;
		mildest = mild > mildest ? mild : mildest;
		for (size_t j = 0; j < one.case_count; j++) {
			alibi_case told = one.cases[j];
			told.assumption = both(pool, c.assumption[i], told.assumption);
			vec_push(pool, &cases, told);
		}
	}
	out->case_count = cases.count;
	out->cases = cases.items;
	return mildest > 0;
}

static void tell(struct pool *pool, const struct history *h, const struct check_options *options,
                 alibi_anomaly *out)
{
	alibi_anomaly told = *out;
	bool by_timestamps = options->order == ALIBI_ORDER_TIMESTAMPS;
	if (has_open(h) ? !by_timestamps && tell_open(pool, h, options, &told)
	                : tell_told(pool, h, options, &told) > 0)
		*out = told;
	else
		tell_violation(pool, check(pool, h, options), out);
}

static alibi_anomaly anomaly_of(struct pool *pool, const struct subset *s,
                                const struct check_options *options)
{
	const struct history *h = s->h;
	alibi_anomaly a = {.reduced = (const alibi_history *)h,
	                   .txn_count = h->txn_count,
	                   .lists_cut = s->cut};
	const char **ids = pool_array(pool, h->txn_count, sizeof *ids);
	for (uint32_t t = 0; t < h->txn_count; t++)
		ids[t] = render_value(pool, history_txn_id(h, t));
	a.txns = ids;
	tell(pool, h, options, &a);
	return a;
}

/* ---- all of them ---- */

/* Does it rest on sessions and clocks alone, whatever its transactions do? */
static bool is_of_clocks(const alibi_anomaly *a)
{
	for (size_t i = 0; i < a->case_count; i++)
		for (size_t j = 0; j < a->cases[i].edge_count; j++)
			if (a->cases[i].edges[j].key)
				return false;
	return a->case_count && a->cases[0].edge_count;
}

static bool same_txns(const alibi_anomaly *a, const alibi_anomaly *b)
{
	for (size_t i = 0; i < a->txn_count && a->txn_count == b->txn_count; i++)
		if (strcmp(a->txns[i], b->txns[i]) != 0)
			return false;
	return a->txn_count == b->txn_count;
}

/* Was it told before, of other operations of the same transactions? */
static bool is_repeated(const alibi_explanation *out, const alibi_anomaly *a)
{
	for (size_t i = 0; i < out->count && is_of_clocks(a); i++)
		if (is_of_clocks(&out->anomalies[i]) && same_txns(&out->anomalies[i], a))
			return true;
	return false;
}

/* All that the last transaction of a violation does. */
static void take_last_away(struct pool *pool, const struct history *h, uint32_t op, bool *keep)
{
	uint32_t last = history_txn_at(h, op);
	for (uint32_t i = h->txns[last].first_op; i < txn_op_end(h, last); i++)
		keep[i] = false;
	reduce_close(pool, h, keep);
}

/* The reads that it rests on, or, without any, its last transaction. */
static void take_away(struct pool *pool, const struct history *h, const struct history *reduced,
                      const uint32_t *origin, bool *keep)
{
	bool any = false;
	for (uint32_t i = 0; i < reduced->op_count; i++) {
		const struct query *q = query_at(reduced, i);
		bool reads = op_kind(reduced->ops[i]) == ALIBI_READ && !(q && q->open);
		any |= reads;
		if (reads)
			keep[origin[i]] = false;
	}
	for (uint32_t i = reduced->txns[reduced->txn_count - 1].first_op;
	     !any && i < reduced->op_count; i++)
		keep[origin[i]] = false;
	if (!any)
		reduce_close(pool, h, keep);
}

void explain_busy(struct pool *pool, const struct check_options *options, const struct history **h,
                  const alibi_result **result)
{
	const struct history *busy = idle_busy(pool, *h, options);
	if (busy == *h)
		return;
	*h = busy;
	*result = check(pool, busy, options);
}

struct subset explain_part(struct pool *pool, const struct history *h, const alibi_result *result,
                           const struct check_options *options)
{
	struct part part = {.h = h, .result = result};
	narrow_down(pool, options, &part);
	struct subset least = reduce_history(pool, part.h, options, NULL);
	for (uint32_t i = 0; part.origin && i < least.h->op_count; i++)
		least.origin[i] = part.origin[least.origin[i]];
	return least;
}

/* The same, also by other ways. */
static struct subset least_part(struct pool *pool, const struct history *h,
                                const alibi_result *result, const struct check_options *options)
{
	struct subset least = explain_part(pool, h, result, options);
	if (options->order == ALIBI_ORDER_NONE && !has_open(h))
		shortcut(pool, h, options, FEW_TXNS, &least);
	return least;
}

/* Before those that have more transactions. */
static void insert(struct pool *pool, alibi_explanation *out, alibi_anomaly a)
{
	alibi_anomaly *grown = pool_array(pool, out->count + 1, sizeof *grown);
	size_t at = out->count;
	for (; at && out->anomalies[at - 1].txn_count > a.txn_count; at--)
		grown[at] = out->anomalies[at - 1];
	grown[at] = a;
	while (at-- > 0)
		grown[at] = out->anomalies[at];
	out->anomalies = grown;
	out->count++;
}

/* Of a part of the whole history h; keep: what of it was not explained yet. */
static void explain_one(struct pool *pool, const struct history *h, const struct part *part,
                        const struct check_options *options, bool *keep, alibi_explanation *out)
{
	struct pool *own = pool_child(pool);
	struct subset least = least_part(own, part->h, part->result, options);
	bool *chosen = pool_zarray(own, (size_t)part->h->op_count + 1, sizeof *chosen);
	for (uint32_t i = 0; i < least.h->op_count; i++)
		chosen[least.origin[i]] = true;
	struct subset s = subset_of(pool, part->h, chosen);
	for (uint32_t i = 0; part->origin && i < s.h->op_count; i++)
		s.origin[i] = part->origin[s.origin[i]];
	alibi_anomaly a = anomaly_of(pool, &s, options);
	if (is_repeated(out, &a)) {
		take_last_away(own, h, s.origin[s.h->op_count - 1], keep);
	} else {
		take_away(own, h, s.h, s.origin, keep);
		insert(pool, out, a);
	}
	pool_release(own);
}

static bool anybody_committed(const struct history *h)
{
	for (uint32_t t = 0; t < h->txn_count; t++)
		if (h->txns[t].status == ALIBI_COMMIT)
			return true;
	return false;
}

/* Looks for one more in what is kept; false: there is none, or it is not known. */
static bool explain_more(struct pool *pool, const struct history *h,
                         const struct check_options *options, bool *keep, alibi_explanation *out)
{
	struct pool *own = pool_child(pool);
	struct subset rest = subset_of(own, h, keep);
	struct part part = {rest.h, check(own, rest.h, options), rest.origin};
	bool more = part.result->verdict == ALIBI_VIOLATES;
	out->counted_all = part.result->verdict == ALIBI_VALID || !anybody_committed(rest.h);
	if (more)
		explain_one(pool, h, &part, options, keep, out);
	pool_release(own);
	return more;
}

/* Half of the time that is left is kept for what comes after. */
static uint64_t earlier_deadline(uint64_t deadline)
{
	uint64_t now = monotonic_ns();
	return deadline > now ? now + (deadline - now) / 2 : deadline;
}

alibi_explanation *explain_new(struct pool *pool)
{
	return pool_zalloc(pool, sizeof(alibi_explanation));
}

void explain(struct pool *pool, const struct history *h, const struct check_options *options,
             const alibi_result *result, alibi_explanation *out)
{
	struct check_options again = *options;
	struct guard *guard = pool_guard(pool);
	uint64_t deadline = guard->deadline_ns;
	again.require_txns = 0;
	again.max_violations = 1;
	again.coverage = NULL;
	explain_busy(pool, &again, &h, &result);
	bool *keep = pool_array(pool, (size_t)h->op_count + 1, sizeof *keep);
	memset(keep, true, (size_t)h->op_count + 1);
	out->level = options->level->name;
	explain_one(pool, h, &(struct part){.h = h, .result = result}, &again, keep, out);
	if (deadline)
		guard->deadline_ns = earlier_deadline(deadline);
	while (out->count < ANOMALIES_MAX && h->op_count <= CHECKED_AGAIN_MAX &&
	       explain_more(pool, h, &again, keep, out))
		;
	guard->deadline_ns = deadline;
	pool_free(pool, keep);
}
