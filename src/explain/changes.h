/*
 * changes: what opaque updates may have changed.
 *
 * An opaque update (opaque_update.h) was recorded without its rows. A small history with such
 * updates is explained by cases. Each case is a history in which the rows are known, one for each
 * combination of versions that the updates can have found. One of the cases is what happened,
 * so a contradiction in all of them refutes the history.
 *
 * Cost. The number of cases is the product of the outcomes for each transaction and key. With
 * more than CHANGES_MAX there are none.
 */
#ifndef ALIBI_EXPLAIN_CHANGES_H
#define ALIBI_EXPLAIN_CHANGES_H

#include "explain/subset.h"

enum { CHANGES_MAX = 512 };

struct changes {
	uint32_t count; /* of cases; 0: too many */
	const struct history *const *h;
	const char *const *assumption; /* in words */
};

struct changes changes_of(struct pool *pool, const struct history *h);

#endif
