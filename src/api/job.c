/* job: jobs, loading and saving, and the tables of formats and levels. */
#include "api/job.h"

#include "api/sized.h"
#include "format/format.h"
#include "level/level.h"

#include <stdlib.h>
#include <string.h>

alibi *alibi_new(void)
{
	alibi *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	guard_init(&a->guard);
	a->guard.searching = &a->searching;
	a->said = malloc(sizeof *a->said);
	a->pool = a->said ? pool_root(&a->guard) : NULL;
	if (!a->pool) {
		free(a->said);
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
	free(a->said);
	free(a);
}

void alibi_set_memory_limit(alibi *a, size_t bytes)
{
	a->guard.max_memory = bytes;
}

void alibi_set_timeout(alibi *a, double seconds)
{
	enum { SECONDS_MAX = 1000 * 1000 * 1000 };
	bool limited = seconds > 0 && seconds < SECONDS_MAX;
	a->guard.deadline_ns = limited ? monotonic_ns() + (uint64_t)(seconds * 1e9) : 0;
}

void alibi_set_progress(alibi *a, alibi_progress_fn *fn, void *data)
{
	a->guard.progress = fn;
	a->guard.progress_data = data;
}

void alibi_cancel(alibi *a)
{
	a->guard.cancelled = true;
}

const alibi_error *alibi_last_error(const alibi *a)
{
	assert(a);
	struct said *said = a->said;
	said->error = a->guard.error;
	if (said->error.text) {
		alibi_escape(ALIBI_ESCAPE_TEXT, said->error.text, strlen(said->error.text),
		             said->text, sizeof said->text);
		said->error.text = said->text;
	}
	return &said->error;
}

size_t alibi_peak_bytes(const alibi *a)
{
	return a->guard.peak;
}

/* ---- loading and saving ---- */

/* path NULL: from memory. */
static const alibi_history *load(alibi *a, const char *path, const char *name, struct text bytes,
                                 const alibi_load_options *options)
{
	struct history *volatile h = NULL;
	if (guard_enter(&a->guard)) {
		alibi_load_options o;
		SIZED_READ(&a->guard, alibi_load_options, &o, options);
		struct format_options how = {o.format, o.initial, o.model};
		h = path ? format_load(a->pool, path, &how)
		         : format_load_memory(a->pool, name, bytes, &how);
	}
	guard_leave(&a->guard);
	return (const alibi_history *)h;
}

const alibi_history *alibi_load(alibi *a, const char *path, const alibi_load_options *options)
{
	assert(path);
	return load(a, path, NULL, (struct text){0}, options);
}

const alibi_history *alibi_load_memory(alibi *a, const char *name, const void *bytes, size_t length,
                                       const alibi_load_options *options)
{
	return load(a, NULL, name, (struct text){bytes, length}, options);
}

static bool save(alibi *a, const alibi_history *h, const struct output *to, const char *format,
                 const char **dropped)
{
	if (guard_enter(&a->guard))
		format_save(a->pool, inside(h), to, format, dropped);
	return guard_leave(&a->guard);
}

bool alibi_save(alibi *a, const alibi_history *h, const char *path, const char *format,
                const char **dropped)
{
	assert(path);
	return save(a, h, &(struct output){.path = path}, format, dropped);
}

bool alibi_save_to(alibi *a, const alibi_history *h, alibi_write_fn *write, void *data,
                   const char *format, const char **dropped)
{
	return save(a, h, &(struct output){.write = write, .data = data}, format, dropped);
}

/* ---- tables ---- */

size_t alibi_format_count(void)
{
	return format_count();
}

bool alibi_format_at(size_t index, alibi_format_info *out)
{
	if (index >= format_count())
		return false;
	const struct format *f = format_at(index);
	alibi_format_info info = {
	        .name = f->name, .title = f->title, .directory = f->suffix != NULL};
	sized_write(out, &info, sizeof info);
	return true;
}

size_t alibi_level_count(void)
{
	return level_count();
}

bool alibi_level_at(size_t index, alibi_level_info *out)
{
	if (index >= level_count())
		return false;
	const struct level *l = level_at(index);
	alibi_level_info info = {.name = l->name,
	                         .title = l->title,
	                         .definition = l->definition,
	                         .forbids = l->forbids,
	                         .anomaly = l->anomaly,
	                         .history = l->history,
	                         .file = l->file,
	                         .why = l->why};
	sized_write(out, &info, sizeof info);
	return true;
}
