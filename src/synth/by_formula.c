/* by_formula: see by_formula.h. */
#include "synth/by_formula.h"

#include "base/attempt.h"
#include "check/availability.h"
#include "check/describe.h"
#include "history/render.h"
#include "synth/definition.h"
#include "synth/executions.h"

#include <string.h>

/* Levels of the table that a definition of the library lies between; NULL: none is known. */
struct neighbours {
	const char *name, *weaker, *stronger;
};

static const struct neighbours known[] = {
        {"psi", "cc", "si"},    {"ua", "ra", "si"},      {"nlu", "ra", "si"},
        {"us", NULL, "ser"},    {"us-vis", "ra", "ser"}, {"tap-ra", NULL, "ra"},
        {"tap-cc", NULL, "cc"},
};

static struct neighbours neighbours_of(const char *level, const struct definition *d)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, level))
			return known[i];
	if (d->same_as && !definition_is_file(level))
		return (struct neighbours){level, d->same_as, d->same_as};
	return (struct neighbours){level, d->has_vis ? "ra" : NULL, NULL};
}

const struct level *by_formula_above(const char *level)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, level))
			return level_named(known[i].stronger);
	return level_named("ser");
}

bool by_formula_knows(const char *level)
{
	if (level_named(level))
		return false;
	for (size_t i = 0; i < library_level_count; i++)
		if (!strcmp(library_levels[i].name, level))
			return true;
	return definition_is_file(level);
}

struct formula_check {
	struct pool *pool;
	const struct history *h;
	const struct check_options *options;
	struct neighbours n;
	alibi_result *result;
	enum alibi_verdict weaker, stronger; /* of the neighbours, if they were checked */
	struct check *volatile *last;
};

struct table_check {
	struct formula_check *f;
	struct check_options options;
};

static void run_table(void *data)
{
	struct table_check *t = data;
	*t->f->last = NULL;
	*t->f->last = check_new(t->f->pool);
	*t->f->result = *check_run(*t->f->last, t->f->h, &t->options);
}

/* The verdict at a level of the table; a limit before until_ns (0: none) makes it `unknown`. */
static enum alibi_verdict check_table(struct formula_check *f, const char *level, uint64_t until_ns)
{
	struct table_check t = {f, *f->options};
	struct alibi_error why;
	t.options.level = level_named(level);
	t.options.asked = f->n.name;
	if (!until_ns)
		run_table(&t);
	else if (!attempt(pool_guard(f->pool), until_ns, run_table, &t, &why))
		*f->result = *check_limited(*f->last, &why);
	return f->result->verdict;
}

/* Is it a level of the table? */
static bool is_same(const struct neighbours *n)
{
	return n->weaker && n->stronger && !strcmp(n->weaker, n->stronger);
}

/* The verdict is that of a level of the table. */
static alibi_result *follow(struct formula_check *f, const char *from)
{
	alibi_result *r = f->result;
	const char *more = r->basis ? r->basis : "";
	r->implied_by = from;
	if (is_same(&f->n))
		r->basis = text_format(f->pool, "%s, which is the same%s%s", from,
		                       *more ? "; and by " : "", more);
	else
		r->basis = text_format(f->pool, "%s, which is %s and %s%s%s", from,
		                       r->verdict == ALIBI_VALID ? "stronger" : "weaker",
		                       r->verdict == ALIBI_VALID ? "holds" : "does not hold",
		                       *more ? "; and by " : "", more);
	return r;
}

static const char *too_much(struct formula_check *f, const char *outside)
{
	text_vec t = {0};
	text_addf(f->pool, &t, "%s.", outside);
	if (f->n.weaker && f->weaker == ALIBI_VALID)
		text_addf(f->pool, &t, " The weaker level %s holds.", f->n.weaker);
	if (f->n.stronger && f->stronger == ALIBI_VIOLATES)
		text_addf(f->pool, &t, " The stronger level %s does not hold.", f->n.stronger);
	text_addf(f->pool, &t, " Check a part of the history%s",
	          f->n.weaker || f->n.stronger ? ", or another level" : "");
	return text_string(f->pool, &t);
}

static void evaluate(struct formula_check *f, const struct definition *d)
{
	alibi_result *r = f->result;
	guard_stage(pool_guard(f->pool), "evaluating formulas", 0);
	struct executions found = executions_of(f->pool, d, f->h, f->options->session_order, NULL);
	*r = (alibi_result){.verdict = found.outside   ? ALIBI_UNKNOWN
	                               : found.allowed ? ALIBI_VALID
	                                               : ALIBI_VIOLATES,
	                    .level = f->n.name,
	                    .counted_all = true,
	                    .coverage = r->coverage};
	r->coverage.warning = r->coverage.says_no_more_than = NULL; /* of another level */
	if (found.outside) {
		r->reason = too_much(f, found.outside);
	} else if (found.allowed) {
		r->basis = text_format(f->pool, "its formulas, which are true of this order: %s",
		                       found.witness);
	} else {
		alibi_violation *violation = pool_zalloc(f->pool, sizeof *violation);
		violation->kind = mismatch_name(MISMATCH_ORDER);
		violation->text =
		        text_format(f->pool,
		                    "no order of its %u transactions makes the formulas of "
		                    "%s true; all were tried",
		                    found.txns, f->n.name);
		r->violations = violation;
		r->basis = "its formulas; all orders were tried, so there is no certificate";
		r->described = r->violation_count = 1;
	}
	availability_require(availability_lacks(f->pool, f->h, f->options->min_commits), r);
}

static bool is_small(const struct history *h)
{
	uint32_t counted = 0;
	for (uint32_t i = 0; i < h->txn_count && counted <= EXECUTIONS_TXNS; i++)
		counted += h->txns[i].status != ALIBI_ABORT;
	return counted <= EXECUTIONS_TXNS;
}

/* Half of the time that is left; 0: it is not limited. */
static uint64_t half_time(const struct guard *g)
{
	uint64_t now = monotonic_ns();
	return g->deadline_ns > now ? now + (g->deadline_ns - now) / 2 : 0;
}

static alibi_result *decide_small(struct formula_check *f, const struct definition *d)
{
	/* Without a neighbour the weakest level tells whether anything can be decided. */
	f->weaker = check_table(f, f->n.weaker ? f->n.weaker : level_at(0)->name, 0);
	if (f->weaker == ALIBI_UNKNOWN)
		return f->result;
	if (f->n.weaker && f->weaker == ALIBI_VIOLATES)
		return follow(f, f->n.weaker);
	if (f->n.stronger)
		f->stronger = check_table(f, f->n.stronger, 0);
	if (f->n.stronger && f->stronger == ALIBI_VALID)
		return follow(f, f->n.stronger);
	evaluate(f, d);
	return f->result;
}

/* The stronger level first: mostly it holds, or has an anomaly that violates this one as well. */
static alibi_result *decide_large(struct formula_check *f, const struct definition *d,
                                  by_formula_parts *parts)
{
	if (f->n.stronger)
		f->stronger = check_table(f, f->n.stronger, half_time(pool_guard(f->pool)));
	if (f->n.stronger && f->stronger == ALIBI_VALID)
		return follow(f, f->n.stronger);
	const char *why = f->result->reason; /* the stronger level is not decided; or NULL */
	struct check_options at = *f->options;
	at.level = by_formula_above(f->n.name);
	evaluate(f, d);
	if (f->result->verdict == ALIBI_UNKNOWN && why)
		f->result->reason = text_format(f->pool, "%s. %s is not decided: %s",
		                                f->result->reason, f->n.stronger, why);
	if (f->result->verdict == ALIBI_UNKNOWN)
		parts(f->pool, f->h, f->n.name, &at, f->result);
	if (f->result->verdict != ALIBI_UNKNOWN || !f->n.weaker)
		return f->result;
	f->weaker = check_table(f, f->n.weaker, 0);
	if (f->weaker == ALIBI_VIOLATES)
		return follow(f, f->n.weaker);
	if (f->weaker == ALIBI_VALID)
		evaluate(f, d);
	return f->result;
}

alibi_result *by_formula(struct pool *pool, const struct history *h, const char *level,
                         const struct check_options *options, by_formula_parts *parts,
                         struct check *volatile *last)
{
	const struct definition *d = definition_find(pool, level);
	struct formula_check f = {.pool = pool,
	                          .h = h,
	                          .options = options,
	                          .n = neighbours_of(level, d),
	                          .result = pool_zalloc(pool, sizeof *f.result),
	                          .last = last,
	                          .weaker = ALIBI_UNKNOWN,
	                          .stronger = ALIBI_UNKNOWN};
	if (is_same(&f.n))
		return check_table(&f, f.n.weaker, 0) == ALIBI_UNKNOWN ? f.result
		                                                       : follow(&f, f.n.weaker);
	return is_small(h) ? decide_small(&f, d) : decide_large(&f, d, parts);
}
