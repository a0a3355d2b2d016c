/*
 * simulated: random histories of a simulated store, for the tests of streams without
 * timestamps.
 *
 * Each transaction takes effect at one moment between its begin and its end, or, if its
 * outcome is unknown, perhaps, and perhaps later. Then some reads are changed. Transactions
 * arrive out of order, those of a session in its order. Some of them may be fences.
 */
#ifndef ALIBI_TESTS_SIMULATED_H
#define ALIBI_TESTS_SIMULATED_H

#include "stats.h"
#include <stdbool.h>
#include <stdint.h>

enum { TXNS = 80, OPS = 4, KEYS = 6, FENCE = KEYS, SESSIONS = 6 };

struct op {
	bool writes, has_from;
	int key, value; /* 0: null, or deleted */
	int from;       /* a transaction, or -1: the initial version */
};

struct txn {
	int id, session, count;
	int64_t begin, end, effect, arrival;
	enum alibi_status status;
	bool takes_effect, fence, odd;
	struct op ops[OPS];
};

struct random_history {
	struct txn txns[TXNS];
	int count, keys;
	int64_t skew, delay;
	bool named, twice, restarts;
	int gone_from, gone_until; /* these are lost before they arrive; equal: none are */
	int fences;                /* so many of a hundred; 0: clocks are there */
	int odd_fences;            /* of these: only write, sometimes what others write */
	int64_t far_away;          /* sessions may be as much further away than others */
};

void simulated_seed(uint64_t seed);
int below(int n);
bool chance(int percent);

void simulated_make(struct random_history *h);
/* Some of the first ones are lost, all of which have a certain outcome. */
void simulated_lose(struct random_history *h, int count);
/* The next one after this that arrives; if some are lost before it, the gap is reported to the
 * watch. */
int next_arrival(const struct random_history *h, int after, alibi_watch *w);
alibi_value number(int n);
void feed(alibi_builder *b, const struct txn *t, bool times);
void fail_if(alibi *a); /* ends the test if the job failed */
/* Another watch resumes from the checkpoint of this one. */
alibi_watch *restart(alibi **a, alibi_watch *w, const alibi_watch_options *options);
void show(const struct random_history *h, int count);

#endif
