/* synth: see synth.h. */
#include "synth/synth.h"

#include "base/guard.h"
#include "check/check.h"
#include "synth/encode.h"
#include "synth/evaluate.h"

#include <assert.h>
#include <string.h>

/* Looks for a witness of a given history, at a level that should forbid it. */
struct witness_finder {
	struct history_vars vars;
	struct witness_vars witness;
};

/* more[i]: more than i literals are true, up to `most`; NULL: not made yet. */
struct counter {
	int *more;
	size_t most;
};

/* The search among histories of n transactions. */
struct synthesis {
	struct pool *pool;
	const struct synth_task *task;
	struct synth_state *state;
	struct history_vars vars;
	struct witness_vars *witnesses; /* of the levels that allow */
	struct witness_finder **finders;
	literal_vec facts, assumed;
	struct counter ops, pairs;
};

/* ---- setting up ---- */

/* A forbidding level must reject every witness, hence this one. */
static void rule_out(struct synthesis *s, const struct definition *d, const struct witness_vars *w)
{
	circuit_assert(s->vars.c, -encode_level(&s->vars, d, w));
}

static void rule_out_guesses(struct synthesis *s)
{
	const struct synth_task *task = s->task;
	for (size_t i = 0; i < task->allow_count; i++)
		for (size_t j = 0; j < task->forbid_count; j++) {
			struct witness_vars guess = s->witnesses[i];
			const struct definition *d = task->forbid[j];
			if (!d->has_vis || task->allow[i]->has_vis)
				rule_out(s, d, &guess);
			for (unsigned which = 0; d->has_vis && which < VIS_GUESSES; which++) {
				witness_vars_guess_vis(&s->vars, &guess, which);
				rule_out(s, d, &guess);
			}
		}
}

bool synth_ordered_reads(const struct synth_task *task)
{
	bool any = false;
	for (size_t i = 0; i < task->allow_count; i++)
		any |= task->allow[i]->ordered_reads;
	for (size_t i = 0; i < task->forbid_count; i++)
		any |= task->forbid[i]->ordered_reads;
	return any;
}

static struct witness_finder *finder_new(struct synthesis *s, const struct definition *d)
{
	struct witness_finder *r = pool_zalloc(s->pool, sizeof *r);
	struct circuit *c = circuit_new(s->pool, s->task->solver);
	history_vars_open(&r->vars, c, s->vars.txns, s->vars.keys, false,
	                  synth_ordered_reads(s->task));
	witness_vars_open(&r->witness, c, s->vars.txns, d->has_vis);
	circuit_assert(c, encode_level(&r->vars, d, &r->witness));
	return r;
}

static void search_start(struct synthesis *s, uint32_t txns)
{
	const struct synth_task *task = s->task;
	bool numbered = task->allow_count && !task->no_symmetry_breaking;
	struct circuit *c = circuit_new(s->pool, task->solver);
	history_vars_open(&s->vars, c, txns, task->keys, numbered, synth_ordered_reads(task));
	history_vars_limit(&s->vars, task->values - 1, task->apart);
	if (!task->no_symmetry_breaking)
		history_vars_sort_keys(&s->vars);
	s->witnesses = pool_array(s->pool, task->allow_count + 1, sizeof *s->witnesses);
	for (size_t i = 0; i < task->allow_count; i++) {
		const struct definition *d = task->allow[i];
		if (numbered && !i)
			witness_vars_by_number(&s->witnesses[i], c, txns, d->has_vis);
		else
			witness_vars_open(&s->witnesses[i], c, txns, d->has_vis);
		circuit_assert(c, encode_level(&s->vars, d, &s->witnesses[i]));
	}
	if (!task->no_symmetry_breaking)
		rule_out_guesses(s);
	s->finders = pool_zarray(s->pool, task->forbid_count + 1, sizeof *s->finders);
}

/* ---- proposals ---- */

/* Finds a witness of the j-th forbidding level; false: there is none. */
static bool find_witness(struct synthesis *s, size_t j, const struct skeleton *skeleton,
                         struct witness *w)
{
	const struct definition *d = s->task->forbid[j];
	if (!s->finders[j])
		s->finders[j] = finder_new(s, d);
	struct witness_finder *r = s->finders[j];
	history_vars_facts(&r->vars, skeleton, &s->facts);
	if (!circuit_solve(r->vars.c, s->facts.items, s->facts.count))
		return false;
	*w = witness_vars_value(&r->witness, r->vars.c, r->vars.txns, d->has_vis);
	return true;
}

/* The next history that meets the task and s->assumed; false: there is none. */
static bool propose(struct synthesis *s, struct synth_found *found)
{
	const struct synth_task *task = s->task;
	bool again = true;
	while (again) {
		guard_tick(s->vars.c->guard);
		if (!circuit_solve(s->vars.c, s->assumed.items, s->assumed.count))
			return false;
		s->state->proposals++;
		found->skeleton = history_vars_skeleton(&s->vars);
		for (size_t i = 0; i < task->allow_count; i++)
			found->witnesses[i] = witness_vars_value(
			        &s->witnesses[i], s->vars.c, s->vars.txns, task->allow[i]->has_vis);
		again = false;
		for (size_t j = 0; j < task->forbid_count; j++) {
			struct witness w;
			struct witness_vars given;
			if (!find_witness(s, j, &found->skeleton, &w))
				continue;
			witness_vars_given(&given, &w, s->vars.txns);
			rule_out(s, task->forbid[j], &given);
			s->state->counterexamples++;
			again = true;
		}
	}
	return true;
}

/* ---- the smallest ---- */

static size_t op_literals(const struct history_vars *w, int *out)
{
	size_t n = 0;
	for (uint32_t t = 1; t <= w->txns; t++)
		for (uint32_t k = 0; k < w->keys; k++) {
			out[n++] = w->writes[t][k];
			out[n++] = w->reads[t][k];
		}
	return n;
}

static size_t pair_literals(const struct history_vars *w, int *out)
{
	size_t n = 0;
	for (uint32_t t = 1; t <= w->txns; t++)
		for (uint32_t a = 1; a < t; a++)
			out[n++] = w->so[a][t];
	return n;
}

/* Assumes that at most `most` of these literals are true. */
static void assume_at_most(struct synthesis *s, struct counter *c, size_t most,
                           size_t (*literals_of)(const struct history_vars *, int *))
{
	int lits[2 * SKELETON_TXNS * SKELETON_KEYS];
	if (!c->more || most >= c->most) {
		c->most = most + 2; /* one more than needed now */
		c->more = pool_array(s->pool, c->most, sizeof *c->more);
		size_t n = literals_of(&s->vars, lits);
		circuit_count(s->vars.c, lits, n, c->more, c->most);
	}
	circuit_need(s->vars.c, -c->more[most]);
	vec_push(s->pool, &s->assumed, -c->more[most]);
}

/* The fewest operations, then the fewest pairs of one session. */
static void make_smallest(struct synthesis *s, struct synth_found *found)
{
	size_t count = s->task->allow_count, ops, pairs;
	struct synth_found less = {.witnesses =
	                                   pool_array(s->pool, count + 1, sizeof *less.witnesses)};
	for (bool fewest_ops = false;;) {
		ops = skeleton_op_count(&found->skeleton);
		pairs = skeleton_session_pairs(&found->skeleton);
		if (fewest_ops && !pairs)
			break;
		s->assumed.count = 0;
		assume_at_most(s, &s->ops, fewest_ops ? ops : ops - 1, op_literals);
		if (fewest_ops)
			assume_at_most(s, &s->pairs, pairs - 1, pair_literals);
		if (propose(s, &less)) {
			found->skeleton = less.skeleton;
			memcpy(found->witnesses, less.witnesses, count * sizeof *less.witnesses);
		} else if (fewest_ops) {
			break;
		} else {
			fewest_ops = true;
		}
	}
	s->assumed.count = 0;
}

/* ---- what was found ---- */

static void confirm(struct synthesis *s, const struct synth_found *found,
                    const struct definition *d, const struct witness *w)
{
	const struct skeleton *skeleton = &found->skeleton;
	struct witness other;
	bool right = w ? evaluate_execution(s->pool, d, skeleton, w)
	               : !evaluate_allows(s->pool, d, skeleton, &other);
	const char *who = "its formulas do";
	if (right && d->same_as) {
		const alibi_result *r =
		        check(s->pool, skeleton_history(s->pool, skeleton, NULL),
		              &(struct check_options){.level = level_named(d->same_as),
		                                      .session_order = true,
		                                      .threads = 1});
		right = r->verdict == (w ? ALIBI_VALID : ALIBI_VIOLATES);
		who = "the check does";
	}
	if (!right)
		guard_fail(pool_guard(s->pool), ALIBI_INPUT, NULL,
		           "the search takes a history for %s at %s, and %s not agree. If the "
		           "definition is right, this is a bug of Alibi:\n%s",
		           w ? "allowed" : "forbidden", d->name, who,
		           skeleton_text(s->pool, skeleton));
}

/* Rules out the same history under all other numberings. */
static void exclude_isomorphic(struct synthesis *s, const struct skeleton *skeleton, uint8_t *to,
                               uint32_t placed)
{
	struct history_vars *w = &s->vars;
	if (placed == skeleton->txns) {
		struct skeleton other = skeleton_renamed(skeleton, to);
		guard_tick(w->c->guard);
		history_vars_facts(w, &other, &s->facts);
		for (size_t i = 0; i < s->facts.count; i++)
			s->facts.items[i] = -s->facts.items[i];
		circuit_assert_any(w->c, s->facts.items, s->facts.count);
		return;
	}
	for (uint32_t t = 1; t <= skeleton->txns; t++) {
		bool ready = !to[t];
		for (uint32_t a = 1; a < t; a++)
			ready &= to[a] || !skeleton_so(skeleton, a, t);
		for (uint32_t k = 0; s->task->allow_count && k < skeleton->keys; k++)
			ready &= skeleton->from[t][k] <= 0 || to[skeleton->from[t][k]];
		if (!ready)
			continue;
		to[t] = (uint8_t)(placed + 1);
		exclude_isomorphic(s, skeleton, to, placed + 1);
		to[t] = 0;
	}
}

static void search_size(struct pool *pool, const struct synth_task *task, uint32_t txns,
                        struct synth_state *state)
{
	struct pool *own = pool_child(pool);
	struct synthesis s = {.pool = own, .task = task, .state = state};
	search_start(&s, txns);
	struct synth_found found = {
	        .witnesses = pool_zarray(own, task->allow_count + 1, sizeof *found.witnesses)};
	for (;;) {
		uint8_t to[SKELETON_TXNS + 1] = {0};
		if (!propose(&s, &found)) {
			state->exhausted = txns;
			break;
		}
		if (task->smallest)
			make_smallest(&s, &found);
		for (size_t i = 0; i < task->allow_count; i++)
			confirm(&s, &found, task->allow[i], &found.witnesses[i]);
		for (size_t j = 0; j < task->forbid_count; j++)
			confirm(&s, &found, task->forbid[j], NULL);
		task->on_found(task->data, &found);
		if (++state->found == task->wanted)
			break;
		exclude_isomorphic(&s, &found.skeleton, to, 0);
	}
	pool_release(own);
}

void synth(struct pool *pool, const struct synth_task *task, struct synth_state *state)
{
	assert(task->solver && task->on_found && task->values);
	for (uint32_t n = 1; n <= task->txns && state->found < task->wanted; n++) {
		guard_stage(pool_guard(pool), "looking for histories", task->txns);
		pool_guard(pool)->done = n;
		search_size(pool, task, n, state);
	}
}
