/*
 * timestamps: the engine that replays the database's timestamps.
 *
 * Problem. Transactions arrive out of order, from many collectors, and no message says that the
 * last one that matters has come. The verdict about a read must wait for every commit that the
 * read may have seen, and versions that cannot be read any more must be collected.
 *
 * Idea (after Aion). Two moments of the database's clock divide the stream.
 *   watermark  no transaction that commits at or before it comes any more. The reads of a
 *              transaction are checked when the watermark passes its snapshot, once and for good.
 *   horizon    no transaction that starts before it comes any more. The versions of a key before
 *              it are collapsed into one (versions.h).
 * Both follow the newest commit at a distance that the user chooses, or come from outside.
 * Conflicts with other writers, and session order, are checked on arrival. So each pair of
 * writers and each read is checked exactly once, and there is no state for each timestamp.
 *
 * The rules are those of replay.h, with the order of the timestamps; the order of arrival stands
 * for the order of the file. So a session's transactions arrive in session order, and the
 * verdicts are those of check --order timestamps on the file in the order of arrival.
 *
 * What cannot be decided is reported: a transaction that commits at or before the watermark is
 * late and not checked, and reads since then of the keys it writes are not verified. One that
 * starts before the horizon reads versions that are collected.
 *
 * Invariants.
 * 1. An unchecked transaction in the queue started at or after the horizon when it arrived, and
 *    no key's base is newer than the horizon of the first unchecked one.
 * 2. Transactions are checked, and then dropped, in order of arrival. The writes of a dropped one
 *    are in the bases.
 * 3. An id is known from arrival until its transaction is dropped: a second one is a duplicate.
 */
#ifndef ALIBI_STREAM_TIMESTAMPS_TIMESTAMPS_H
#define ALIBI_STREAM_TIMESTAMPS_TIMESTAMPS_H

#include "stream/core/inflight.h"

/* What a transaction did to a list key up to one of its operations. */
struct list_step {
	uint32_t previous;   /* its operation on this key before that, or ID_NONE */
	uint32_t appended;   /* elements */
	uint32_t base_op;    /* the read that shows the base of the list, or ID_NONE, … */
	uint32_t base_count; /* … and its length */
};

struct timestamps {
	struct stream *s;
	alibi_stamp horizon;
	struct inflight *first, *unchecked, *last; /* the queue, in order of arrival */
	struct table sessions;                     /* sessions.h */
	size_t sessions_left;                      /* by the last sweep */
	VEC(struct session *) batch_sessions; /* by session of the batch; NULL: not looked up */
	struct table unknown;                 /* unknown.h */
	struct table unrefuted;               /* unrefuted.h */
	bool any_list;
	VEC(struct list_step) steps; /* by operation of the transaction being checked */
};

extern const struct engine timestamps_engine;

/* The moment at which a transaction reads. */
static inline alibi_stamp read_moment(const struct stream *s, const struct inflight *t)
{
	return s->snapshot ? t->start : t->commit;
}

#endif
