/* job: jobs of alibi.h, loading and saving, and the tables of formats and levels. */
#include "api/job.h"
#include "format/format.h"
#include "level/level.h"
#include "level/names.h"

#include <stdlib.h>

const char *alibi_version(void)
{
	return ALIBI_VERSION;
}

alibi *alibi_new(const alibi_limits *limits)
{
	alibi *a = malloc(sizeof *a);
	if (!a)
		return NULL;
	guard_init(&a->guard, limits);
	a->pool = pool_root(&a->guard);
	if (!a->pool) {
		free(a);
		return NULL;
	}
	return a;
}

void alibi_free(alibi *a)
{
	if (!a)
		return;
	pool_release(a->pool);
	free(a);
}

const alibi_error *alibi_last_error(const alibi *a)
{
	assert(a);
	return &a->guard.error;
}

size_t alibi_peak_bytes(const alibi *a)
{
	return a->guard.peak;
}

/* ---- loading and saving ---- */

const alibi_history *alibi_load(alibi *a, const char *path, const alibi_load_options *options)
{
	struct history *volatile h = NULL;
	if (guard_enter(&a->guard))
		h = format_load(a->pool, path, options ? options->format : NULL,
		                options ? options->initial : NULL);
	guard_leave(&a->guard);
	return (const alibi_history *)h;
}

bool alibi_save(alibi *a, const alibi_history *h, const char *path, const char *format,
                const char **dropped)
{
	bool volatile ok = false;
	if (guard_enter(&a->guard)) {
		format_save(a->pool, inside(h), path, format, dropped);
		ok = true;
	}
	guard_leave(&a->guard);
	return ok;
}

size_t alibi_format_count(void)
{
	return format_count();
}

alibi_format_info alibi_format(size_t index)
{
	const struct format *f = format_at(index);
	return (alibi_format_info){
	        .name = f->name, .title = f->title, .directory = f->suffix != NULL};
}

alibi_stats alibi_history_stats(const alibi_history *h)
{
	return history_stats(inside(h));
}

/* ---- levels ---- */

const char *alibi_verdict_name(enum alibi_verdict verdict)
{
	static const char *const names[] = {"valid", "violates", "unknown"};
	return names[verdict];
}

size_t alibi_level_count(void)
{
	return level_count();
}

size_t alibi_level_alias_count(void)
{
	return names_count();
}

alibi_level_alias alibi_level_alias_at(size_t index)
{
	return *names_at(index);
}

bool alibi_level_find(const char *name, alibi_level_alias *found)
{
	return names_find(name, found);
}

alibi_level_info alibi_level(size_t index)
{
	const struct level *l = level_at(index);
	return (alibi_level_info){l->name, l->title, l->definition, l->forbids};
}

size_t alibi_level_step_count(void)
{
	return level_count();
}

/* The history of the first row is about session order, and comes last. */
alibi_level_step alibi_level_step_at(size_t index)
{
	bool of_sessions = index + 1 == level_count();
	const struct level *l = level_at(of_sessions ? 0 : index + 1);
	return (alibi_level_step){.weaker = of_sessions ? l->name : level_below(l)->name,
	                          .stronger = l->name,
	                          .of_sessions = of_sessions,
	                          .anomaly = l->anomaly,
	                          .file = l->file,
	                          .history = l->history,
	                          .why = l->why};
}
