/*
 * survey: the isolation that a database provided: at which levels its history holds.
 */
#ifndef ALIBI_RECORD_SURVEY_H
#define ALIBI_RECORD_SURVEY_H

#include "job.h"

struct reporting;

/* claimed: the level that decides the exit code; "": none. least_commits: the option. */
int survey(const char *path, const char *claimed, double least_commits,
           const struct load_values *limits, struct reporting *r);

#endif
