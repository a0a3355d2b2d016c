/*
 * placeholder: writes for transactions that have no operations, or none that matter.
 *
 * Problem. A part of a history is chosen by operation, so an empty transaction is in no
 * part. Usually it is not needed: if A precedes it and it precedes B, by clocks or by session,
 * then A precedes B directly. Not so where a clock went back: A may precede it by session, it
 * may precede B by the clocks, and nothing else orders A before B. The same holds for a
 * transaction that ends before it begins. And a read may name a writer that writes nothing: the
 * read is wrong, but stands only in a part with the transaction that it names.
 *
 * Idea. Such a transaction writes a key that no other transaction uses.
 */
#ifndef ALIBI_EXPLAIN_PLACEHOLDER_H
#define ALIBI_EXPLAIN_PLACEHOLDER_H

#include "check/check.h"

/* The history itself if it needs no placeholders, else a copy with them. */
const struct history *placeholder_add(struct pool *pool, const struct history *h,
                                      const struct check_options *options);

#endif
