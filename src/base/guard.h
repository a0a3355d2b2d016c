/*
 * guard: the limits of one job, and the one way out of it.
 *
 * Problem. A checker runs on untrusted input, on machines that kill what grows too large. Every
 * loop must be able to stop, and that must not depend on forty callers passing an error code on.
 *
 * Idea. A job has one guard. It counts memory, knows the deadline, and holds
 * the place to jump back to. guard_fail() records what happened and leaves the
 * job with longjmp(); the memory of the job is in pools, so nothing leaks.
 * Out of memory, out of time and bad input are the same event with another
 * code. Our own bugs are not: they are asserts.
 *
 * Invariants.
 * 1. guard_fail() is called only between guard_enter() and guard_leave().
 * 2. used counts what the pools hold now, peak the most they ever held.
 * 3. A loop over input calls guard_tick() for each thing it handles.
 *
 * A task on another thread has a guard that borrows from the job's. It also ends when it is no
 * longer needed; this is not a failure, so the code is ALIBI_OK.
 *
 * Cost. A tick is one subtraction and one branch; the clock is read once in
 * TICKS_PER_LOOK ticks.
 */
#ifndef ALIBI_BASE_GUARD_H
#define ALIBI_BASE_GUARD_H

#include "alibi.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

enum { TICKS_PER_LOOK = 4096, ERROR_TEXT_MAX = 1024 };

/* A place in the input; line and column count from 1, 0: unknown. */
struct place {
	const char *file;
	uint64_t line, column;
};

/* What the guards of tasks on several threads share (team.h). */
struct guard_share {
	pthread_mutex_t lock; /* of the job's guard */
	struct guard *job;    /* lends its memory */
	_Atomic uint32_t end; /* tasks from this number on are not needed */
};

struct guard {
	size_t used, peak, max_memory; /* bytes; max_memory 0: no limit */
	size_t lent;                   /* by the job's guard, if this is a task's */
	struct guard_share *share;     /* NULL: it is a job's */
	struct guard_share *lends;     /* a job's that lends while it works itself; or NULL */
	uint32_t task;
	uint64_t deadline_ns;  /* on the monotonic clock; 0: none */
	int32_t ticks_left;    /* until the clock is looked at again */
	atomic_bool cancelled; /* of a job; set by any thread */

	double *clock; /* where the CPU seconds of this thread go now; NULL: nowhere */
	double clock_since;

	const char *stage; /* what is being done, for progress and messages */
	uint64_t done, total;
	uint64_t next_report_ns;
	alibi_progress_fn *progress;
	void *progress_data;
	struct searching *searching; /* NULL: it is not asked for */

	jmp_buf jump;
	bool entered;
	struct alibi_error error;
	char error_text[ERROR_TEXT_MAX];
	char error_file[ERROR_TEXT_MAX];
};

void guard_init(struct guard *g); /* without limits */
/* The guard of a task: the job's limits, and its progress if it reports any. */
void guard_join(struct guard *g, struct guard_share *share, uint32_t task, bool reports);

/* if (guard_enter(g)) { the job } else { it failed: g->error }; guard_leave(g), which is true
 * unless the job failed. Variables that the job changes and that are read after a failure must be
 * volatile. */
#define guard_enter(g) (guard_begin(g), setjmp((g)->jump) == 0)
void guard_begin(struct guard *g);
bool guard_leave(struct guard *g);

/* Ends the job. place may be NULL; the text is prefixed with it. */
_Noreturn void guard_fail(struct guard *g, enum alibi_code code, const struct place *place,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The two halves of guard_fail(), for variadic functions: record the error, leave the job. */
void guard_say(struct guard *g, enum alibi_code code, const struct place *place, const char *format,
               va_list args) __attribute__((format(printf, 4, 0)));
_Noreturn void guard_out(struct guard *g);
/* Calls fn inside the job; false: it failed, and the error is set. For callbacks of the
 * caller's code, which must not be left by a jump: it returns, and guard_out() follows. */
bool guard_try(struct guard *g, void (*fn)(void *data), void *data);

/* Memory accounting, for the pools: fails the job when the limit is passed. */
void guard_take(struct guard *g, size_t bytes);
void guard_give(struct guard *g, size_t bytes);

void guard_stage(struct guard *g, const char *stage, uint64_t total);

/* From now on the CPU time of this thread is added to *seconds; NULL: to nothing.
 * What the job had used so far is added where it belongs. */
void guard_clock(struct guard *g, double *seconds);

/* The slow half of guard_tick(): deadline and progress. */
void guard_look(struct guard *g);

static inline void guard_tick(struct guard *g)
{
	if (--g->ticks_left <= 0)
		guard_look(g);
}

/* The job should end: it is out of time, or was cancelled. */
bool guard_is_over(const struct guard *g);
/* Is it one of the errors that end work which may be `unknown`? */
static inline bool is_limit(enum alibi_code code)
{
	return code == ALIBI_MEMORY || code == ALIBI_TIMEOUT || code == ALIBI_CANCELLED;
}

uint64_t monotonic_ns(void);

#endif
