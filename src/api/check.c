/*
 * check: what alibi.h does with a whole history: checks, explanations, certificates, synthesis.
 *
 * A limit that ends one of these is no failure where something was found until then: a check
 * is `unknown`, an explanation is as long as it got, a synthesis says that it is not all.
 */
#include "check/check.h"
#include "api/job.h"
#include "api/sized.h"
#include "check/all.h"
#include "explain/explain.h"
#include "explain/formula.h"
#include "format/certificate.h"
#include "format/meaning.h"
#include "format/source.h"
#include "level/level.h"
#include "synth/by_formula.h"
#include "synth/result.h"
#include "verify/verify.h"

#include <string.h>

enum { DESCRIBED_BY_DEFAULT = 1000 };
static const double MIN_COMMITS = 0.5;

static struct check_options asked(alibi *a, const alibi_check_options *options,
                                  const struct history *h, const struct level *level)
{
	enum stamp_meaning meaning = api_stamp_meaning(a, options->timestamps);
	uint64_t skew = options->has_clock_skew ? options->clock_skew
	                : h->has_skew           ? (uint64_t)h->skew
	                                        : 0;
	return (struct check_options){
	        .level = level,
	        .order = options->order,
	        .stamp_meaning = meaning ? meaning : h->stamp_meaning,
	        .session_order = !options->ignore_sessions,
	        .time_order = options->assume_time_order,
	        .skew = skew,
	        .require_txns = options->require_txns,
	        .min_commits = options->min_commits != 0 ? options->min_commits : MIN_COMMITS,
	        .threads = options->threads,
	        .max_violations =
	                options->max_violations ? options->max_violations : DESCRIBED_BY_DEFAULT,
	};
}

const struct level *api_level(alibi *a, const char *name, bool by_timestamps)
{
	const struct level *level = name ? level_named(name) : NULL;
	if (!level)
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           name && by_formula_knows(name)
		                   ? "%s is defined by formulas; here the level is one of %s"
		                   : "there is no level '%s'; expected one of %s",
		           name ? name : "", level_names(a->pool, true));
	if (by_timestamps && (level->rules.realtime || level->rules.visible != VISIBLE_STATE ||
	                      level->rules.snapshot != level->rules.noconflict))
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           "timestamps are replayed at si and ser, not at %s", level->name);
	return level;
}

enum stamp_meaning api_stamp_meaning(alibi *a, const char *name)
{
	enum stamp_meaning meaning = STAMPS_UNSAID;
	if (name && !meaning_named(name, strlen(name), &meaning))
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           "timestamps mean \"snapshot\" or \"serial\", not \"%s\"", name);
	return meaning;
}

const alibi_result *alibi_check(alibi *a, const alibi_history *h,
                                const alibi_check_options *options)
{
	struct check *volatile c = NULL;
	const alibi_result *volatile result = NULL;
	if (guard_enter(&a->guard)) {
		alibi_check_options given;
		SIZED_READ(&a->guard, alibi_check_options, &given, options);
		bool replay = given.order == ALIBI_ORDER_TIMESTAMPS;
		if (given.order != ALIBI_ORDER_NONE && !replay)
			guard_fail(&a->guard, ALIBI_USAGE, NULL, "there is no order %d",
			           (int)given.order);
		bool formula = !replay && given.level && by_formula_knows(given.level);
		const struct level *level = formula ? NULL : api_level(a, given.level, replay);
		if (given.assume_time_order &&
		    (formula || level->rules.visible != VISIBLE_STATE || replay))
			guard_fail(&a->guard, ALIBI_USAGE, NULL,
			           "the clients' clocks can be assumed to count where an order is "
			           "searched for, at pc, si, ser and sser");
		struct check_options o = asked(a, &given, inside(h), level);
		searching_level(&a->guard, given.level, NULL);
		if (formula) {
			result = by_formula(a->pool, inside(h), given.level, &o,
			                    formula_decide_by_part, &c);
		} else {
			c = check_new(a->pool);
			result = check_run(c, inside(h), &o);
			check_clocks(c, inside(h), &o);
		}
	}
	searching_level(&a->guard, NULL, NULL);
	guard_leave(&a->guard);
	return result || !c ? result : check_limited(c, &a->guard.error);
}

void alibi_set_decided(alibi *a, alibi_decided_fn *fn, void *data)
{
	a->searching.decided = fn;
	a->searching.decided_data = data;
}

void alibi_searching(const alibi *a, alibi_search_state *out)
{
	alibi_search_state state = a->searching.state;
	if (state.level)
		state.seconds = (double)(monotonic_ns() - a->searching.since_ns) / 1e9;
	sized_write(out, &state, sizeof state);
}

const alibi_levels *alibi_check_all(alibi *a, const alibi_history *h,
                                    const alibi_check_options *options)
{
	const alibi_levels *volatile all = NULL;
	if (guard_enter(&a->guard)) {
		alibi_check_options given;
		SIZED_READ(&a->guard, alibi_check_options, &given, options);
		if (given.order == ALIBI_ORDER_TIMESTAMPS)
			guard_fail(&a->guard, ALIBI_USAGE, NULL,
			           "timestamps are replayed at si and ser, not at all levels");
		if (given.assume_time_order)
			guard_fail(
			        &a->guard, ALIBI_USAGE, NULL,
			        "the clients' clocks can be assumed to count at one level, not at "
			        "all");
		struct check_options o = asked(a, &given, inside(h), NULL);
		all = check_all(a->pool, inside(h), &o);
	}
	searching_level(&a->guard, NULL, NULL);
	guard_leave(&a->guard);
	return all;
}

/* A result without a certificate is explained from the history alone. */
static bool is_result_of(const alibi_result *result, const struct history *h)
{
	struct certificate c;
	struct digest d;
	if (!result->certificate ||
	    !certificate_open(&c, result->certificate, result->certificate_length))
		return true;
	d = history_digest(h);
	return c.digest.high == d.high && c.digest.low == d.low;
}

/* If a limit ends it, what was found until then is the explanation. */
const alibi_explanation *alibi_explain(alibi *a, const alibi_history *h,
                                       const alibi_check_options *options,
                                       const alibi_result *result)
{
	alibi_explanation *volatile made = NULL;
	uint64_t deadline = a->guard.deadline_ns;
	assert(result);
	if (guard_enter(&a->guard)) {
		alibi_check_options given;
		SIZED_READ(&a->guard, alibi_check_options, &given, options);
		if (result->verdict != ALIBI_VIOLATES)
			guard_fail(&a->guard, ALIBI_USAGE, NULL,
			           "the history does not violate %s, so there is nothing to "
			           "explain",
			           result->level);
		if (!is_result_of(result, inside(h)))
			guard_fail(&a->guard, ALIBI_USAGE, NULL,
			           "the result is of another history; pass the one that was "
			           "checked");
		const struct level *level =
		        level_named(result->implied_by ? result->implied_by : result->level);
		bool formula = !level;
		if (formula)
			level = by_formula_above(result->level);
		struct check_options o = asked(a, &given, inside(h), level);
		made = explain_new(a->pool);
		if (formula)
			explain_formula(a->pool, inside(h), result->level, &o,
			                given.explain_seconds, made);
		else
			explain(a->pool, inside(h), &o, result, given.explain_seconds, made);
		if (formula && !made->count)
			guard_fail(&a->guard, ALIBI_USAGE, NULL,
			           "no part of the history is known to violate %s by itself",
			           result->level);
	}
	guard_leave(&a->guard);
	a->guard.deadline_ns = deadline;
	return made && made->count ? made : NULL;
}

static const alibi_verification *verify_certificate(struct pool *pool, const struct history *h,
                                                    struct text t)
{
	const unsigned char *bytes = (const unsigned char *)t.bytes;
	struct certificate c;
	const struct level *level =
	        certificate_open(&c, bytes, t.length) ? level_named(c.level) : NULL;
	alibi_verification *v = pool_zalloc(pool, sizeof *v);
	v->reason = "it is not a certificate that this version reads";
	if (level) {
		struct verify_rules rules = {level->name, level->rules};
		rules.replay.no_session = !c.session;
		rules.replay.realtime = c.clocks;
		rules.replay.skew = c.skew;
		v->level = level->name;
		v->reason = verify(pool, h, &rules, bytes, t.length, &v->verdict);
		v->accepted = !v->reason;
	}
	return v;
}

const alibi_verification *alibi_verify(alibi *a, const alibi_history *h, const char *path)
{
	const alibi_verification *volatile v = NULL;
	if (guard_enter(&a->guard)) {
		struct source *s = source_open(a->pool, path);
		v = verify_certificate(a->pool, inside(h), source_whole(s));
		source_close(s);
	}
	guard_leave(&a->guard);
	return v;
}

const alibi_verification *alibi_verify_memory(alibi *a, const alibi_history *h, const void *bytes,
                                              size_t length)
{
	const alibi_verification *volatile v = NULL;
	if (guard_enter(&a->guard))
		v = verify_certificate(a->pool, inside(h), (struct text){bytes, length});
	guard_leave(&a->guard);
	return v;
}

/* ---- synthesis ---- */

size_t alibi_definition_count(void)
{
	return library_level_count;
}

const alibi_definition *alibi_definition_at(alibi *a, size_t index)
{
	alibi_definition *volatile made = NULL;
	if (guard_enter(&a->guard)) {
		if (index >= library_level_count)
			guard_fail(&a->guard, ALIBI_USAGE, NULL,
			           "there is no definition %zu; there are %zu, counted from 0",
			           index, library_level_count);
		const struct library_level *l = &library_levels[index];
		alibi_definition *d = pool_zalloc(a->pool, sizeof *d);
		*d = result_definition(definition_find(a->pool, l->name));
		d->text = l->text;
		made = d;
	}
	guard_leave(&a->guard);
	return made;
}

/* If a limit ends it, what was found until then is the result. */
const alibi_synthesis *alibi_synth(alibi *a, const alibi_synth_options *options)
{
	struct result *volatile made = NULL;
	bool volatile limited = false;
	if (guard_enter(&a->guard)) {
		alibi_synth_options o;
		alibi_solver *solver = pool_alloc(a->pool, sizeof *solver);
		SIZED_READ(&a->guard, alibi_synth_options, &o, options);
		SIZED_READ(&a->guard, alibi_solver, solver, o.solver);
		o.solver = solver;
		made = result_new(a->pool, &o);
		result_search(made);
	} else {
		limited = is_limit(a->guard.error.code);
	}
	guard_leave(&a->guard);
	bool failed = a->guard.error.code != ALIBI_OK;
	return made && (!failed || limited)
	               ? result_synthesis(made, limited ? &a->guard.error : NULL)
	               : NULL;
}
