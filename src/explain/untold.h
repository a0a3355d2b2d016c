/*
 * untold: of which keys queries can tell nothing any more, when operations are left out.
 *
 * What a query tells of a key is explained by what the last writer before it left. If that
 * write may have gone, somebody else's would have to explain it, which would make up a
 * violation. So the key becomes an exception of the query, unless nothing that is left
 * contradicts what it tells.
 *
 * What an open update (open.h) leaves rests on all who wrote the key. If one of them goes, the
 * key is lost: no query speaks of it any more, and reduce.h lets all reads of it go.
 *
 * Cost. Linear in the history; for each query, in the keys of which something went, and
 * their writes.
 */
#ifndef ALIBI_EXPLAIN_UNTOLD_H
#define ALIBI_EXPLAIN_UNTOLD_H

#include "history/open.h"

struct untold {
	struct pool *pool;
	const struct history *h;
	const bool *keep;
	uint32_t *txn_of_op;
	uint32_t *write_first, *writes; /* by key: operations */
	VEC(uint32_t) touched;          /* keys of which a write or a row of a query went */
	VEC(uint32_t) unwritten;        /* keys that nobody writes, but which are there */
	VEC(uint32_t) found;
	const bool *lost; /* by key; NULL: none is */
};

/* By key: it is lost. NULL: there are no open updates. */
bool *untold_lost(struct pool *pool, const struct history *h, const bool *keep);

void untold_init(struct untold *u, struct pool *pool, const struct history *h, const bool *keep);

/* Fills found with the exceptions of a query that stays, its own among them. */
void untold_except(struct untold *u, const struct query *q);
/* Fills found with keys without any operation of which what it tells is wrong. */
void untold_alone(struct untold *u, const struct query *q);

#endif
