/*
 * rows: what all keys hold now, and which of them match a query.
 *
 * For those who walk along an order: each write is entered, and each query is asked in
 * between. What is compared is kept by column, as ranks (where.h), so that a comparison of
 * a whole relation is one pass over an array of small numbers.
 *
 * Cost. 4 bytes a key, and as many for each column that is compared, up to ROWS_COLUMNS; a
 * query takes about a nanosecond for each key of its relation, and more for those that match.
 */
#ifndef ALIBI_ORDER_ROWS_H
#define ALIBI_ORDER_ROWS_H

#include "history/where.h"

struct rows {
	struct pool *pool;
	const struct history *h;
	size_t keys;
	const uint32_t *number_of;    /* by key of the history: its number here; NULL: the same */
	uint32_t *value;              /* by number: what it holds */
	uint32_t *rank[ROWS_COLUMNS]; /* by number, of the cell in x->compared[…] */
	VEC(uint32_t) found;          /* keys of the history */
};

/* All keys are absent. */
void rows_init(struct rows *r, struct pool *pool, const struct history *h, size_t keys,
               const uint32_t *number_of);
void rows_set(struct rows *r, uint32_t number, uint32_t value);
/* Makes r hold what `as` holds, which has the same keys. */
void rows_copy(struct rows *r, const struct rows *as);
/* Fills found with the keys of the query's relation whose rows match. */
void rows_match(struct rows *r, const struct query *q);

#endif
