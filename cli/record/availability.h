/*
 * availability: how much of a recording the database was there for, by node.
 *
 * Problem. A server that dies leaves a short history, and a short history holds. The history must
 * say that most of the time nothing was recorded.
 *
 * Idea. Each attempt of a client, to connect or to run a transaction, is noted when it ends. Time
 * counts as without commits where there was none for more than PAUSE_MS: shorter pauses are the
 * machine's. A transaction that the database aborts is answered.
 */
#ifndef ALIBI_RECORD_AVAILABILITY_H
#define ALIBI_RECORD_AVAILABILITY_H

#include "text.h"
#include "url.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* What is known of a node, or of all. */
struct node_counts {
	uint64_t committed_ns; /* the last commit, or the beginning */
	uint64_t without_ns;   /* in pauses before that */
	uint64_t attempts, unanswered;
};

struct availability {
	pthread_mutex_t lock;
	uint64_t origin_ns, end_ns;
	struct node_counts all, nodes[HOSTS_MAX];
};

enum attempt { ATTEMPT_UNANSWERED, ATTEMPT_ANSWERED, ATTEMPT_COMMITTED };

void availability_begin(struct availability *a);
void availability_note(struct availability *a, size_t node, enum attempt attempt);
void availability_end(struct availability *a);
/* Seconds without commits. */
double availability_without(const struct availability *a);
/* The line of the history. */
void availability_print(const struct availability *a, const struct url *url, struct text *line);

#endif
