/*
 * subset: some operations of a history as a history of its own.
 *
 * Transactions without any of them are left out. Ids, sessions, times, statuses, infos and
 * initial values are copied; annotations are not. Every transaction has an explicit id, so
 * that the user recognises it.
 *
 * An element of a list that was read is removed if it was appended and none of its appends
 * is kept. An element that was never appended stays. A read whose list was cut no longer
 * names its writer.
 *
 * Rows of a kept query may be dropped; the keys that it no longer covers become exceptions
 * (exceptions.h). Rows of a dropped query are plain reads and writes.
 *
 * Cost. Linear in the history, except for queries.
 */
#ifndef ALIBI_EXPLAIN_SUBSET_H
#define ALIBI_EXPLAIN_SUBSET_H

#include "base/ids.h"
#include "history/history.h"

struct subset {
	struct history *h;
	uint32_t *origin; /* by operation: its index in the whole history */
	bool cut;         /* elements were removed from lists */
};

/* keep: by operation. A kept read that names its writer needs one of the writer's
 * operations to be kept. */
struct subset subset_of(struct pool *pool, const struct history *h, const bool *keep);
/* s is a subset of a subset: makes its origins those of the whole history. outer: the
 * origins of the outer subset, or NULL if that is the whole history. */
void subset_rebase(struct subset *s, const uint32_t *outer);

/* The whole history, in which these, by transaction, write a key of their own
 * (placeholder.h). */
const struct history *subset_with_placeholders(struct pool *pool, const struct history *h,
                                               const bool *empty);
/* All transactions, each with a placeholder write only: what is left is their order by
 * session and time. */
const struct history *subset_order_only(struct pool *pool, const struct history *h);

/* A row that an opaque update (opaque_update.h) is assumed to have changed, and its new value. */
struct assumed_row {
	uint32_t op, key, value; /* op: the update */
};
/* The whole history, in which the opaque updates changed exactly these rows. */
const struct history *subset_with_rows(struct pool *pool, const struct history *h,
                                       const struct assumed_row *rows, size_t count);

#endif
