/*
 * watch: alibi_watch_*() of alibi.h.
 *
 * Options that do not go together are refused here. Transactions that were built, but not yet given
 * to the stream, are given to it before anything else is asked of it.
 */
#include "api/job.h"
#include "api/sized.h"
#include "level/level.h"
#include "stream/shards.h"

#include <string.h>

struct alibi_watch {
	alibi *job;
	struct shards *s;
	alibi_store store; /* if there is one */
	alibi_builder builder;
};

static void check_watch(alibi *a, const alibi_watch_options *o, const struct level *level)
{
	const char *by = o->fence ? "by fences" : "by the clients' clocks";
	if (!o->client_times && !o->fence)
		return;
	if (level->rules.snapshot || level->rules.visible != VISIBLE_STATE ||
	    (o->fence && level->rules.realtime))
		guard_fail(&a->guard, ALIBI_USAGE, NULL, "%s a stream is watched at %s, not at %s",
		           by, o->fence ? "ser" : "ser and sser", level->name);
	if (o->threads > 1 || o->shards > 1 || o->store)
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           "a stream that is watched %s is not divided into shards or threads, and "
		           "its keys stay in memory",
		           by);
	if (o->fence && (o->client_times || o->has_clock_skew))
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           "a stream is watched by fences or by the clients' clocks, not by both");
	if (o->fence && o->ignore_sessions)
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           "fences rest on the order of sessions, so that it has to count");
	if (o->fence && !o->fence_sessions)
		guard_fail(&a->guard, ALIBI_USAGE, NULL,
		           "by fences a stream needs the number of its sessions");
}

alibi_watch *alibi_watch_new(alibi *a, const alibi_watch_options *options)
{
	alibi_watch *volatile made = NULL;
	if (guard_enter(&a->guard)) {
		alibi_watch *w = pool_zalloc(a->pool, sizeof *w);
		alibi_watch_options given;
		SIZED_READ(&a->guard, alibi_watch_options, &given, options);
		const struct level *level =
		        api_level(a, given.level, !given.client_times && !given.fence);
		check_watch(a, &given, level);
		api_stamp_meaning(a, given.timestamps);
		if (given.store) {
			SIZED_READ(&a->guard, alibi_store, &w->store, given.store);
			given.store = &w->store;
		}
		w->job = a;
		guard_stage(&a->guard, "watching", 0);
		w->s = shards_new(a->pool, level, &given);
		w->builder = (alibi_builder){.job = a, .b = shards_builder(w->s), .stream = w->s};
		made = w;
	}
	guard_leave(&a->guard);
	return made;
}

alibi_builder *alibi_watch_builder(alibi_watch *w)
{
	return &w->builder;
}

/* If a line could not be read, those before it count all the same. The error stays. */
static bool check_before_error(alibi_watch *w)
{
	struct guard *g = &w->job->guard;
	struct alibi_error error = g->error;
	char text[ERROR_TEXT_MAX];
	memcpy(text, g->error_text, sizeof text);
	if (error.code == ALIBI_INPUT && guard_enter(g))
		shards_before_error(w->s);
	if (error.code == ALIBI_INPUT)
		guard_leave(g);
	memcpy(g->error_text, text, sizeof text);
	g->error = error;
	return false;
}

bool alibi_watch_text(alibi_watch *w, const char *name, const char *text, size_t length)
{
	if (guard_enter(&w->job->guard))
		shards_text(w->s, name, text, length);
	return guard_leave(&w->job->guard) || check_before_error(w);
}

bool alibi_watch_advance(alibi_watch *w, alibi_stamp settled, alibi_stamp oldest)
{
	if (guard_enter(&w->job->guard)) {
		api_take_built(&w->builder);
		shards_advance(w->s, settled, oldest);
	}
	return guard_leave(&w->job->guard);
}

bool alibi_watch_gap(alibi_watch *w, uint64_t from, uint64_t until)
{
	assert(from <= until);
	if (guard_enter(&w->job->guard)) {
		api_take_built(&w->builder);
		shards_gap(w->s, from, until);
	}
	return guard_leave(&w->job->guard);
}

bool alibi_watch_finish(alibi_watch *w)
{
	if (guard_enter(&w->job->guard)) {
		api_take_built(&w->builder);
		shards_finish(w->s);
	}
	return guard_leave(&w->job->guard) || check_before_error(w);
}

const alibi_watch_event *alibi_watch_next(alibi_watch *w)
{
	const alibi_watch_event *volatile event = NULL;
	if (guard_enter(&w->job->guard)) {
		api_take_built(&w->builder);
		event = shards_next(w->s);
	}
	guard_leave(&w->job->guard);
	return event;
}

void alibi_watch_statistics(const alibi_watch *w, alibi_watch_stats *out)
{
	alibi_watch_stats s = shards_stats(w->s);
	sized_write(out, &s, sizeof s);
}

bool alibi_watch_save(alibi_watch *w, alibi_write_fn *write, void *data)
{
	if (guard_enter(&w->job->guard))
		shards_save(w->s, write, data);
	return guard_leave(&w->job->guard);
}

bool alibi_watch_load(alibi_watch *w, const void *bytes, size_t length)
{
	if (guard_enter(&w->job->guard))
		shards_load(w->s, bytes, length);
	return guard_leave(&w->job->guard);
}
