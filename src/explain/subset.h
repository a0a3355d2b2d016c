/*
 * subset: some operations of a history as a history of its own.
 *
 * Transactions without any of them are not in it. Ids, sessions, times, statuses,
 * infos and initial values stay; annotations do not. Every transaction has its id
 * written down, so that the user finds it again.
 *
 * Of a list that was read, an element goes if it was appended and none of its
 * appends stays. An element that nobody ever appended stays. A read of which
 * elements went no longer names its writer.
 *
 * Of a query that stays, rows may go; it tells nothing then of keys of which it cannot
 * (untold.h). Rows whose query goes are plain reads and writes.
 *
 * Cost. Linear in the history, but for queries.
 */
#ifndef ALIBI_EXPLAIN_SUBSET_H
#define ALIBI_EXPLAIN_SUBSET_H

#include "history/history.h"

struct subset {
	struct history *h;
	uint32_t *origin; /* by operation: which one of the whole history it is */
	bool cut;         /* elements of lists went */
};

/* keep: by operation. A read that stays and names its writer needs one of the
 * writer's operations to stay. */
struct subset subset_of(struct pool *pool, const struct history *h, const bool *keep);

/* The whole history, in which these, by transaction, write a key of their own (idle.h). */
const struct history *subset_busy(struct pool *pool, const struct history *h, const bool *busy);
/* All of its transactions, but of each only that it was there, as a write of such a key. */
const struct history *subset_bare(struct pool *pool, const struct history *h);

/* A row that an open update (open.h) is taken to have changed: the query, and what it made. */
struct told_row {
	uint32_t op, key, value;
};
/* The whole history, in which all open updates tell their rows: these. */
const struct history *subset_told(struct pool *pool, const struct history *h,
                                  const struct told_row *rows, size_t count);

#endif
