/*
 * sentence: dependencies, cases and faults as English sentences, with the user's ids, keys and
 * values.
 */
#ifndef ALIBI_EXPLAIN_SENTENCE_H
#define ALIBI_EXPLAIN_SENTENCE_H

#include "explain/name.h"

const char *sentence_of_dependency(const struct reads *r, const struct dependency *a);
/* What a case assumes. */
const char *sentence_of_assumptions(const struct reads *r, const struct assumption *a,
                                    size_t count);
/* "T1 came before T2, and T2 before T1" */
const char *sentence_of_cycle(const struct reads *r, const struct dependency *cycle, size_t count);
const char *sentence_of_fault(const struct reads *r);
/* A summary. */
const char *sentence_of_anomaly(const struct reads *r, enum anomaly anomaly,
                                const struct dependency *cycle, size_t count);

#endif
