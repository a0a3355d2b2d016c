/* explain: see explain.h. */
#include "explain/explain.h"

#include "base/guard.h"
#include "explain/changes.h"
#include "explain/evidence.h"
#include "explain/mirror.h"
#include "explain/placeholder.h"
#include "explain/reduce.h"
#include "explain/sentence.h"
#include "explain/shortcut.h"
#include "explain/unwritten.h"
#include "explain/weakest.h"
#include "history/render.h"

#include <assert.h>
#include <string.h>

enum {
	ANOMALIES_MAX = 10,
	RECHECKED_OPS_MAX = 1000 * 1000, /* a longer history is not checked again */
	NARROWED_MAX = 8,
	BRIEF_OPS_MAX = 20 * 1000, /* … nor is this one, if it has to be brief */
	FEW_TXNS = 4,              /* a violation of more is worth a search for a smaller one */
};

/* ---- a small part that violates ---- */

/* A part of a history, and the evidence that it violates. */
struct part {
	const struct history *h;
	const alibi_result *result;
	uint32_t *origin; /* by operation; NULL: the whole history */
};

static bool narrow(struct pool *pool, const struct check_options *options, bool wide,
                   struct part *part)
{
	bool *keep = evidence_ops(pool, part->h, options, part->result, wide);
	struct subset s = subset_of(pool, part->h, keep);
	const alibi_result *result = check(pool, s.h, options);
	if (result->verdict != ALIBI_VIOLATES)
		return false;
	subset_rebase(&s, part->origin);
	*part = (struct part){s.h, result, s.origin};
	return true;
}

/* Keeps what the evidence refers to, then what the evidence of that refers to, and so on. The
 * evidence does not name everything that opaque updates depend on. */
static struct part narrowed(struct pool *pool, const struct history *h, const alibi_result *result,
                            const struct check_options *options)
{
	struct part part = {.h = h, .result = result};
	uint32_t before = UINT32_MAX;
	for (uint32_t i = 0; i < NARROWED_MAX && !has_opaque(h) && part.h->op_count < before; i++) {
		before = part.h->op_count;
		if (!narrow(pool, options, false, &part) && !narrow(pool, options, true, &part))
			break;
	}
	return part;
}

static struct subset minimal_part(struct pool *pool, const struct history *h,
                                  const alibi_result *result, const struct check_options *options)
{
	struct part part = narrowed(pool, h, result, options);
	struct subset least = reduce_history(pool, part.h, options, NULL);
	subset_rebase(&least, part.origin);
	return least;
}

static void add_placeholders(struct pool *pool, const struct check_options *options,
                             const struct history **h, const alibi_result **result)
{
	const struct history *with = placeholder_add(pool, *h, options);
	if (with == *h)
		return;
	*h = with;
	*result = check(pool, with, options);
}

const struct history *explain_minimal_part(struct pool *pool, const struct history *h,
                                           const alibi_result *result,
                                           const struct check_options *options)
{
	assert(result->verdict == ALIBI_VIOLATES);
	add_placeholders(pool, options, &h, &result);
	return minimal_part(pool, h, result, options).h;
}

/* ---- its name and its sentences ---- */

static alibi_edge edge_of(const struct reads *r, const struct dependency *d)
{
	static const char *const kinds[] = {"wr", "so", "rt", "ww", "rw"};
	static const char *const by_query[] = {
	        [DEP_WR] = "predicate-wr", [DEP_RW] = "predicate-rw"};
	bool reads = d->kind == DEP_WR || d->kind == DEP_RW;
	bool query = reads && external_query(r, d->read);
	bool keyed = d->kind != DEP_SO && d->kind != DEP_RT;
	return (alibi_edge){.from = d->from,
	                    .to = d->to,
	                    .kind = (query ? by_query : kinds)[d->kind],
	                    .key = keyed ? render_value(r->pool, atoms_value(&r->h->keys, d->key))
	                                 : NULL,
	                    .text = sentence_of_dependency(r, d)};
}

static void describe_cases(const struct reads *r, const struct cases *c, alibi_anomaly *out)
{
	alibi_case *made = pool_zarray(r->pool, c->leaves.count, sizeof *made);
	for (size_t i = 0; i < c->leaves.count; i++) {
		const struct leaf *leaf = &c->leaves.items[i];
		const struct dependency *cycle = leaf_cycle(c, leaf);
		alibi_edge *edges = pool_array(r->pool, leaf->length, sizeof *edges);
		for (uint32_t j = 0; j < leaf->length; j++)
			edges[j] = edge_of(r, &cycle[j]);
		made[i] = (alibi_case){.text = sentence_of_cycle(r, cycle, leaf->length),
		                       .edge_count = leaf->length,
		                       .edges = edges};
		if (leaf->assumption_count)
			made[i].assumption = sentence_of_assumptions(
			        r, c->assumptions.items + leaf->first_assumption,
			        leaf->assumption_count);
		uint32_t one, other;
		if (mirror_of(r, c, i, &one, &other))
			made[i].mirrors = sentence_of_exchange(r, one, other);
	}
	out->case_count = c->leaves.count;
	out->cases = made;
}

static void set_name(alibi_anomaly *out, struct name name)
{
	out->name = name.name;
	out->title = name.title;
	out->many = name.many;
	out->adya = name.adya;
}

/* An anomaly without a cycle: one case, one sentence. */
static void describe_in_one_sentence(struct pool *pool, struct name name, const char *text,
                                     alibi_anomaly *out)
{
	alibi_case *only = pool_zalloc(pool, sizeof *only);
	only->text = text;
	set_name(out, name);
	out->summary = text;
	out->case_count = 1;
	out->cases = only;
}

/* The key that the anomaly is about, if it is one; else ID_NONE. */
static uint32_t fault_key(const struct reads *r)
{
	return r->faulty.fault >= FAULT_NO_MATCH ? r->faulty.key : op_key(r->h->ops[r->faulty.op]);
}

static uint32_t cycle_key(const struct dependency *cycle, uint32_t length)
{
	uint32_t key = ID_NONE;
	for (uint32_t i = 0; i < length; i++) {
		if (cycle[i].kind == DEP_SO || cycle[i].kind == DEP_RT)
			continue;
		if (key != ID_NONE && cycle[i].key != key)
			return ID_NONE;
		key = cycle[i].key;
	}
	return key;
}

/* Levels that allow unrepeatable reads do not count them as faults; there must be a
 * cycle then. */
static bool is_fault(const struct reads *r, const struct leaf *leaf)
{
	if (r->faulty.fault == FAULT_UNREPEATABLE)
		return !leaf || leaf->class > CYCLE_READ_COMMITTED;
	return r->faulty.fault != NO_FAULT;
}

/* Returns how mild the anomaly is, from 1 on; 0: it has no name. Anomalies that need clocks
 * are milder than all others. No update is opaque. */
static int describe_cycles(struct pool *pool, const struct history *h,
                           const struct check_options *options, alibi_anomaly *out)
{
	struct reads r = reads_of(pool, h);
	struct cases c = {0};
	bool by_timestamps = options->order == ALIBI_ORDER_TIMESTAMPS;
	if (!by_timestamps && !is_fault(&r, &(struct leaf){0}))
		c = cases_of(&r, options);
	const struct leaf *leaf = c.found ? mildest_case(&r, &c) : NULL;
	if (is_fault(&r, leaf)) {
		describe_in_one_sentence(pool, name_of_fault(r.faulty.fault), sentence_of_fault(&r),
		                         out);
		out->key = sentence_of_key(&r, fault_key(&r));
		return 1;
	}
	if (!leaf)
		return 0;
	struct name name = name_of_cases(pool, &r, &c);
	int mild = 2 + 2 * (int)leaf->class + (c.needs_time ? 2 * CYCLE_CLASSES : 0) +
	           (name.anomaly == ANOMALY_PHANTOM || name.anomaly == ANOMALY_PHANTOM_READ);
	leaf = headline_case(&r, &c);
	set_name(out, name);
	out->summary = sentence_of_anomaly(&r, name.anomaly, leaf_cycle(&c, leaf), leaf->length);
	out->key = sentence_of_key(&r, cycle_key(leaf_cycle(&c, leaf), leaf->length));
	describe_cases(&r, &c, out);
	return mild;
}

static const char *conjunction(struct pool *pool, const char *a, const char *b)
{
	return a && b ? text_format(pool, "%s and %s", a, b) : a ? a : b;
}

/* The cases of all ways in which opaque updates can have changed rows. The mildest of them
 * names the anomaly, since it is unknown which one happened. */
static bool describe_opaque_updates(struct pool *pool, const struct history *h,
                                    const struct check_options *options, alibi_anomaly *out)
{
	struct changes c = changes_of(pool, h);
	VEC(alibi_case) cases = {0};
	int mildest = 0;
	for (uint32_t i = 0; i < c.count; i++) {
		alibi_anomaly one = *out;
		int mild = describe_cycles(pool, c.h[i], options, &one);
		if (!mild)
			return false;
		if (mild > mildest)
			*out = one;
		mildest = mild > mildest ? mild : mildest;
		for (size_t j = 0; j < one.case_count; j++) {
			alibi_case described = one.cases[j];
			described.assumption =
			        conjunction(pool, c.assumption[i], described.assumption);
			vec_push(pool, &cases, described);
		}
	}
	out->case_count = cases.count;
	out->cases = cases.items;
	return mildest > 0;
}

static void describe(struct pool *pool, const struct history *h,
                     const struct check_options *options, alibi_anomaly *out)
{
	alibi_anomaly described = *out;
	bool by_timestamps = options->order == ALIBI_ORDER_TIMESTAMPS;
	if (has_opaque(h) ? !by_timestamps && describe_opaque_updates(pool, h, options, &described)
	                  : describe_cycles(pool, h, options, &described) > 0) {
		*out = described;
		return;
	}
	const alibi_result *result = check(pool, h, options);
	assert(result->described);
	const alibi_violation *v = &result->violations[0];
	describe_in_one_sentence(pool, name_of_mismatch(v->kind), v->text, out);
}

static alibi_anomaly anomaly_of(struct pool *pool, const struct subset *s,
                                const struct check_options *options)
{
	const struct history *h = s->h;
	alibi_anomaly a = {.reduced = (const alibi_history *)h,
	                   .txn_count = h->txn_count,
	                   .lists_cut = s->cut,
	                   .level = options->level->name};
	const char **ids = pool_array(pool, h->txn_count, sizeof *ids);
	for (uint32_t t = 0; t < h->txn_count; t++)
		ids[t] = render_value(pool, history_txn_id(h, t));
	a.txns = ids;
	describe(pool, h, options, &a);
	return a;
}

/* h: the whole history. Only that says whether a value that no transaction wrote may be the initial
 * one. A read of such a value needs nothing else to be a violation. */
static void judge_unwritten(struct pool *pool, const struct history *h, const struct subset *s,
                            alibi_anomaly *a)
{
	bool garbage = !strcmp(a->name, name_of(ANOMALY_GARBAGE_READ).name);
	if (!garbage || s->h->op_count != 1 || s->h->empty_list != ID_NONE || has_opaque(h))
		return;
	struct unwritten found = unwritten_read(pool, h, s->origin[0]);
	describe_in_one_sentence(pool, name_of(found.anomaly), found.summary, a);
	a->advice = found.advice;
}

/* ---- one violation after the other ---- */

/* Does it follow from sessions and clocks alone, whatever its transactions do? */
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

/* Was it reported before, for other operations of the same transactions? */
static bool is_repeated(const alibi_explanation *out, const alibi_anomaly *a)
{
	for (size_t i = 0; i < out->count && is_of_clocks(a); i++)
		if (is_of_clocks(&out->anomalies[i]) && same_txns(&out->anomalies[i], a))
			return true;
	return false;
}

/* All operations of the last transaction of a violation. */
static void remove_last_txn(struct pool *pool, const struct history *h, uint32_t op, bool *keep)
{
	uint32_t last = history_txn_at(h, op);
	for (uint32_t i = h->txns[last].first_op; i < txn_op_end(h, last); i++)
		keep[i] = false;
	reduce_close(pool, h, keep);
}

/* The reads of the violation or, if it has none, its last transaction. */
static void remove_explained(struct pool *pool, const struct history *h,
                             const struct history *reduced, const uint32_t *origin, bool *keep)
{
	bool any = false;
	for (uint32_t i = 0; i < reduced->op_count; i++) {
		const struct query *q = query_at(reduced, i);
		bool reads = op_kind(reduced->ops[i]) == ALIBI_READ && !(q && q->opaque);
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

/* If the transactions of the reduced history violate a weaker level as well, and not many more are
 * needed to show it, that is what they are reduced to. */
static void weaken(struct pool *pool, const struct history *h, struct check_options *options,
                   struct subset *least)
{
	struct check_options weakest = *options;
	uint32_t most = least->h->txn_count > FEW_TXNS ? least->h->txn_count : FEW_TXNS;
	if (options->order != ALIBI_ORDER_NONE || has_opaque(h))
		return;
	bool *keep = evidence_around(pool, h, least->origin, least->h->op_count);
	struct subset around = subset_of(pool, h, keep);
	const alibi_result *result = weakest_violated(pool, around.h, &weakest);
	if (!result)
		return;
	struct subset other = minimal_part(pool, around.h, result, &weakest);
	if (other.h->txn_count > most)
		return;
	subset_rebase(&other, around.origin);
	*least = other;
	*options = weakest;
}

/* part: of the whole history h; keep: operations of h not explained yet. thorough: looks for
 * shorter paths in all of it. */
static void explain_one(struct pool *pool, const struct history *h, const struct part *part,
                        const struct check_options *asked, bool thorough, bool *keep,
                        alibi_explanation *out)
{
	struct pool *own = pool_child(pool);
	struct check_options options = *asked;
	struct subset least = minimal_part(own, part->h, part->result, &options);
	if (options.order == ALIBI_ORDER_NONE && !has_opaque(part->h) && thorough)
		shortcut(own, part->h, &options, FEW_TXNS, &least);
	weaken(own, part->h, &options, &least);
	bool *chosen = pool_zarray(own, (size_t)part->h->op_count + 1, sizeof *chosen);
	for (uint32_t i = 0; i < least.h->op_count; i++)
		chosen[least.origin[i]] = true;
	struct subset s = subset_of(pool, part->h, chosen);
	subset_rebase(&s, part->origin);
	alibi_anomaly a = anomaly_of(pool, &s, &options);
	judge_unwritten(pool, h, &s, &a);
	if (is_repeated(out, &a)) {
		remove_last_txn(own, h, s.origin[s.h->op_count - 1], keep);
	} else {
		remove_explained(own, h, s.h, s.origin, keep);
		insert(pool, out, a);
	}
	pool_release(own);
}

static bool has_committed(const struct history *h)
{
	for (uint32_t t = 0; t < h->txn_count; t++)
		if (h->txns[t].status == ALIBI_COMMIT)
			return true;
	return false;
}

/* Looks for one more in what is kept; false: there is none, or it is unknown. */
static bool explain_more(struct pool *pool, const struct history *h,
                         const struct check_options *options, bool *keep, alibi_explanation *out)
{
	struct pool *own = pool_child(pool);
	struct subset rest = subset_of(own, h, keep);
	struct part part = {rest.h, check(own, rest.h, options), rest.origin};
	bool more = part.result->verdict == ALIBI_VIOLATES;
	out->counted_all = part.result->verdict == ALIBI_VALID || !has_committed(rest.h);
	if (more)
		explain_one(pool, h, &part, options, true, keep, out);
	pool_release(own);
	return more;
}

/* Leaves half of the remaining time to the caller. */
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
             const alibi_result *result, double seconds, alibi_explanation *out)
{
	struct check_options again = *options;
	struct guard *guard = pool_guard(pool);
	uint64_t deadline = guard->deadline_ns, soon = monotonic_ns() + (uint64_t)(seconds * 1e9);
	bool brief = seconds > 0;
	assert(result->verdict == ALIBI_VIOLATES);
	if (brief && (!deadline || soon < deadline))
		guard->deadline_ns = soon;
	again.require_txns = 0;
	again.max_violations = 1;
	again.coverage = NULL;
	add_placeholders(pool, &again, &h, &result);
	bool *keep = pool_array(pool, (size_t)h->op_count + 1, sizeof *keep);
	memset(keep, true, (size_t)h->op_count + 1);
	out->level = options->level->name;
	out->brief = brief;
	bool recheck = h->op_count <= (brief ? BRIEF_OPS_MAX : RECHECKED_OPS_MAX);
	explain_one(pool, h, &(struct part){.h = h, .result = result}, &again, recheck || !brief,
	            keep, out);
	if (guard->deadline_ns)
		guard->deadline_ns = earlier_deadline(guard->deadline_ns);
	while (out->count < ANOMALIES_MAX && recheck && explain_more(pool, h, &again, keep, out))
		;
	guard->deadline_ns = deadline;
	pool_free(pool, keep);
}
