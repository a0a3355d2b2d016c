/*
 * query: reads and writes with WHERE: what they ask for, and what they report.
 *
 * A query asks for all keys of a relation at once: those that are among its rows, and
 * those that are not, which must not have matched. In the history it is a read of a key
 * of its own that is never written, so code that ignores queries sees an ordinary read.
 * Its rows follow: reads, or, of an update, the writes it made. All else about it stands
 * in a side table, by that operation.
 *
 * Rows are flat objects; a value that is none is a row with one column, "value". The
 * columns that matter are taken apart once, when the history is finished: cells. Logic is
 * that of SQL: a missing column is NULL, what compares different types is unknown, and
 * only what is true matches. Strings compare by their bytes. An absent row never matches.
 * A condition is a comparison, or "and", "or" or "not" followed by all conditions within.
 * This is the data; it is evaluated twice, by where.h for the search and by
 * replay/predicate.h for the verifier.
 *
 * The relation of a key is what stands before the first "/" of a string; lists belong to
 * none. A query without a relation asks for all keys.
 *
 * Invariants.
 * 1. list is sorted by op; the rows of a query are the operations behind it, of different
 *    keys, all of its relation.
 * 2. The exceptions of a query are sorted.
 *
 * Cost. 48 bytes a query, 8 a cell; a comparison is a look at the few cells of a row.
 */
#ifndef ALIBI_HISTORY_QUERY_H
#define ALIBI_HISTORY_QUERY_H

#include "base/map.h"
#include "history/history.h"

#define COMPARISONS(X)                                                                             \
	X(EQUAL, "=")                                                                              \
	X(DIFFERENT, "!=")                                                                         \
	X(LESS, "<")                                                                               \
	X(AT_MOST, "<=")                                                                           \
	X(MORE, ">")                                                                               \
	X(AT_LEAST, ">=")                                                                          \
	X(IN, "in")                                                                                \
	X(BETWEEN, "between")                                                                      \
	X(IS_NULL, "is-null")                                                                      \
	X(IS_NOT_NULL, "is-not-null")                                                              \
	X(LIKE, "like") /* the constant is the prefix, without the % */                            \
	X(AND, "and")   /* from here on: of conditions */                                          \
	X(OR, "or")                                                                                \
	X(NOT, "not")

#define X(name, text) COMPARE_##name,
enum comparison_kind { COMPARISONS(X) COMPARISON_COUNT };
#undef X

struct comparison {
	enum comparison_kind kind;
	uint32_t column;
	uint32_t first, count; /* in constants; of AND, OR and NOT, count comparisons are within */
};

static inline bool joins(const struct comparison *c)
{
	return c->kind >= COMPARE_AND;
}

/* A condition takes so many comparisons. */
static inline uint32_t condition_size(const struct comparison *c)
{
	return 1 + (joins(c) ? c->count : 0);
}

/* column = constant, or = plus + constant */
struct assignment {
	uint32_t column, constant;
	uint32_t plus; /* a column; ID_NONE: none */
};

struct cell {
	uint32_t column, value;
};

enum query_kind { QUERY_SELECT, QUERY_UPDATE, QUERY_DELETE };

struct query {
	uint32_t op, rows;
	enum query_kind kind;
	uint32_t relation; /* in relations; ID_NONE: all keys */
	uint32_t comparison, comparisons;
	uint32_t assignment, assignments;
	uint32_t except, excepts; /* keys of which it reports nothing */
	bool opaque;              /* which rows it changed is not known */
};

struct queries;
/* Adds the cells of a row to x->taken. Rows are JSON, which only format/ reads. */
typedef void row_reader(struct pool *pool, alibi_value row, struct queries *x);

struct queries {
	uint32_t key; /* that queries read */
	VEC(struct query) list;
	struct atoms relations, columns, cells; /* cells: values of columns, and constants */
	VEC(struct comparison) comparisons;
	VEC(uint32_t) constants;
	VEC(struct assignment) assignments;
	VEC(uint32_t) except;

	/* Made when the history is finished: */
	uint32_t opaque_txn; /* one with an opaque update that may have committed; or ID_NONE */
	uint32_t relation_count;
	uint32_t *relation_of;    /* by key; ID_NONE: of none */
	const bool *asked;        /* by key: queries ask for it, if it is of their relation */
	uint32_t *first, *keys;   /* the keys of each relation; behind the last one, all */
	VEC(uint32_t) cell_first; /* by value, one more at the end */
	VEC(struct cell) of_rows;
	row_reader *read_row;
	VEC(struct cell) taken;

	struct ranks *ranks; /* for the search: where.h */
	/* Of opaque updates: opaque_update.h. */
	struct map made;         /* by query + 1 and value: what becomes of it */
	size_t made_values;      /* behind those that the history names */
	bool opaque_too_many;    /* values can come about, so that some are missing */
	VEC(uint32_t) reach_txn; /* those that reach a key, … */
	uint32_t *reach_first;   /* … by key, one more at the end */
	uint32_t *reach_key;     /* the keys that one reaches, … */
	uint32_t *reached_first; /* … by transaction, one more at the end */
};

/* Instead of the value that is left: */
#define OPAQUE_KEPT (UINT32_MAX >> 1)        /* the key was not written */
#define OPAQUE_NEVER ((UINT32_MAX >> 1) - 1) /* that cannot have been met */

/* Has it an update that does not report its rows? */
static inline bool has_opaque(const struct history *h)
{
	return h->queries && h->queries->opaque_txn != ID_NONE;
}

/* The query that the operation stands for, or NULL. */
const struct query *query_at(const struct history *h, uint32_t op);
/* The query among whose rows the operation is, or NULL. */
const struct query *query_with_row(const struct history *h, uint32_t op);

static inline bool is_query(const struct history *h, uint32_t op)
{
	return h->queries && op_key(h->ops[op]) == h->queries->key;
}

/* Those it may ask for; its exceptions are among them. */
const uint32_t *query_keys(const struct history *h, const struct query *q, size_t *count);
/* Its exceptions. */
const uint32_t *query_except(const struct history *h, const struct query *q);
/* Does it ask for the key? */
bool query_asks(const struct history *h, const struct query *q, uint32_t key);
/* The operation among its rows that is about the key, or ID_NONE. */
uint32_t query_row(const struct history *h, const struct query *q, uint32_t key);

/* What a row has in a column; ATOM_NULL: nothing. */
uint32_t query_cell(const struct queries *x, uint32_t value, uint32_t column);
/* Is it the column of values that are no rows? */
bool query_is_value(const struct queries *x, uint32_t column);
/* For the builder: a history may have queries from here on; and, at its end, what is said
 * above. Returns what is wrong with the rows of query *which, about *key, or NULL. */
void queries_init(struct history *h, row_reader *read_row);
const char *queries_finish(struct history *h, size_t *which, uint32_t *key);
/* No value, column or cell is added any more. */
void queries_seal(struct history *h);
/* For opaque_update.c: takes apart the values that are new. */
void queries_take_apart(struct history *h);

#endif
