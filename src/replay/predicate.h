/*
 * predicate: which rows a query matches, and what an update makes of a row.
 *
 * Problem. A verdict about queries rests on these two questions. The search answers them from
 * tables made in advance (history/where.h, history/opaque_update.h), and evidence must not be
 * judged by the code that found it.
 *
 * Idea. The definitions of docs/history-format.md, applied to the cells of a row each time they
 * are asked for. What an update makes is computed as cells; an index of all values by their
 * cells then says which value that is.
 *
 * Invariants.
 * 1. No two values have the same cells. Where they do (or only their hashes collide), the index
 *    is ambiguous and answers PREDICATE_LOST for all updates.
 *
 * Along an order, a query is asked of all keys of its relation. So the cells that are compared
 * are kept by column, and the first comparison of a query leaves few keys to look at.
 *
 * Cost. A comparison looks at the cells of one row. 16 bytes a key and column. The index takes 12
 * to 24 bytes a value, and is made when it is first needed.
 */
#ifndef ALIBI_REPLAY_PREDICATE_H
#define ALIBI_REPLAY_PREDICATE_H

#include "base/map.h"
#include "history/query.h"
#include "replay/numeral.h"

/* Instead of the value that an update makes of a row: */
#define PREDICATE_NEVER OPAQUE_NEVER      /* it fails: the column is no number */
#define PREDICATE_LOST (OPAQUE_NEVER - 1) /* the history has no such value */

/* A cell as it is compared: integers and booleans by their number, others by their text. */
struct plain {
	enum alibi_kind kind;
	uint32_t cell;
	int64_t integer;
};

/* Does a key that holds this value match the query? */
bool predicate_matches(const struct history *h, const struct query *q, uint32_t value);

/* What all keys hold in the columns that queries compare. */
enum { COLUMNS_MAX = 8 };
struct columns {
	const struct history *h;
	uint32_t count, columns[COLUMNS_MAX];
	struct plain *cells[COLUMNS_MAX]; /* by key */
};

void columns_init(struct columns *k, struct pool *pool, const struct history *h);
void columns_set(struct columns *k, uint32_t key, uint32_t value);
/* The place of a column, or count. */
static inline uint32_t columns_find(const struct columns *k, uint32_t column)
{
	uint32_t i = 0;
	while (i < k->count && k->columns[i] != column)
		i++;
	return i;
}
/* The first of these keys from `at` on of which the query's first comparison is true. */
size_t columns_next(const struct columns *k, const struct query *q, const uint32_t *keys,
                    size_t count, size_t at);

/* A cell of a row: an integer, the number of a decimal, or that of the cell. */
struct content {
	uint32_t column;
	enum alibi_kind kind;
	int64_t is;
};

typedef VEC(struct content) content_vec; /* of a row: sorted by column, none of them NULL */

struct updates {
	struct pool *pool;
	const struct history *h;
	content_vec made, reported;
	struct atoms decimals; /* those met so far */
	numeral_text sum;
	struct map value_of; /* by the hash of its cells: a value */
	bool indexed, ambiguous;
};

void updates_init(struct updates *u, struct pool *pool, const struct history *h);

/* If a key holds this value, does the query report it as it does? row: the operation among its
 * rows that is about the key, or ID_NONE. */
bool predicate_explains(struct updates *u, const struct query *q, uint32_t row, uint32_t value);
/* What the update makes of a row that it matches. */
uint32_t predicate_makes(struct updates *u, const struct query *q, uint32_t value);

#endif
