/* by_formula: see by_formula.h. */
#include "synth/by_formula.h"

#include "base/guard.h"
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
	struct check *volatile *last;
};

/* The verdict at a level of the table. */
static enum alibi_verdict check_table(struct formula_check *f, const char *level)
{
	struct check_options at = *f->options;
	at.level = level_named(level);
	at.asked = f->n.name;
	*f->last = check_new(f->pool);
	*f->result = *check_run(*f->last, f->h, &at);
	return f->result->verdict;
}

/* The verdict is that of a level of the table. */
static const alibi_result *follow(struct formula_check *f, const char *from)
{
	alibi_result *r = f->result;
	const char *more = r->basis ? r->basis : "";
	r->implied_by = from;
	if (f->n.weaker && f->n.stronger && !strcmp(f->n.weaker, f->n.stronger))
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
	if (f->n.weaker)
		text_addf(f->pool, &t, " The weaker level %s holds.", f->n.weaker);
	if (f->n.stronger)
		text_addf(f->pool, &t, " The stronger level %s does not hold.", f->n.stronger);
	text_addf(f->pool, &t, " Check a part of the history%s",
	          f->n.weaker || f->n.stronger ? ", or one of these levels" : "");
	return text_string(f->pool, &t);
}

static void evaluate(struct formula_check *f, const struct definition *d)
{
	alibi_result *r = f->result;
	guard_stage(pool_guard(f->pool), "evaluating formulas", 0);
	struct executions found = executions_of(f->pool, d, f->h, f->options->session_order);
	*r = (alibi_result){.verdict = found.outside   ? ALIBI_UNKNOWN
	                               : found.allowed ? ALIBI_VALID
	                                               : ALIBI_VIOLATES,
	                    .level = f->n.name,
	                    .counted_all = true,
	                    .coverage = r->coverage};
	r->coverage.warning = NULL; /* it was of another level */
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

const alibi_result *by_formula(struct pool *pool, const struct history *h, const char *level,
                               const struct check_options *options, struct check *volatile *last)
{
	const struct definition *d = definition_find(pool, level);
	struct formula_check f = {.pool = pool,
	                          .h = h,
	                          .options = options,
	                          .n = neighbours_of(level, d),
	                          .result = pool_zalloc(pool, sizeof *f.result),
	                          .last = last};
	/* Without a neighbour the weakest level tells whether anything can be decided. */
	enum alibi_verdict verdict = check_table(&f, f.n.weaker ? f.n.weaker : level_at(0)->name);
	if (verdict == ALIBI_UNKNOWN)
		return f.result;
	if (f.n.weaker && verdict == ALIBI_VIOLATES)
		return follow(&f, f.n.weaker);
	if (f.n.stronger)
		verdict = check_table(&f, f.n.stronger);
	if (verdict == ALIBI_UNKNOWN)
		return f.result;
	if (f.n.stronger && verdict == ALIBI_VALID)
		return follow(&f, f.n.stronger);
	evaluate(&f, d);
	return f.result;
}
