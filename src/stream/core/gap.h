/*
 * gap: a part of the stream was lost before it could be read.
 *
 * Problem. The lost transactions may have written any key, and may have ended at any time since
 * the watermark. Without them a read is checked against the wrong last writer, so each such read
 * looks like a violation.
 *
 * Idea. What was lost came before what comes now, so there is a moment by which it had ended:
 * when the watermark passes the first end that came after the gap, all that was lost ended
 * before the newest end so far (`until`). By fences, that moment is the latest fence when each
 * session has made one since. A write after that moment overwrites whatever was lost, and from
 * then on reads of the key are checked again. Other reads prove nothing: by timestamps a
 * mismatch is undecided, in rounds the read is ignored. Lists stay undecided, because a lost
 * element stays in them.
 *
 * Violations reported before the gap may be explained by a lost transaction, so the verdict no
 * longer rests on them (timestamps/unrefuted.h). Conflicts, session order, and what a transaction
 * read of its own are checked as before.
 *
 * Two assumptions: lost transactions of unknown outcome are over with the others; and, by fences,
 * no session began and ended within the gap.
 */
#ifndef ALIBI_STREAM_CORE_GAP_H
#define ALIBI_STREAM_CORE_GAP_H

#include "stream/core/core.h"

/* Messages with these numbers were lost; with several shards only the first reports it. */
void gap_begin(struct stream *s, uint64_t from, uint64_t until, bool report);
/* A committed transaction ended at this moment, which is in s->progress. */
void gap_follow(struct stream *s, alibi_stamp end);
/* All that was lost ended at or before this. */
void gap_close(struct stream *s, alibi_stamp until);
void gap_codec(struct gap *g, struct codec *c);

#endif
