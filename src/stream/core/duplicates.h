/*
 * duplicates: transactions that are delivered again.
 *
 * A stream delivers at least once, and a transaction must be counted and checked once. It is
 * recognized by its id for as long as that is in memory. An id that names a different transaction
 * than before is an error of the collectors, and is rejected: dropping it would hide its
 * operations.
 *
 * The engine compares what it still knows: by timestamps the whole transaction, by clocks its
 * times, by fences the operations that are left. The status must always be the same, so a client
 * that retries under the id of its aborted attempt is rejected, too.
 */
#ifndef ALIBI_STREAM_CORE_DUPLICATES_H
#define ALIBI_STREAM_CORE_DUPLICATES_H

#include "stream/core/inflight.h"

/* Did this transaction of the batch arrive before? Fails if another one had its id. */
bool duplicates_has(const struct stream *s, struct value id, bool has_id, uint32_t txn);

/* For engines: are these the operations of the transaction, all of them, or some? */
bool duplicates_same_ops(const struct stream *s, const struct inflight *known, uint32_t txn);
bool duplicates_some_ops(const struct stream *s, const struct inflight *known, uint32_t txn);

#endif
