/* rounds: see rounds.h. */
#include "rounds.h"

void rounds_init(struct rounds *r, uint64_t members)
{
	*r = (struct rounds){.members = members};
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
}

void rounds_release(struct rounds *r)
{
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->changed);
}

uint64_t rounds_next(struct rounds *r)
{
	pthread_mutex_lock(&r->lock);
	uint64_t next = r->round + 1;
	pthread_mutex_unlock(&r->lock);
	return next;
}

/* Under the lock, which is given up meanwhile: all are waiting, this one among them. */
static bool prepare_round(struct rounds *r, bool (*prepare)(void *data), void *data)
{
	r->preparing = true;
	pthread_mutex_unlock(&r->lock);
	bool prepared = prepare(data);
	pthread_mutex_lock(&r->lock);
	r->preparing = false;
	if (prepared) {
		r->waiting = 0;
		r->round++;
		pthread_cond_broadcast(&r->changed);
	} else {
		r->waiting--;
	}
	return prepared;
}

enum meeting rounds_meet(struct rounds *r, bool (*prepare)(void *data), void *data)
{
	enum meeting end = ROUND_BEGINS;
	pthread_mutex_lock(&r->lock);
	uint64_t before = r->round;
	r->waiting++;
	while (!r->over && r->round == before && end == ROUND_BEGINS) {
		if (r->waiting < r->members || r->preparing)
			pthread_cond_wait(&r->changed, &r->lock);
		else if (!prepare_round(r, prepare, data))
			end = ROUND_NOT_PREPARED;
	}
	if (r->over)
		end = ROUNDS_ARE_OVER;
	pthread_mutex_unlock(&r->lock);
	return end;
}

void rounds_leave(struct rounds *r)
{
	pthread_mutex_lock(&r->lock);
	r->members--;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

void rounds_stop(struct rounds *r)
{
	pthread_mutex_lock(&r->lock);
	r->over = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}
