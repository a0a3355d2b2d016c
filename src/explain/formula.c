/* formula: see formula.h. */
#include "explain/formula.h"

#include "base/attempt.h"
#include "check/describe.h"
#include "history/render.h"
#include "synth/definition.h"
#include "synth/executions.h"

#include <string.h>

static const uint64_t PART_NS = 5000000000; /* for finding candidates */

/* What a limit lets it find. */
struct explaining {
	struct pool *pool;
	const struct history *h;
	const struct check_options *options;
	double seconds;
	alibi_explanation *out;
};

static void explain_violation(void *data)
{
	struct explaining *e = data;
	const alibi_result *result = check(e->pool, e->h, e->options);
	if (result->verdict == ALIBI_VIOLATES)
		explain(e->pool, e->h, e->options, result, e->seconds, e->out);
}

static void explain_table(struct explaining e, uint64_t until_ns)
{
	struct guard *guard = pool_guard(e.pool);
	uint64_t deadline = guard->deadline_ns;
	struct alibi_error why;
	attempt(guard, until_ns, explain_violation, &e, &why);
	guard->deadline_ns = deadline;
}

static bool violates_alone(struct pool *pool, const struct definition *d, const alibi_anomaly *a,
                           bool session_order)
{
	const struct history *h = (const struct history *)a->reduced;
	struct executions found = executions_of(pool, d, h, session_order, NULL);
	return !found.outside && !found.allowed;
}

void explain_formula(struct pool *pool, const struct history *h, const char *level,
                     const struct check_options *options, double seconds, alibi_explanation *out)
{
	const struct definition *d = definition_find(pool, level);
	alibi_explanation all = {0};
	explain_table((struct explaining){pool, h, options, seconds, &all}, 0);
	alibi_anomaly *kept = pool_array(pool, all.count + 1, sizeof *kept);
	size_t count = 0;
	for (size_t i = 0; i < all.count; i++)
		if (violates_alone(pool, d, &all.anomalies[i], options->session_order))
			kept[count++] = all.anomalies[i];
	*out = all;
	out->level = level;
	out->count = count;
	out->anomalies = kept;
}

/* ---- parts of a large history ---- */

/* The ids of a reduced history are those of the whole. */
static bool same_id(alibi_value a, alibi_value b)
{
	if (a.kind != b.kind || a.kind == ALIBI_INT)
		return a.kind == b.kind && a.integer == b.integer;
	return a.length == b.length && !memcmp(a.text, b.text, a.length);
}

/* Marks the transactions of an anomaly; their names, for a sentence. */
static const char *mark_part(struct pool *pool, const struct history *h, const alibi_anomaly *a,
                             bool *part)
{
	const struct history *reduced = (const struct history *)a->reduced;
	text_vec names = {0};
	for (uint32_t t = 0; t < h->txn_count; t++) {
		part[t] = false;
		for (uint32_t r = 0; r < reduced->txn_count && !part[t]; r++)
			part[t] = same_id(history_txn_id(h, t), history_txn_id(reduced, r));
		if (!part[t])
			continue;
		text_addf(pool, &names, names.count ? ", " : "");
		text_add_txn(pool, &names, h, t);
	}
	return text_string(pool, &names);
}

static void say_violated(struct pool *pool, const char *level, const char *names, alibi_result *r)
{
	alibi_violation *violation = pool_zalloc(pool, sizeof *violation);
	violation->kind = mismatch_name(MISMATCH_ORDER);
	violation->text = text_format(
	        pool, "no order of %s alone makes the formulas of %s true; all were tried", names,
	        level);
	r->verdict = ALIBI_VIOLATES;
	r->reason = NULL;
	r->counted_all = false;
	r->violations = violation;
	r->described = r->violation_count = 1;
	r->basis = text_format(pool,
	                       "its formulas; all orders of %s alone were tried, so there is no "
	                       "certificate",
	                       names);
}

void formula_decide_by_part(struct pool *pool, const struct history *h, const char *level,
                            const struct check_options *options, alibi_result *result)
{
	const struct definition *d = definition_find(pool, level);
	alibi_explanation found = {0};
	if (!definition_is_hereditary(d))
		return;
	explain_table((struct explaining){pool, h, options, (double)PART_NS / 1e9, &found},
	              monotonic_ns() + PART_NS);
	bool *part = pool_array(pool, (size_t)h->txn_count + 1, sizeof *part);
	for (size_t i = 0; i < found.count && result->verdict == ALIBI_UNKNOWN; i++) {
		const char *names = mark_part(pool, h, &found.anomalies[i], part);
		struct executions of_part = executions_of(pool, d, h, options->session_order, part);
		if (!of_part.outside && !of_part.allowed)
			say_violated(pool, level, names, result);
	}
}
