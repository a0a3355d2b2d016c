/* guard: see guard.h. */
#include "base/guard.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { REPORT_EVERY_NS = 100 * 1000 * 1000, LENT_BYTES = 1 << 20 };

uint64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void guard_init(struct guard *g)
{
	memset(g, 0, sizeof *g);
	g->ticks_left = TICKS_PER_LOOK;
	g->stage = "";
}

void guard_join(struct guard *g, struct guard_share *share, uint32_t task, bool reports)
{
	const struct guard *job = share->job;
	guard_init(g);
	g->share = share;
	g->task = task;
	g->deadline_ns = job->deadline_ns;
	g->max_memory = job->max_memory;
	if (reports) {
		g->progress = job->progress;
		g->progress_data = job->progress_data;
		g->searching = job->searching;
	}
}

void guard_begin(struct guard *g)
{
	assert(!g->entered);
	g->entered = true;
	g->error = (struct alibi_error){.size = sizeof g->error};
}

bool guard_leave(struct guard *g)
{
	assert(g->entered);
	g->entered = false;
	return g->error.code == ALIBI_OK;
}

void guard_fail(struct guard *g, enum alibi_code code, const struct place *place,
                const char *format, ...)
{
	va_list args;
	va_start(args, format);
	guard_say(g, code, place, format, args);
	va_end(args);
	guard_out(g);
}

void guard_say(struct guard *g, enum alibi_code code, const struct place *place, const char *format,
               va_list args)
{
	size_t at = 0;
	assert(g->entered);
	g->error =
	        (struct alibi_error){.size = sizeof g->error, .code = code, .text = g->error_text};
	if (place && place->file) {
		snprintf(g->error_file, sizeof g->error_file, "%s", place->file);
		g->error.file = g->error_file;
		g->error.line = place->line;
		g->error.column = place->column;
		at = (size_t)snprintf(g->error_text, sizeof g->error_text, "%s", g->error_file);
		if (at < sizeof g->error_text && place->line)
			at += (size_t)snprintf(g->error_text + at, sizeof g->error_text - at,
			                       ":%llu", (unsigned long long)place->line);
		if (at < sizeof g->error_text && place->line && place->column)
			at += (size_t)snprintf(g->error_text + at, sizeof g->error_text - at,
			                       ":%llu", (unsigned long long)place->column);
		if (at < sizeof g->error_text)
			at += (size_t)snprintf(g->error_text + at, sizeof g->error_text - at, ": ");
	}
	if (at < sizeof g->error_text)
		vsnprintf(g->error_text + at, sizeof g->error_text - at, format, args);
}

void guard_out(struct guard *g)
{
	longjmp(g->jump, 1);
}

bool guard_try(struct guard *g, void (*fn)(void *data), void *data)
{
	jmp_buf outer;
	bool volatile ok = false;
	memcpy(&outer, &g->jump, sizeof outer);
	if (!setjmp(g->jump)) {
		fn(data);
		ok = true;
	}
	memcpy(&g->jump, &outer, sizeof outer);
	return ok;
}

static bool has_room(const struct guard *g, size_t bytes)
{
	return !g->max_memory || (bytes <= g->max_memory && g->used <= g->max_memory - bytes);
}

static void count(struct guard *g, size_t bytes)
{
	g->used += bytes;
	if (g->used > g->peak)
		g->peak = g->used;
}

/* A piece of the job's memory; near the limit, only what is needed. */
static bool borrow(struct guard *g, size_t needed)
{
	struct guard *job = g->share->job;
	size_t piece = needed < LENT_BYTES ? LENT_BYTES : needed;
	pthread_mutex_lock(&g->share->lock);
	if (!has_room(job, piece))
		piece = needed;
	bool ok = has_room(job, piece);
	if (ok) {
		count(job, piece);
		g->lent += piece;
	}
	pthread_mutex_unlock(&g->share->lock);
	return ok;
}

/* Returns everything if nothing is in use; otherwise the excess over several pieces. */
static void repay(struct guard *g)
{
	size_t spare = g->lent - g->used;
	if (g->used && spare < 4 * (size_t)LENT_BYTES)
		return;
	spare -= g->used ? LENT_BYTES : 0;
	pthread_mutex_lock(&g->share->lock);
	g->share->job->used -= spare;
	pthread_mutex_unlock(&g->share->lock);
	g->lent -= spare;
}

/* A job's guard takes for the job itself; tasks may be borrowing. */
static bool take(struct guard *g, size_t bytes)
{
	if (g->lends)
		pthread_mutex_lock(&g->lends->lock);
	bool ok = has_room(g, bytes);
	if (ok)
		count(g, bytes);
	if (g->lends)
		pthread_mutex_unlock(&g->lends->lock);
	return ok;
}

static bool take_lent(struct guard *g, size_t bytes)
{
	size_t spare = g->lent - g->used;
	bool ok = bytes <= spare || borrow(g, bytes - spare);
	if (ok)
		count(g, bytes);
	return ok;
}

static _Noreturn void fail_at_limit(struct guard *g)
{
	static const char *const units[] = {"bytes", "KiB", "MiB"};
	size_t limit = g->max_memory, unit = 0;
	for (; unit < 2 && limit >= 1024; unit++)
		limit >>= 10;
	guard_fail(g, ALIBI_MEMORY, NULL, "the memory limit of %zu %s was reached while %s", limit,
	           units[unit], *g->stage ? g->stage : "starting");
}

void guard_take(struct guard *g, size_t bytes)
{
	if (!(g->share ? take_lent : take)(g, bytes))
		fail_at_limit(g);
}

void guard_give(struct guard *g, size_t bytes)
{
	if (g->lends)
		pthread_mutex_lock(&g->lends->lock);
	assert(bytes <= g->used);
	g->used -= bytes;
	if (g->lends)
		pthread_mutex_unlock(&g->lends->lock);
	if (g->share)
		repay(g);
}

void guard_stage(struct guard *g, const char *stage, uint64_t total)
{
	g->stage = stage;
	g->done = 0;
	g->total = total;
	guard_look(g);
}

void guard_clock(struct guard *g, double *seconds)
{
	double now = cpu_seconds();
	if (g->clock)
		*g->clock += now - g->clock_since;
	g->clock = seconds;
	g->clock_since = now;
}

static bool is_cancelled(const struct guard *g)
{
	return atomic_load_explicit(&(g->share ? g->share->job : g)->cancelled,
	                            memory_order_relaxed);
}

bool guard_is_over(const struct guard *g)
{
	return is_cancelled(g) || (g->deadline_ns && monotonic_ns() >= g->deadline_ns);
}

void guard_look(struct guard *g)
{
	g->ticks_left = TICKS_PER_LOOK;
	if (g->share && g->share->end <= g->task)
		guard_fail(g, ALIBI_OK, NULL, "not needed any more");
	if (is_cancelled(g))
		guard_fail(g, ALIBI_CANCELLED, NULL, "the job was cancelled while %s",
		           *g->stage ? g->stage : "starting");
	if (!g->deadline_ns && !g->progress)
		return;
	uint64_t now = monotonic_ns();
	if (g->progress && now >= g->next_report_ns) {
		g->next_report_ns = now + REPORT_EVERY_NS;
		g->progress(g->progress_data, g->stage, g->done, g->total);
	}
	if (g->deadline_ns && now >= g->deadline_ns)
		guard_fail(g, ALIBI_TIMEOUT, NULL, "the time limit was reached while %s",
		           *g->stage ? g->stage : "starting");
}
