/*
 * changes: what updates that do not tell their rows may have changed.
 *
 * A small history with such updates is explained by cases: each is a history in which they
 * do tell, one for each way in which they can have met what is there (open.h). In one of
 * these cases the whole history happened, so that a contradiction in all of them is one.
 *
 * Cost. As many cases as there are ways for each transaction and key, multiplied; with more
 * than CHANGES_MAX there are none.
 */
#ifndef ALIBI_EXPLAIN_CHANGES_H
#define ALIBI_EXPLAIN_CHANGES_H

#include "explain/subset.h"

enum { CHANGES_MAX = 512 };

struct changes {
	uint32_t count; /* of cases; 0: there are too many */
	const struct history *const *h;
	const char *const *assumption; /* in words */
};

struct changes changes_of(struct pool *pool, const struct history *h);

#endif
