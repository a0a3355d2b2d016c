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
/* "the same with T1 and T2 exchanged" */
const char *sentence_of_exchange(const struct reads *r, uint32_t a, uint32_t b);
const char *sentence_of_key(const struct reads *r, uint32_t key); /* ID_NONE: NULL */
const char *sentence_of_fault(const struct reads *r);
/* A summary. */
const char *sentence_of_anomaly(const struct reads *r, enum anomaly anomaly,
                                const struct dependency *cycle, size_t count);

#endif
