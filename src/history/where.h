/*
 * where: which rows a query matches, for the search.
 *
 * Problem. A search along an order asks each query of all keys of its relation, again and again.
 *
 * Idea. Cells that are compared have ranks, all types together, NULL first. So a comparison is
 * true of an interval of ranks, and takes one look at a number. It is false of two others, and
 * unknown of the rest. Under a NOT, the question is whether conditions are false, with AND for OR;
 * so unknown needs no value of its own. The verifier does not rely on ranks: it compares values,
 * and computes with three truth values (replay/predicate.h).
 *
 * Cost. Sorting the cells that are compared, once; 4 bytes a cell, 32 a comparison.
 */
#ifndef ALIBI_HISTORY_WHERE_H
#define ALIBI_HISTORY_WHERE_H

#include "history/query.h"

enum { ROWS_COLUMNS = 8 };

/* The ranks of which a comparison is true, and those of which it is false; not of IN. */
struct interval {
	uint32_t low, high; /* none: low > high */
	uint32_t but;       /* … but for this one; 0: none */
	uint32_t place;     /* of its column in compared, or ROWS_COLUMNS: it is not there */
	struct {
		uint32_t low, high;
	} not [2];
};

struct ranks {
	uint32_t *of_cell;
	struct interval *of_comparison;
	uint32_t compared[ROWS_COLUMNS], compared_count; /* the first columns that are compared */
};

/* The rank of what a row has in a column. */
uint32_t query_rank(const struct queries *x, uint32_t value, uint32_t column);
/* Does a row match? */
bool query_matches(const struct history *h, const struct query *q, uint32_t value);
/* The same before cells have ranks. */
bool query_matches_unranked(const struct queries *x, const struct query *q, uint32_t value);
/* If a key holds this value, does the query report it as it does? row: the operation among its
 * rows that is about the key, or ID_NONE. */
bool query_explains(const struct history *h, const struct query *q, uint32_t row, uint32_t value);

/* For the builder: makes the ranks. */
void where_rank(struct history *h);

#endif
