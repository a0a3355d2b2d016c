/*
 * survey: what isolation a database really gave: the strongest level at which its
 * history holds, and the weakest that it violates.
 *
 * Each level of the library's table contains the ones before it. The strongest comes
 * first: with the clients' clocks an order is found at once, and if it holds, so do
 * all. If not, the survey goes up from the promised level while the history holds,
 * or down while it does not; the levels that it passes by follow.
 */
#ifndef ALIBI_RECORD_SURVEY_H
#define ALIBI_RECORD_SURVEY_H

#include "job.h"

/* level "": none was promised. The exit code. */
int survey(const char *path, const char *level, const struct load_values *limits);

#endif
