/*
 * exceptions: keys that a query no longer covers once operations are left out.
 *
 * The result of a query at a key is explained by the last write before it. If that write may
 * have been dropped, another one would have to explain the result, which would invent a
 * violation. So the key becomes an exception of the query, unless no remaining write
 * contradicts the result.
 *
 * The outcome of an opaque update (opaque_update.h) depends on every writer of the key. If one of
 * them is dropped, the key is lost: it is an exception of every query, and reduce.h drops all reads
 * of it.
 *
 * Cost. Linear in the history; for each query, in the affected keys and their writes.
 */
#ifndef ALIBI_EXPLAIN_EXCEPTIONS_H
#define ALIBI_EXPLAIN_EXCEPTIONS_H

#include "base/ids.h"
#include "history/opaque_update.h"

struct exceptions {
	struct pool *pool;
	const struct history *h;
	const bool *keep; /* by operation */
	uint32_t *txn_of_op;
	uint32_t *write_first, *writes; /* by key: operations */
	VEC(uint32_t) touched;          /* keys with a dropped write or query row */
	VEC(uint32_t) unwritten;        /* keys without kept writes that exist nevertheless */
	VEC(uint32_t) found;
	const bool *lost; /* by key; NULL: none is */
};

/* By key: is it lost? NULL: there are no opaque updates. */
bool *exceptions_lost(struct pool *pool, const struct history *h, const bool *keep);

void exceptions_init(struct exceptions *x, struct pool *pool, const struct history *h,
                     const bool *keep);

/* Fills found with the exceptions of a query that is kept, including its own. */
void exceptions_of_query(struct exceptions *x, const struct query *q);
/* Fills found with keys without kept writes on which the query result is wrong. */
void exceptions_unwritten(struct exceptions *x, const struct query *q);

#endif
