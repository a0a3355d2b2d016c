/* round: see round.h. */
#include "stream/rounds/round.h"

#include "check/check.h"
#include "check/coverage.h"
#include "explain/explain.h"
#include "explain/subset.h"
#include "history/render.h"
#include "stream/rounds/report.h"

#include <string.h>

enum { FEW_TXNS = 4 };

/* ---- counterexamples ---- */

/* NULL: a residual write, or a missing writer. */
static struct window_txn *in_window(const struct round *x, const struct history *h, uint32_t txn)
{
	uint32_t i = h->txns[txn].number - 1;
	return i >= x->r->residuals && i < x->r->window.count ? &x->r->window.items[i] : NULL;
}

static bool has_reads(const struct history *h, uint32_t txn)
{
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++)
		if (!op_writes(h->ops[op]))
			return true;
	return false;
}

/* Ignores the reads of a counterexample from now on. If clocks and sessions alone contradict each
 * other, one of its transactions becomes one of unknown outcome. */
static void ignore_reads(const struct round *x, const struct history *h,
                         const struct check_options *o)
{
	const alibi_result *bare = check(x->pool, subset_order_only(x->pool, h), o);
	bool any = false;
	for (uint32_t txn = 0; txn < h->txn_count && bare->verdict == ALIBI_VALID; txn++) {
		struct window_txn *w = has_reads(h, txn) ? in_window(x, h, txn) : NULL;
		any |= w && !w->ignore_reads;
		if (w)
			w->ignore_reads = true;
	}
	for (uint32_t txn = h->txn_count; !any && txn-- > 0;) {
		struct window_txn *w = in_window(x, h, txn);
		any = w && w->status == ALIBI_COMMIT;
		if (any) {
			w->status = ALIBI_UNKNOWN_STATUS;
			w->has = 0;
		}
	}
}

/* A few transactions get a name for their anomaly, and an explanation; more get a list. */
static void report_violation(const struct round *x, const struct history *h,
                             const struct check_options *o, const alibi_result *result)
{
	const struct history *least = explain_minimal_part(x->pool, h, result, o);
	const alibi_result *again = check(x->pool, least, o);
	assert(again->verdict == ALIBI_VIOLATES && again->described);
	const char *text = again->violations[0].text;
	if (least->txn_count <= FEW_TXNS) {
		alibi_explanation *e = explain_new(x->pool);
		explain(x->pool, least, o, again, 0, e);
		const alibi_anomaly *a = &e->anomalies[0];
		bool stale = x->r->collected && (!strcmp(a->name, "garbage-read") ||
		                                 !strcmp(a->name, "unwritten-read"));
		text = text_format(x->pool, "%s%s: %s%s", stale ? "Stale read, or " : "", a->title,
		                   a->summary,
		                   stale ? ", or which others had overwritten long before" : "");
	}
	report_counterexample(x->r, least, text);
	ignore_reads(x, least, o);
}

/* ---- garbage collection ---- */

/* By transaction, its place in the order. */
static uint32_t *places(struct round *x, const struct history *h, const struct check_order *order)
{
	uint32_t *place = pool_array(x->pool, (size_t)h->txn_count + 1, sizeof *place);
	memset(place, 0xff, ((size_t)h->txn_count + 1) * sizeof *place);
	for (uint32_t i = 0; i < order->count; i++)
		place[event_txn(order->events[i])] = i;
	return place;
}

static void collect(struct round *x, const struct history *h, const struct check_options *o,
                    const struct check_order *order)
{
	struct gc g = {
	        .h = h,
	        .rules = {.realtime = o->time_order, .skew = o->skew, .session = o->session_order},
	        .behind = x->behind,
	        .place = places(x, h, order),
	        .pending = x->pending.items,
	        .pending_count = x->pending.count};
	gc_find(x->pool, &g);
	round_sweep(x, &g);
}

/* False: something was reported, and the rest is to be checked again. */
static bool run_once(struct round *x)
{
	static const struct coverage nothing = {0};
	struct rounds *r = x->r;
	const struct history *h = round_history(x);
	struct check_order order;
	struct check_options o = {.level = x->s->level,
	                          .session_order = !x->s->options.ignore_sessions,
	                          .time_order = round_has_times(r),
	                          .skew = r->skew,
	                          .max_violations = 1,
	                          .coverage = &nothing,
	                          .threads = 1};
	if (!x->checked)
		return true;
	const alibi_result *result = check_with_order(x->pool, h, &o, &order);
	if (result->verdict == ALIBI_VALID) {
		collect(x, h, &o, &order);
		return true;
	}
	if (result->verdict == ALIBI_VIOLATES) {
		report_violation(x, h, &o, result);
		return false;
	}
	report_undecided(r, result->reason);
	for (size_t i = 0; i < r->window.count; i++)
		r->window.items[i].ignore_reads |= x->behind[i];
	return false;
}

void round_run(struct rounds *r)
{
	bool done = false;
	while (!done) {
		struct round x = {.r = r, .s = r->s, .pool = pool_child(r->s->pool)};
		done = run_once(&x);
		pool_release(x.pool);
	}
}
