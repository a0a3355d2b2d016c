/* synth: see synth.h. */
#include "synth/synth.h"

#include "base/guard.h"
#include "check/check.h"
#include "synth/encode.h"
#include "synth/evaluate.h"

#include <string.h>

/* A level that should forbid: does it allow a given history? */
struct refuter {
	struct world world;
	struct scene scene;
};

/* The search among histories of one number of transactions. */
struct search {
	struct pool *pool;
	const struct synth_task *task;
	struct synth_state *state;
	struct world world;
	struct scene *scenes; /* of the levels that allow */
	struct refuter **refuters;
	literal_vec facts, assumed;
	int *more_ops, *more_pairs; /* than so many; NULL: not counted yet */
	size_t ops_most, pairs_most;
};

/* ---- setting up ---- */

/* No witness allows it, so this one does not. */
static void rule_out(struct search *s, const struct definition *d, const struct scene *scene)
{
	circuit_assert(s->world.c, -encode_level(&s->world, d, scene));
}

static void rule_out_guesses(struct search *s)
{
	const struct synth_task *task = s->task;
	for (size_t i = 0; i < task->allow_count; i++)
		for (size_t j = 0; j < task->forbid_count; j++) {
			struct scene scene = s->scenes[i];
			const struct definition *d = task->forbid[j];
			if (!d->sees || task->allow[i]->sees)
				rule_out(s, d, &scene);
			for (unsigned which = 0; d->sees && which < SIGHTS; which++) {
				scene_guess_vis(&s->world, &scene, which);
				rule_out(s, d, &scene);
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

static struct refuter *refuter_new(struct search *s, const struct definition *d)
{
	struct refuter *r = pool_zalloc(s->pool, sizeof *r);
	struct circuit *c = circuit_new(s->pool, s->task->solver);
	world_open(&r->world, c, s->world.txns, s->world.keys, false, synth_ordered_reads(s->task));
	scene_open(&r->scene, c, s->world.txns, d->sees);
	circuit_assert(c, encode_level(&r->world, d, &r->scene));
	return r;
}

static void search_start(struct search *s, uint32_t txns)
{
	const struct synth_task *task = s->task;
	bool numbered = task->allow_count && !task->names_matter;
	struct circuit *c = circuit_new(s->pool, task->solver);
	world_open(&s->world, c, txns, task->keys, numbered, synth_ordered_reads(task));
	world_limit(&s->world, task->values - 1, task->apart);
	if (!task->names_matter)
		world_sort_keys(&s->world);
	s->scenes = pool_array(s->pool, task->allow_count + 1, sizeof *s->scenes);
	for (size_t i = 0; i < task->allow_count; i++) {
		const struct definition *d = task->allow[i];
		if (numbered && !i)
			scene_by_number(&s->scenes[i], c, txns, d->sees);
		else
			scene_open(&s->scenes[i], c, txns, d->sees);
		circuit_assert(c, encode_level(&s->world, d, &s->scenes[i]));
	}
	if (!task->names_matter)
		rule_out_guesses(s);
	s->refuters = pool_zarray(s->pool, task->forbid_count + 1, sizeof *s->refuters);
}

/* ---- proposals ---- */

/* A witness of the j-th level that should forbid the shape; false: there is none. */
static bool refuted(struct search *s, size_t j, const struct shape *shape, struct witness *w)
{
	const struct definition *d = s->task->forbid[j];
	if (!s->refuters[j])
		s->refuters[j] = refuter_new(s, d);
	struct refuter *r = s->refuters[j];
	world_facts(&r->world, shape, &s->facts);
	if (!circuit_solve(r->world.c, s->facts.items, s->facts.count))
		return false;
	*w = scene_witness(&r->scene, r->world.c, r->world.txns, d->sees);
	return true;
}

/* The next history that all levels agree about, as far as s->assumed wants it. */
static bool propose(struct search *s, struct synth_found *found)
{
	const struct synth_task *task = s->task;
	bool again = true;
	while (again) {
		guard_tick(s->world.c->guard);
		if (!circuit_solve(s->world.c, s->assumed.items, s->assumed.count))
			return false;
		s->state->proposals++;
		found->shape = world_shape(&s->world);
		for (size_t i = 0; i < task->allow_count; i++)
			found->witnesses[i] = scene_witness(&s->scenes[i], s->world.c,
			                                    s->world.txns, task->allow[i]->sees);
		again = false;
		for (size_t j = 0; j < task->forbid_count; j++) {
			struct witness w;
			struct scene scene;
			if (!refuted(s, j, &found->shape, &w))
				continue;
			scene_given(&scene, &w, s->world.txns);
			rule_out(s, task->forbid[j], &scene);
			s->state->lessons++;
			again = true;
		}
	}
	return true;
}

/* ---- the smallest ---- */

static void count_ops(struct search *s, size_t most)
{
	struct world *w = &s->world;
	int ops[2 * SHAPE_TXNS * SHAPE_KEYS];
	size_t n = 0;
	for (uint32_t t = 1; t <= w->txns; t++)
		for (uint32_t k = 0; k < w->keys; k++) {
			ops[n++] = w->writes[t][k];
			ops[n++] = w->reads[t][k];
		}
	s->ops_most = most;
	s->more_ops = pool_array(s->pool, most + 1, sizeof *s->more_ops);
	circuit_count(w->c, ops, n, s->more_ops, most + 1);
}

static void count_pairs(struct search *s, size_t most)
{
	struct world *w = &s->world;
	int pairs[SHAPE_TXNS * SHAPE_TXNS];
	size_t n = 0;
	for (uint32_t t = 1; t <= w->txns; t++)
		for (uint32_t a = 1; a < t; a++)
			pairs[n++] = w->so[a][t];
	s->pairs_most = most;
	s->more_pairs = pool_array(s->pool, most + 1, sizeof *s->more_pairs);
	circuit_count(w->c, pairs, n, s->more_pairs, most + 1);
}

static void assume(struct search *s, int literal)
{
	circuit_need(s->world.c, literal);
	vec_push(s->pool, &s->assumed, literal);
}

static void make_smallest(struct search *s, struct synth_found *found)
{
	struct synth_found less = {
	        .witnesses = pool_array(s->pool, s->task->allow_count + 1, sizeof *less.witnesses)};
	size_t all = s->task->allow_count * sizeof *less.witnesses, ops, pairs;
	bool smaller = true;
	for (ops = shape_ops(&found->shape); smaller && ops; ops = shape_ops(&found->shape)) {
		if (!s->more_ops || ops > s->ops_most)
			count_ops(s, ops);
		s->assumed.count = 0;
		assume(s, -s->more_ops[ops - 1]);
		smaller = propose(s, &less);
		if (!smaller)
			break;
		found->shape = less.shape;
		memcpy(found->witnesses, less.witnesses, all);
	}
	smaller = true;
	while (smaller && (pairs = shape_session_pairs(&found->shape)) > 0) {
		if (!s->more_pairs || pairs > s->pairs_most)
			count_pairs(s, pairs);
		s->assumed.count = 0;
		assume(s, -s->more_ops[ops]);
		assume(s, -s->more_pairs[pairs - 1]);
		smaller = propose(s, &less);
		if (smaller) {
			found->shape = less.shape;
			memcpy(found->witnesses, less.witnesses, all);
		}
	}
	s->assumed.count = 0;
}

/* ---- what was found ---- */

static void confirm(struct search *s, const struct synth_found *found, const struct definition *d,
                    const struct witness *w)
{
	const struct shape *shape = &found->shape;
	struct witness other;
	bool right = w ? evaluate_execution(s->pool, d, shape, w)
	               : !evaluate_allows(s->pool, d, shape, &other);
	const char *who = "its formulas do";
	if (right && d->same_as) {
		const alibi_result *r =
		        check(s->pool, shape_history(s->pool, shape, NULL),
		              &(struct check_options){.level = level_named(d->same_as),
		                                      .session_order = true,
		                                      .threads = 1});
		right = r->verdict == (w ? ALIBI_VALID : ALIBI_VIOLATES);
		who = "`alibi check` does";
	}
	if (!right)
		guard_fail(pool_guard(s->pool), ALIBI_INPUT, NULL,
		           "the search takes a history for %s at %s, and %s not agree. If the "
		           "definition is right, this is a bug of Alibi:\n%s",
		           w ? "allowed" : "forbidden", d->name, who, shape_text(s->pool, shape));
}

/* The same history under other names is not another one. */
static void forget(struct search *s, const struct shape *shape, uint8_t *to, uint32_t placed)
{
	struct world *w = &s->world;
	if (placed == shape->txns) {
		struct shape other = shape_renamed(shape, to);
		guard_tick(w->c->guard);
		world_facts(w, &other, &s->facts);
		for (size_t i = 0; i < s->facts.count; i++)
			s->facts.items[i] = -s->facts.items[i];
		circuit_assert_any(w->c, s->facts.items, s->facts.count);
		return;
	}
	for (uint32_t t = 1; t <= shape->txns; t++) {
		bool ready = !to[t];
		for (uint32_t a = 1; a < t; a++)
			ready &= to[a] || !shape_so(shape, a, t);
		for (uint32_t k = 0; s->task->allow_count && k < shape->keys; k++)
			ready &= shape->from[t][k] <= 0 || to[shape->from[t][k]];
		if (!ready)
			continue;
		to[t] = (uint8_t)(placed + 1);
		forget(s, shape, to, placed + 1);
		to[t] = 0;
	}
}

static void search_size(struct pool *pool, const struct synth_task *task, uint32_t txns,
                        struct synth_state *state)
{
	struct pool *own = pool_child(pool);
	struct search s = {.pool = own, .task = task, .state = state};
	search_start(&s, txns);
	struct synth_found found = {
	        .witnesses = pool_zarray(own, task->allow_count + 1, sizeof *found.witnesses)};
	for (;;) {
		uint8_t to[SHAPE_TXNS + 1] = {0};
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
		task->tell(task->data, &found);
		if (++state->found == task->wanted)
			break;
		forget(&s, &found.shape, to, 0);
	}
	pool_release(own);
}

void synth(struct pool *pool, const struct synth_task *task, struct synth_state *state)
{
	for (uint32_t n = 1; n <= task->txns && state->found < task->wanted; n++) {
		guard_stage(pool_guard(pool), "looking for histories", task->txns);
		pool_guard(pool)->done = n;
		search_size(pool, task, n, state);
	}
}
