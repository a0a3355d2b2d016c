/*
 * batch: the builder's numbers for keys become the stream's.
 *
 * A builder numbers its own keys and values. Before the transactions of a batch arrive, its keys
 * are looked up, those of many transactions together, so that the cache misses overlap. What the
 * batch declares about keys (they are lists, or have initial values) is recorded, and what
 * cannot be watched is rejected.
 */
#ifndef ALIBI_STREAM_CORE_BATCH_H
#define ALIBI_STREAM_CORE_BATCH_H

#include "stream/core/core.h"

/* Makes b the batch that is arriving. */
void batch_begin(struct stream *s, const struct builder *b);
/* Looks up the keys of all transactions up to this one. */
void batch_look_up(struct stream *s, uint32_t txn);
_Noreturn void batch_reject(const struct stream *s, const char *why);

/* Behind the last operation of a transaction. */
static inline uint32_t batch_op_end(const struct stream *s, uint32_t txn)
{
	const struct builder *b = s->batch.b;
	return txn + 1 < b->txns.count ? b->txns.items[txn + 1].first_op : (uint32_t)b->ops.count;
}

/* The key of an operation; ID_NONE: it belongs to another shard. */
static inline uint32_t batch_key(const struct stream *s, uint32_t op)
{
	return s->batch.keys.items[op_key(s->batch.b->ops.items[op])];
}

#endif
