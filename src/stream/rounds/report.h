/*
 * report: the events of a round.
 *
 * The id of a counterexample is a digest of the ids of its transactions and of its text, so the
 * same rounds give the same ids.
 */
#ifndef ALIBI_STREAM_ROUNDS_REPORT_H
#define ALIBI_STREAM_ROUNDS_REPORT_H

#include "stream/rounds/rounds.h"

/* The transaction is unverified; text: the sentence behind its name. */
void report_txn(struct rounds *r, const struct window_txn *w, enum alibi_watch_reason why,
                const char *text);
void report_late(struct rounds *r, const struct window_txn *w);
/* h: the transactions of the counterexample. */
void report_counterexample(struct rounds *r, const struct history *h, const char *text);
void report_undecided(struct rounds *r, const char *reason);

#endif
