/*
 * events: findings, with sentences in the user's own ids.
 *
 * An event's id is a digest of its subject: level, kind, transactions and their times, key,
 * operation, and the value found. All of that comes from the stream, so the id does not depend on
 * when or on how many threads the stream is watched. In another stream the id differs, although
 * transactions without ids have the same numbers there.
 */
#ifndef ALIBI_STREAM_CORE_EVENTS_H
#define ALIBI_STREAM_CORE_EVENTS_H

#include "findings/findings.h"
#include "replay/replay.h"
#include "stream/core/inflight.h"

/* What goes into an event's id besides the event itself. */
struct event_mark {
	uint32_t op;              /* + 1; 0: it is not about an operation */
	alibi_stamp at, other_at; /* the times of its transactions, if they have any */
	const char *text;         /* or NULL */
};

void event_add(struct stream *s, alibi_watch_event e, enum mismatch_kind kind,
               struct event_mark mark);
void event_unverified(struct stream *s, alibi_watch_event e, enum alibi_watch_reason why,
                      struct event_mark mark);
/* About a transaction; text: the sentence behind its name. */
void event_unverified_txn(struct stream *s, alibi_watch_event e, const struct inflight *t,
                          enum alibi_watch_reason why, alibi_stamp at, const char *text);
const alibi_watch_event *event_next(struct stream *s); /* NULL: no more */

/* For the texts of events. */
struct pool *event_pool(struct stream *s);
const char *event_value_text(struct pool *pool, struct value v);
const char *event_txn_text(struct pool *pool, const char *id);
const char *event_stamp_text(struct pool *pool, alibi_stamp stamp);
/* A late transaction: which one moved the newest `end` past its end, if a single one did; or "". */
const char *event_who_moved(struct stream *s, const struct inflight *late, const char *end);

#endif
