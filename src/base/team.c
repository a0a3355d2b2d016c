/* team: see team.h. */
#include "base/team.h"

#include "base/guard.h"

#include <assert.h>

struct team;

struct worker {
	struct team *team;
	pthread_t thread;
	struct guard guard;
	struct pool *pool; /* of the current task, or of the one that said enough */
	uint32_t number;   /* of that task */
};

struct team {
	struct guard_share share;
	team_task *task;
	void *data;
	uint32_t next;
	uint32_t enough;             /* the first task that said so */
	const struct guard *failure; /* of the first task that failed, or NULL */
	unsigned workers;
	struct worker worker[];
};

enum outcome {
	OUTCOME_MORE,
	OUTCOME_ENOUGH,
	OUTCOME_LEFT /* it failed, or was no longer needed */
};

/* ---- one worker ---- */

static bool next_task(struct worker *w)
{
	struct team *t = w->team;
	pthread_mutex_lock(&t->share.lock);
	w->number = t->next;
	bool more = w->number < t->share.end;
	t->next += more;
	pthread_mutex_unlock(&t->share.lock);
	return more;
}

static enum outcome do_task(struct worker *w)
{
	enum outcome volatile outcome = OUTCOME_LEFT;
	guard_join(&w->guard, &w->team->share, w->number, w == w->team->worker);
	w->pool = pool_root(&w->guard);
	if (guard_enter(&w->guard)) {
		if (!w->pool)
			guard_fail(&w->guard, ALIBI_MEMORY, NULL, "out of memory");
		bool more = w->team->task(w->team->data, w->number, w->pool);
		outcome = more ? OUTCOME_MORE : OUTCOME_ENOUGH;
	}
	guard_clock(&w->guard, NULL);
	guard_leave(&w->guard);
	return outcome;
}

static void note(struct worker *w, enum outcome outcome)
{
	struct team *t = w->team;
	uint32_t end = t->share.end;
	pthread_mutex_lock(&t->share.lock);
	if (outcome == OUTCOME_ENOUGH && w->number < t->enough)
		t->enough = end = w->number;
	if (outcome == OUTCOME_LEFT && w->guard.error.code != ALIBI_OK) {
		t->failure = t->failure ? t->failure : &w->guard;
		end = 0;
	}
	if (end < t->share.end)
		t->share.end = end;
	pthread_mutex_unlock(&t->share.lock);
}

static void *work(void *data)
{
	struct worker *w = data;
	enum outcome outcome = OUTCOME_MORE;
	while (outcome == OUTCOME_MORE && next_task(w)) {
		outcome = do_task(w);
		note(w, outcome);
		if (outcome != OUTCOME_ENOUGH) {
			pool_release(w->pool);
			w->pool = NULL;
		}
	}
	return NULL;
}

/* ---- the team ---- */

static void end_team(void *data)
{
	struct team *t = data;
	for (unsigned i = 0; i < t->workers; i++)
		pool_release(t->worker[i].pool);
	pthread_mutex_destroy(&t->share.lock);
}

static struct team *new_team(struct pool *pool, unsigned threads, uint32_t count)
{
	struct team *t = pool_zalloc(pool, sizeof *t + threads * sizeof *t->worker);
	t->share.job = pool_guard(pool);
	t->share.end = t->enough = count;
	t->workers = threads;
	for (unsigned i = 0; i < threads; i++)
		t->worker[i].team = t;
	pthread_mutex_init(&t->share.lock, NULL);
	pool_defer(pool, end_team, t);
	return t;
}

/* If the system refuses threads, the others do the work. */
static void work_together(struct team *t)
{
	unsigned started = 1;
	while (started < t->workers &&
	       !pthread_create(&t->worker[started].thread, NULL, work, &t->worker[started]))
		started++;
	work(&t->worker[0]);
	while (started > 1)
		pthread_join(t->worker[--started].thread, NULL);
}

static uint32_t work_alone(struct pool *pool, uint32_t count, team_task *task, void *data)
{
	for (uint32_t number = 0; number < count; number++) {
		struct pool *own = pool_child(pool);
		if (!task(data, number, own))
			return number;
		pool_release(own);
	}
	return count;
}

uint32_t team_run(struct pool *pool, unsigned threads, uint32_t count, team_task *task, void *data)
{
	if (threads <= 1 || count <= 1)
		return work_alone(pool, count, task, data);
	assert(task && pool);
	struct team *t = new_team(pool, threads < count ? threads : count, count);
	t->task = task;
	t->data = data;
	work_together(t);
	if (t->enough == count && t->failure)
		guard_fail(t->share.job, t->failure->error.code, NULL, "%s",
		           t->failure->error.text);
	for (unsigned i = 0; i < t->workers; i++)
		if (t->worker[i].pool && t->worker[i].number != t->enough) {
			pool_release(t->worker[i].pool);
			t->worker[i].pool = NULL;
		}
	return t->enough;
}
