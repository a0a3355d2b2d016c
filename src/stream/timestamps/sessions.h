/*
 * sessions: session order, by timestamps.
 *
 * A session's transactions arrive in session order. Of each session the last committed
 * transaction is remembered, as long as a transaction that is not late may start before its
 * commit.
 */
#ifndef ALIBI_STREAM_TIMESTAMPS_SESSIONS_H
#define ALIBI_STREAM_TIMESTAMPS_SESSIONS_H

#include "stream/timestamps/timestamps.h"

/* Before the transactions of a batch; drops sessions that are over. */
void sessions_begin_batch(struct timestamps *e);
/* A committed transaction that is not late, in this session of the batch. */
void sessions_check(struct timestamps *e, struct inflight *t, uint32_t session);
/* The queue must be loaded. */
void sessions_codec(struct timestamps *e, struct codec *c);

#endif
