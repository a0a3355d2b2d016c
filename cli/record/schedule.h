/*
 * schedule: steps that sessions take in a given order, and whether the database let them.
 *
 * A schedule is text, a line a step, as alibi synth --schedule writes it:
 *     s1 T1 begin
 *     s1 T1 read x null
 *     s1 T1 write y 1
 *     s1 T1 commit
 * A word that begins with s is a session; keys are words, values are numbers from 1, and
 * null is what a key has at first. What follows # is left out.
 *
 * It is a workload: each session is a client, and waits for its turn before each step.
 * A step may have to wait for a lock. After a while the others go on without its
 * session, until it comes back.
 *
 * It happened if all transactions committed and every read gave what the schedule says.
 */
#ifndef ALIBI_RECORD_SCHEDULE_H
#define ALIBI_RECORD_SCHEDULE_H

#include "workload.h"

#include <stdio.h>

struct schedule;

extern const struct workload workload_schedule;

/* NULL: it was complained. */
struct schedule *schedule_load(const char *path);
void schedule_free(struct schedule *p);

uint64_t schedule_sessions(const struct schedule *p);
uint64_t schedule_keys(const struct schedule *p);
uint64_t schedule_turns(const struct schedule *p, uint64_t slot); /* transactions of a session */

/* Says whether it happened: COMMITTED if it did, ABORTED if not, UNKNOWN if that
 * cannot be told. */
enum outcome schedule_tell(const struct schedule *p, FILE *out);

#endif
