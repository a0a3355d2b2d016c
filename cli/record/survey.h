/*
 * survey: the isolation that a database provided: at which levels its history holds.
 */
#ifndef ALIBI_RECORD_SURVEY_H
#define ALIBI_RECORD_SURVEY_H

#include "job.h"

enum { SURVEY_SECONDS = 60 }; /* unless the limits say another time */

struct reporting;

/* claimed: the level that decides the exit code; "": none. least_commits: the option. */
int survey(const char *path, const char *claimed, double least_commits,
           const struct load_values *limits, struct reporting *r);

#endif
