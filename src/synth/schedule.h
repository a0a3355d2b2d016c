/*
 * schedule: steps of concurrent sessions that would bring about a history.
 *
 * The order of a level that allows the history says who commits when. A transaction
 * reads as late as it must to see whom it reads from and the earlier ones of its
 * session, and no later; it writes just before it commits. If a snapshot at that time
 * gives all that it reads, it reads everything then, which databases with snapshots need;
 * else each read has its own time, which those without allow.
 */
#ifndef ALIBI_SYNTH_SCHEDULE_H
#define ALIBI_SYNTH_SCHEDULE_H

#include "synth/shape.h"

/* A line a step: s1 T1 read x null. ordered: keys are read in the order of the shape. */
const char *schedule_text(struct pool *pool, const struct shape *s, const struct witness *w,
                          bool ordered);

#endif
