/*
 * schedule: steps of concurrent sessions that would produce a history.
 *
 * Commits follow the order of a level that allows the history. A transaction reads as soon as
 * the transactions that it reads from and its predecessors in the session have committed, and
 * writes just before it commits. If a snapshot at that time has all versions that it reads, it
 * reads everything then, as databases with snapshots require. Otherwise each read has its own
 * time.
 */
#ifndef ALIBI_SYNTH_SCHEDULE_H
#define ALIBI_SYNTH_SCHEDULE_H

#include "synth/skeleton.h"

/* One line per step: s1 T1 read x null. ordered: keep the order of reads. */
const char *schedule_text(struct pool *pool, const struct skeleton *s, const struct witness *w,
                          bool ordered);

#endif
