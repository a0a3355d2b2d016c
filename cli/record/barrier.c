/* barrier: see barrier.h. */
#include "barrier.h"

void barrier_init(struct barrier *b, uint64_t members)
{
	*b = (struct barrier){.members = members};
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
}

void barrier_release(struct barrier *b)
{
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->changed);
}

uint64_t barrier_next_round(struct barrier *b)
{
	pthread_mutex_lock(&b->lock);
	uint64_t next = b->round + 1;
	pthread_mutex_unlock(&b->lock);
	return next;
}

/* Under the lock, which is released while the round is prepared. All members are waiting. */
static bool prepare_round(struct barrier *b, bool (*prepare)(void *data), void *data)
{
	b->preparing = true;
	pthread_mutex_unlock(&b->lock);
	bool prepared = prepare(data);
	pthread_mutex_lock(&b->lock);
	b->preparing = false;
	if (prepared) {
		b->waiting = 0;
		b->round++;
		pthread_cond_broadcast(&b->changed);
	} else {
		b->waiting--;
	}
	return prepared;
}

enum barrier_result barrier_wait(struct barrier *b, bool (*prepare)(void *data), void *data)
{
	enum barrier_result end = BARRIER_PASSED;
	pthread_mutex_lock(&b->lock);
	uint64_t before = b->round;
	b->waiting++;
	while (!b->stopped && b->round == before && end == BARRIER_PASSED) {
		if (b->waiting < b->members || b->preparing)
			pthread_cond_wait(&b->changed, &b->lock);
		else if (!prepare_round(b, prepare, data))
			end = BARRIER_NOT_PREPARED;
	}
	if (b->stopped)
		end = BARRIER_STOPPED;
	pthread_mutex_unlock(&b->lock);
	return end;
}

void barrier_leave(struct barrier *b)
{
	pthread_mutex_lock(&b->lock);
	b->members--;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

void barrier_stop(struct barrier *b)
{
	pthread_mutex_lock(&b->lock);
	b->stopped = true;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}
