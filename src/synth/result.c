/* result: see result.h. */
#include "synth/result.h"

#include "base/guard.h"
#include "synth/schedule.h"
#include "synth/synth.h"

#include <stdio.h>

enum { REASON_MAX = ERROR_TEXT_MAX };

struct result {
	struct pool *pool;
	struct synth_task task;
	struct synth_state state;
	VEC(alibi_synth_history) histories;
	alibi_synthesis synthesis;
	char reason[REASON_MAX];
};

alibi_definition result_definition(const struct definition *d)
{
	return (alibi_definition){.name = d->name,
	                          .title = d->title,
	                          .over = d->has_vis ? "vis, ar" : "co",
	                          .same_as = d->same_as};
}

static const struct definition *const *definitions(struct pool *pool, const char *const *names,
                                                   size_t count)
{
	const struct definition **made = pool_array(pool, count + 1, sizeof *made);
	for (size_t i = 0; i < count; i++)
		made[i] = definition_find(pool, names[i]);
	return made;
}

/* Stored in the history: which levels allow it, and which forbid it. */
static const char *purpose(struct pool *pool, const alibi_synth_level *levels, size_t count)
{
	text_vec t = {0};
	for (size_t i = 0; i < count; i++) {
		bool allows = levels[i].allows;
		text_addf(pool, &t, "%s%s %s", i ? "; " : "",
		          allows ? "allowed by" : "forbidden by", levels[i].definition.name);
		if (allows)
			text_addf(pool, &t, " (%s)", levels[i].witness);
	}
	return text_string(pool, &t);
}

static void add_history(void *data, const struct synth_found *found)
{
	struct result *r = data;
	const struct synth_task *task = &r->task;
	const struct skeleton *s = &found->skeleton;
	size_t count = task->allow_count + task->forbid_count;
	alibi_synth_level *levels = pool_zarray(r->pool, count + 1, sizeof *levels);
	unsigned sessions = 0;
	for (size_t i = 0; i < count; i++) {
		bool allows = i < task->allow_count;
		const struct definition *d =
		        allows ? task->allow[i] : task->forbid[i - task->allow_count];
		levels[i] =
		        (alibi_synth_level){.definition = result_definition(d), .allows = allows};
		if (allows)
			levels[i].witness =
			        witness_text(r->pool, s, &found->witnesses[i], d->has_vis, NULL);
	}
	for (uint32_t t = 1; t <= s->txns; t++)
		sessions = s->session[t] > sessions ? s->session[t] : sessions;
	alibi_synth_history h = {
	        .history = (const alibi_history *)skeleton_history(r->pool, s,
	                                                           purpose(r->pool, levels, count)),
	        .text = skeleton_text(r->pool, s),
	        .schedule = task->allow_count ? schedule_text(r->pool, s, found->witnesses,
	                                                      synth_ordered_reads(task))
	                                      : NULL,
	        .txns = s->txns,
	        .keys = s->keys,
	        .ops = skeleton_op_count(s),
	        .sessions = sessions,
	        .level_count = count,
	        .levels = levels,
	};
	vec_push(r->pool, &r->histories, h);
}

static void check_bounds(struct pool *pool, const alibi_synth_options *o)
{
	struct guard *g = pool_guard(pool);
	if (!o->allow_count && !o->forbid_count)
		guard_fail(g, ALIBI_USAGE, NULL,
		           "name a level that should allow the history or forbid it");
	if (!o->txns || o->txns > SKELETON_TXNS || !o->keys || o->keys > SKELETON_KEYS)
		guard_fail(g, ALIBI_USAGE, NULL,
		           "a history can have 1 to %d transactions and 1 to %d keys",
		           SKELETON_TXNS, SKELETON_KEYS);
	if (o->values < 1)
		guard_fail(g, ALIBI_USAGE, NULL, "a key has 1 value at least, the initial one");
}

struct result *result_new(struct pool *pool, const alibi_synth_options *o)
{
	struct result *r = pool_zalloc(pool, sizeof *r);
	check_bounds(pool, o);
	r->pool = pool;
	r->task = (struct synth_task){
	        .allow = definitions(pool, o->allow, o->allow_count),
	        .allow_count = o->allow_count,
	        .forbid = definitions(pool, o->forbid, o->forbid_count),
	        .forbid_count = o->forbid_count,
	        .txns = o->txns,
	        .keys = o->keys,
	        .values = o->values,
	        .smallest = o->smallest,
	        .apart = o->apart,
	        .wanted = o->count ? o->count : 1,
	        .solver = o->solver,
	        .on_found = add_history,
	        .data = r,
	};
	return r;
}

void result_search(struct result *r)
{
	synth(r->pool, &r->task, &r->state);
}

const alibi_synthesis *result_synthesis(struct result *r, const alibi_error *error)
{
	r->synthesis = (alibi_synthesis){
	        .count = r->histories.count,
	        .histories = r->histories.items,
	        .all = r->state.exhausted == r->task.txns,
	        .exhausted = r->state.exhausted,
	        .proposals = r->state.proposals,
	        .lessons = r->state.counterexamples,
	};
	if (error) {
		snprintf(r->reason, sizeof r->reason, "%s", error->text);
		r->synthesis.reason = r->reason;
	}
	return &r->synthesis;
}
