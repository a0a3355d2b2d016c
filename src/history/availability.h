/*
 * availability: how much of the time of a recording the database committed, as the recorder says.
 *
 * A server that died soon after the start leaves a short history, and a short history holds. So the
 * recorder counts the time, and the attempts without an answer.
 */
#ifndef ALIBI_HISTORY_AVAILABILITY_H
#define ALIBI_HISTORY_AVAILABILITY_H

#include "base/vec.h"

#include <stdint.h>

struct node_availability {
	const char *node;             /* as the recorder names it */
	int64_t without_commits;      /* milliseconds */
	int64_t attempts, unanswered; /* to connect, or to run a transaction */
};

struct availability {
	int64_t milliseconds;    /* of the recording */
	int64_t without_commits; /* of these: in pauses in which no node committed */
	VEC(struct node_availability) nodes;
};

/* The share of the time with commits. */
static inline double availability_share(const struct availability *a)
{
	return a->milliseconds ? 1 - (double)a->without_commits / (double)a->milliseconds : 1;
}

#endif
