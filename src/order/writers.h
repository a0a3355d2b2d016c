/*
 * writers: the writers of each key, and which of them explain what a query returned.
 *
 * Cost. 8 bytes a write, 4 a key.
 */
#ifndef ALIBI_ORDER_WRITERS_H
#define ALIBI_ORDER_WRITERS_H

#include "order/problem.h"

typedef VEC(uint32_t) slot_vec;

struct writers {
	struct pool *pool;
	const struct problem *p;
	uint32_t *first;  /* by key, one more at the end: a range of writes */
	uint32_t *writes; /* in problem.writes, by key, in the order of the history */
	uint32_t *slot;   /* by write */
	slot_vec explain; /* what writers_explain() returned last */
};

void writers_index(struct writers *w, struct pool *pool, const struct problem *p);

/* The slots other than the reader whose final write of the key explains what the query says of
 * it: its row, or, if that is ID_NONE, that it is not among the rows. Valid until the next call. */
slot_vec *writers_explain(struct writers *w, const struct query *q, uint32_t key, uint32_t row,
                          uint32_t reader);

#endif
