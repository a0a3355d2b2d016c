/*
 * barrier: where all clients wait for each other before a round. The last to arrive prepares the
 * round while the others wait; then all continue at the same time.
 */
#ifndef ALIBI_RECORD_BARRIER_H
#define ALIBI_RECORD_BARRIER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct barrier {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t members, waiting;
	uint64_t round; /* the last one that was prepared; the first is 1 */
	bool preparing, stopped;
};

void barrier_init(struct barrier *b, uint64_t members);
void barrier_release(struct barrier *b);

uint64_t barrier_next_round(struct barrier *b); /* for a member that does not wait */

enum barrier_result { BARRIER_PASSED, BARRIER_NOT_PREPARED, BARRIER_STOPPED };

/* Waits for the other members. prepare() is called by one member. If it fails, this member alone
 * stops waiting, and should come back. */
enum barrier_result barrier_wait(struct barrier *b, bool (*prepare)(void *data), void *data);
void barrier_leave(struct barrier *b); /* the others no longer wait for this member */
void barrier_stop(struct barrier *b);

#endif
