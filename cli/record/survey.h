/*
 * survey: what isolation a database really gave: at which levels its history holds.
 */
#ifndef ALIBI_RECORD_SURVEY_H
#define ALIBI_RECORD_SURVEY_H

#include "job.h"

/* promised: the level that the exit code is about; "": none. */
int survey(const char *path, const char *promised, const struct load_values *limits);

#endif
