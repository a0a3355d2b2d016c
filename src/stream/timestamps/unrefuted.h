/*
 * unrefuted: reported misreads that no later arrival may explain.
 *
 * Problem. A read is checked when every version that it may have seen should have arrived. A
 * transaction that wrote the key and arrives after that, too late or without timestamps, may
 * explain the read. The report cannot be taken back, but the verdict must not rest on it.
 *
 * Idea. For each key with a violating read, the moment of the first such read is remembered. It
 * is the hardest one to explain: a writer that may explain it may explain all later ones. When
 * such a writer arrives, the key is removed. Conflicts, session order, and what a transaction
 * read of its own stay violations whatever arrives.
 *
 * Cost. A block for each misread key, up to UNREFUTED_MAX; the verdict does not rest on more.
 */
#ifndef ALIBI_STREAM_TIMESTAMPS_UNREFUTED_H
#define ALIBI_STREAM_TIMESTAMPS_UNREFUTED_H

#include "stream/timestamps/timestamps.h"

/* A read of the key, at this moment, violates the level. */
void unrefuted_add(struct timestamps *e, uint32_t key, alibi_stamp moment);
/* Removes what the writes of t may explain; from: they may be seen from then on, NULL: at any
 * time. */
void unrefuted_remove(struct timestamps *e, const struct inflight *t, const alibi_stamp *from);
void unrefuted_clear(struct timestamps *e);
void unrefuted_codec(struct timestamps *e, struct codec *c);

#endif
