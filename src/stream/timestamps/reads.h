/*
 * reads: checks the reads of one transaction, when every version they may have seen has arrived.
 *
 * The rules are those of replay.c, in the same order, but over versions instead of a state. What
 * the transaction itself did before is found through its keys: each key has the operation that
 * was checked last.
 */
#ifndef ALIBI_STREAM_TIMESTAMPS_READS_H
#define ALIBI_STREAM_TIMESTAMPS_READS_H

#include "stream/timestamps/timestamps.h"

void reads_check(struct timestamps *e, struct inflight *t);

#endif
