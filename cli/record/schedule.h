/*
 * schedule: runs the steps of sessions in a given order, and reports whether the database allowed
 * it.
 *
 * A schedule is text, a step a line, as alibi synth --schedule writes it:
 *     s1 T1 begin
 *     s1 T1 read x null
 *     s1 T1 write y 1
 *     s1 T1 commit
 * A word that begins with s is a session; keys are words, values are positive integers, and null is
 * the initial value. # begins a comment.
 *
 * It is a workload: each session is a client, and waits for its turn before each step. A step that
 * takes long waits for a lock; the other sessions then continue without it until it is done.
 *
 * The schedule happened if all transactions committed and every read returned what it says.
 */
#ifndef ALIBI_RECORD_SCHEDULE_H
#define ALIBI_RECORD_SCHEDULE_H

#include "workload.h"

#include <stdio.h>

struct schedule;

extern const struct workload workload_schedule;

/* NULL: the error has been reported. */
struct schedule *schedule_load(const char *path);
void schedule_free(struct schedule *p);

uint64_t schedule_sessions(const struct schedule *p);
uint64_t schedule_keys(const struct schedule *p);
uint64_t schedule_turns(const struct schedule *p, uint64_t slot); /* transactions of a session */

/* Prints whether it happened: COMMITTED if so, ABORTED if not, else UNKNOWN. */
enum outcome schedule_report(const struct schedule *p, FILE *out);

#endif
