/*
 * queries: the part of the kernel that looks at queries.
 *
 * See replay.h for the rule. A query is looked at where it stands among the operations of
 * its transaction: it finds what that wrote before, and of other keys the state.
 *
 * Keys that the transaction writes itself are looked at one by one. Of all others it sees
 * what they hold now.
 *
 * An update that does not report its rows (opaque.h) changes all that match, which is written at
 * the commit. What the transaction then reports of these keys rests on the state: EXT.
 *
 * Cost. For each query, its rows, what its transaction writes, and a look at the keys
 * of its relation.
 */
#ifndef ALIBI_REPLAY_QUERIES_H
#define ALIBI_REPLAY_QUERIES_H

#include "replay/replayer.h"

void replay_query(struct replayer *r, uint32_t txn, const struct query *q);
/* All that txn does is seen: what it leaves at the keys that it changed is final. */
void replay_keep_changes(struct replayer *r, uint32_t txn);

#endif
