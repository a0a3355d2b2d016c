/*
 * rounds: a meeting point of all clients. The last to come prepares the round, while
 * nobody else does anything; then all go on at the same time.
 */
#ifndef ALIBI_RECORD_ROUNDS_H
#define ALIBI_RECORD_ROUNDS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct rounds {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t members, waiting;
	uint64_t round; /* that was prepared last; the first is 1 */
	bool preparing, over;
};

void rounds_init(struct rounds *r, uint64_t members);
void rounds_release(struct rounds *r);

uint64_t rounds_next(struct rounds *r); /* for a member who does not wait: the round to come */

enum meeting { ROUND_BEGINS, ROUND_NOT_PREPARED, ROUNDS_ARE_OVER };

/* Waits for the others. Of one member prepare() is called; if that fails, he alone does
 * not wait any longer, and should come again. */
enum meeting rounds_meet(struct rounds *r, bool (*prepare)(void *data), void *data);
void rounds_leave(struct rounds *r); /* the others do not wait for this one any more */
void rounds_stop(struct rounds *r);

#endif
