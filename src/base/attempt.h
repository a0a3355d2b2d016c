/*
 * attempt: a part of a job that a limit may end without ending the job.
 *
 * A job with several questions should not lose the answers that it has because the next one takes
 * too long. So a question is asked in an attempt, with a deadline of its own. What it allocates
 * belongs into a pool that the caller releases if a limit ends it.
 */
#ifndef ALIBI_BASE_ATTEMPT_H
#define ALIBI_BASE_ATTEMPT_H

#include "base/guard.h"

/* Calls fn inside the job, until a time that may be earlier than the job's (0: the job's). False: a
 * limit ended fn, and *why says which. Any other failure ends the job. */
bool attempt(struct guard *g, uint64_t until_ns, void (*fn)(void *data), void *data,
             struct alibi_error *why);

#endif
