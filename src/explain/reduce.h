/*
 * reduce: a minimal part of a history that still violates the level.
 *
 * Delta debugging. Transactions are dropped, then operations, in ever smaller groups; each
 * time the checker decides whether the rest still violates. In the end no single
 * transaction or operation can be dropped.
 *
 * Soundness. Dropping must not invent a violation. So a write is dropped only together with
 * all reads of its value, and with the later reads of its key by its own transaction. Then
 * every order that explains the whole also explains the part: a read returns the last write
 * before it; all its candidate writers are kept (behind an own write of the key there are no
 * others); and dropping adds no write in between. A
 * violation of the part is therefore one of the whole, and a garbage read of the part is one
 * of the whole. Open updates depend on more than that: see exceptions.h.
 *
 * Lists. Reads of long lists would keep all appenders. Where those are too many, an append
 * may be dropped together with its element in all lists read. That is sound, too, if all
 * appends of that element are dropped.
 *
 * Cost. Checks of a small history: about n log n for n operations.
 */
#ifndef ALIBI_EXPLAIN_REDUCE_H
#define ALIBI_EXPLAIN_REDUCE_H

#include "check/check.h"
#include "explain/subset.h"

/* Drops reads whose writer was dropped. keep: by operation. */
void reduce_close(struct pool *pool, const struct history *h, bool *keep);

/* h violates. The result is allocated in pool. prefer: by transaction: drop these last; NULL:
 * no preference. */
struct subset reduce_history(struct pool *pool, const struct history *h,
                             const struct check_options *options, const bool *prefer);

#endif
