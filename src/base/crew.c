/* crew: see crew.h. */
#include "base/crew.h"

#include "base/guard.h"

#include <assert.h>
#include <signal.h>

struct member {
	struct crew *crew;
	pthread_t thread;
	uint32_t number;
	struct guard guard;
	struct pool *pool;
	bool taken; /* its part is being done, or is done */
};

struct crew {
	struct guard_share share;
	pthread_mutex_t lock;
	pthread_cond_t begun, done;
	crew_part *part; /* of the round */
	void *data;
	uint32_t untaken, left; /* parts that are not begun, and not done */
	uint32_t started;       /* threads, with the job's */
	bool over;
	uint32_t members;
	struct member member[];
};

static void do_part(struct member *m)
{
	if (guard_enter(&m->guard))
		m->crew->part(m->crew->data, m->number, m->pool);
	guard_leave(&m->guard);
}

/* Does untaken parts, starting with that of this member. The lock is held before and after. */
static void take_parts(struct crew *c, uint32_t first)
{
	while (c->untaken) {
		uint32_t i = first;
		while (c->member[i].taken)
			i = (i + 1) % c->members;
		c->member[i].taken = true;
		c->untaken--;
		pthread_mutex_unlock(&c->lock);
		do_part(&c->member[i]);
		pthread_mutex_lock(&c->lock);
		c->left--;
	}
}

static void *work(void *data)
{
	struct member *m = data;
	struct crew *c = m->crew;
	pthread_mutex_lock(&c->lock);
	while (!c->over) {
		take_parts(c, m->number);
		if (!c->left)
			pthread_cond_signal(&c->done);
		pthread_cond_wait(&c->begun, &c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

static void end_crew(void *data)
{
	struct crew *c = data;
	crew_wait(c);
	pthread_mutex_lock(&c->lock);
	c->over = true;
	pthread_cond_broadcast(&c->begun);
	pthread_mutex_unlock(&c->lock);
	while (c->started > 1)
		pthread_join(c->member[--c->started].thread, NULL);
	for (uint32_t i = 0; i < c->members; i++)
		pool_release(c->member[i].pool);
	c->share.job->lends = NULL;
	pthread_cond_destroy(&c->begun);
	pthread_cond_destroy(&c->done);
	pthread_mutex_destroy(&c->lock);
	pthread_mutex_destroy(&c->share.lock);
}

/* Signals are for the job's thread. If the system refuses threads, the others do the work. */
static void start_threads(struct crew *c)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	c->started = 1;
	while (c->started < c->members &&
	       !pthread_create(&c->member[c->started].thread, NULL, work, &c->member[c->started]))
		c->started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct crew *crew_new(struct pool *pool, uint32_t members)
{
	assert(members > 0);
	struct crew *c = pool_zalloc(pool, sizeof *c + members * sizeof *c->member);
	bool complete = true;
	c->share.job = pool_guard(pool);
	c->share.end = UINT32_MAX;
	c->members = members;
	pthread_mutex_init(&c->share.lock, NULL);
	c->share.job->lends = &c->share;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->begun, NULL);
	pthread_cond_init(&c->done, NULL);
	for (uint32_t i = 0; i < members; i++) {
		struct member *m = &c->member[i];
		m->crew = c;
		m->number = i;
		guard_join(&m->guard, &c->share, i, false);
		m->guard.stage = c->share.job->stage;
		m->pool = pool_root(&m->guard);
		complete = complete && m->pool;
	}
	pool_defer(pool, end_crew, c);
	if (!complete)
		guard_fail(c->share.job, ALIBI_MEMORY, NULL, "out of memory");
	start_threads(c);
	return c;
}

void crew_begin(struct crew *c, crew_part *part, void *data)
{
	pthread_mutex_lock(&c->lock);
	assert(!c->left);
	c->part = part;
	c->data = data;
	c->untaken = c->left = c->members;
	for (uint32_t i = 0; i < c->members; i++)
		c->member[i].taken = false;
	pthread_cond_broadcast(&c->begun);
	pthread_mutex_unlock(&c->lock);
}

void crew_wait(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	take_parts(c, 0);
	while (c->left)
		pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

/* Once. */
static void pass_failure_on(struct crew *c, struct member *m)
{
	enum alibi_code code = m->guard.error.code;
	if (code == ALIBI_OK)
		return;
	for (uint32_t i = 0; i < c->members; i++)
		c->member[i].guard.error.code = ALIBI_OK;
	guard_fail(c->share.job, code, NULL, "%s", m->guard.error.text);
}

void crew_end(struct crew *c)
{
	crew_wait(c);
	for (uint32_t i = 0; i < c->members; i++)
		pass_failure_on(c, &c->member[i]);
}

void crew_one(struct crew *c, uint32_t member, crew_part *part, void *data)
{
	assert(!c->left);
	c->part = part;
	c->data = data;
	do_part(&c->member[member]);
	pass_failure_on(c, &c->member[member]);
}
