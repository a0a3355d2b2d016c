/*
 * crew: threads that work together in rounds.
 *
 * Problem. The tasks of a team (team.h) start from scratch and end. Work on a stream has no end,
 * comes in rounds, and the state of a thread must survive to the next round.
 *
 * Idea. A crew has members, each with a guard and a pool for as long as the crew lives,
 * and threads that wait for the next round. In a round each member has a part to do. A
 * thread takes the part of its own member if it can, for the sake of its caches, and otherwise any
 * that is left: a thread that waits for a core does not hold up the round. The job's thread takes
 * parts, too, while it waits for the round. Memory is lent by the job's guard, as in a team.
 *
 * Invariants.
 * 1. A member's part is done by one thread at a time.
 * 2. If members fail, the job fails once, with the error of the first of them.
 */
#ifndef ALIBI_BASE_CREW_H
#define ALIBI_BASE_CREW_H

#include "base/pool.h"

#include <stdbool.h>
#include <stdint.h>

struct crew;

typedef void crew_part(void *data, uint32_t member, struct pool *pool);

/* As many threads as members, with the job's own. */
struct crew *crew_new(struct pool *pool, uint32_t members);

/* Begins a round, when the one before is over. */
void crew_begin(struct crew *c, crew_part *part, void *data);
/* Until it is over. A failure is only raised by crew_end(). */
void crew_wait(struct crew *c);
void crew_end(struct crew *c);

/* The part of one member, on this thread, between rounds. */
void crew_one(struct crew *c, uint32_t member, crew_part *part, void *data);

#endif
