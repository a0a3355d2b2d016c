/*
 * survey: the isolation that a database provided: at which levels its history holds.
 */
#ifndef ALIBI_RECORD_SURVEY_H
#define ALIBI_RECORD_SURVEY_H

#include "job.h"

/* claimed: the level that decides the exit code; "": none. */
int survey(const char *path, const char *claimed, const struct load_values *limits);

#endif
