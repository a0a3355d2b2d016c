/*
 * team: tasks on several threads.
 *
 * Problem. A job has one guard and one way out of it (guard.h), and a pool belongs to
 * one thread. Several threads must share the limits of a job, and the failure of one
 * must become the job's.
 *
 * Idea. Each task has a guard and a pool of its own. The guard borrows its memory from
 * the job's, under a lock, in large pieces, so that the limit holds for all of them
 * together. A task that fails ends the team; the job then fails with the same message,
 * in its own thread. That thread works, too, and it alone reports progress.
 *
 * Invariants.
 * 1. Tasks begin in the order of their numbers.
 * 2. A task that says "enough" ends those with greater numbers only. So the result does not depend
 *    on the number of threads.
 * 3. The job's own guard and pool are not used while the team works.
 */
#ifndef ALIBI_BASE_TEAM_H
#define ALIBI_BASE_TEAM_H

#include "base/pool.h"

#include <stdbool.h>
#include <stdint.h>

/* True: run the next task. False: enough; what the task made in its pool is kept. */
typedef bool team_task(void *data, uint32_t number, struct pool *pool);

/* Runs tasks 0 to count - 1. Returns the first that said enough, or count. Its pool lives as long
 * as `pool`; the others are released. One thread is the job's own. */
uint32_t team_run(struct pool *pool, unsigned threads, uint32_t count, team_task *task, void *data);

#endif
