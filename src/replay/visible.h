/*
 * visible: replays an order of commits at the levels that have no common state.
 *
 * At read committed, read atomic and causal consistency (Biswas and Enea's) a
 * transaction reads, of the writers of a key that are visible to it, the last one in
 * the order. What is visible (enum visibility)?
 *   VISIBLE_EARLIER  (rc) the transactions from which it read before
 *   VISIBLE_DIRECT   (ra) those from which it reads, and those before it in its session
 *   VISIBLE_CAUSAL   (cc) these, what is visible to them, and so on
 * So an order alone is not enough: where a value has several candidate writers, the
 * certificate has to choose one.
 *
 * What is replayed, besides SESSION and INT, which the kernel does:
 *   - the writer of a read is a candidate, and before the reader;
 *   - no visible writer of the key is behind it.
 * A list shows the first appenders of its key in the order, and is read from the
 * last of them.
 *
 * Cost. Reads and writes, and for each read from another transaction the smaller
 * of both; causally, rows of clocks (a number a transaction and a chain of
 * transactions that see each other) and the chains that write the key.
 */
#ifndef ALIBI_REPLAY_VISIBLE_H
#define ALIBI_REPLAY_VISIBLE_H

#include "replay/replay.h"

/* chosen: sorted by operation, for reads with several candidates. False: the order does
 * not hold, for this transaction if no other. */
bool replay_visible(struct pool *pool, const struct history *h, struct replay_rules rules,
                    const replay_event *events, size_t count, const struct read_from *chosen,
                    size_t chosen_count, uint32_t *wrong);

#endif
