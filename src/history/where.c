/* where: see where.h. */
#include "history/where.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "history/arithmetic.h"

#include <stdlib.h>
#include <string.h>

/* ---- by ranks ---- */

uint32_t query_rank(const struct queries *x, uint32_t value, uint32_t column)
{
	return x->ranks->of_cell[query_cell(x, value, column)];
}

/* Is it so (or is it not so) that a comparison is true? Unknown is neither. */
typedef bool comparison_is(const struct queries *x, const struct comparison *c, uint32_t cell,
                           bool so);

static enum alibi_kind cell_type(const struct queries *x, uint32_t cell)
{
	return value_type(atoms_kind(&x->cells, cell));
}

/* One of the constants, or: none of them, and all can be compared. */
static bool is_in(const struct queries *x, const struct comparison *c, uint32_t cell, bool so)
{
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t constant = x->constants.items[c->first + i];
		if (so ? cell == constant && cell != ATOM_NULL
		       : cell == constant || cell_type(x, cell) != cell_type(x, constant))
			return so;
	}
	return !so;
}

static bool is_by_rank(const struct queries *x, const struct comparison *c, uint32_t cell, bool so)
{
	if (c->kind == COMPARE_IN)
		return is_in(x, c, cell, so);
	const struct interval *i = &x->ranks->of_comparison[c - x->comparisons.items];
	uint32_t rank = x->ranks->of_cell[cell];
	if (so)
		return rank >= i->low && rank <= i->high && (!i->but || rank != i->but);
	return (rank >= i->not [0].low && rank <= i->not [0].high) ||
	       (rank >= i->not [1].low && rank <= i->not [1].high);
}

/* Is a condition true, or false, of a row? */
static bool is(const struct queries *x, const struct comparison *c, uint32_t value,
               comparison_is *leaf, bool so)
{
	if (c->kind == COMPARE_NOT)
		return is(x, c + 1, value, leaf, !so);
	if (!joins(c))
		return leaf(x, c, query_cell(x, value, c->column), so);
	bool all = (c->kind == COMPARE_AND) == so, found = all;
	for (uint32_t i = 1; i <= c->count && found == all; i += condition_size(c + i))
		found = is(x, c + i, value, leaf, so);
	return found;
}

static inline bool matches_by(const struct queries *x, const struct query *q, uint32_t value,
                              comparison_is *leaf)
{
	bool all = value != ATOM_NULL;
	for (uint32_t i = q->comparison; all && i < q->comparison + q->comparisons;) {
		const struct comparison *c = &x->comparisons.items[i];
		all = joins(c) ? is(x, c, value, leaf, true)
		               : leaf(x, c, query_cell(x, value, c->column), true);
		i += condition_size(c);
	}
	return all;
}

bool query_matches(const struct history *h, const struct query *q, uint32_t value)
{
	return matches_by(h->queries, q, value, is_by_rank);
}

/* ---- before there are ranks ---- */

struct ranked {
	alibi_value v;
	uint32_t cell;
};

/* By type, then by value; strings by their bytes. */
static int by_value(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;
	enum alibi_kind left = value_type(a->v.kind), right = value_type(b->v.kind);
	if (left != right)
		return left < right ? -1 : 1;
	if (left == ALIBI_INT)
		return arithmetic_order(a->v, b->v);
	if (left != ALIBI_STRING)
		return a->v.integer < b->v.integer ? -1 : a->v.integer > b->v.integer;
	size_t shorter = a->v.length < b->v.length ? a->v.length : b->v.length;
	int order = shorter ? memcmp(a->v.text, b->v.text, shorter) : 0;
	return order ? order : a->v.length < b->v.length ? -1 : a->v.length > b->v.length;
}

static bool begins_with(alibi_value text, alibi_value prefix)
{
	return text.length >= prefix.length &&
	       (!prefix.length || !memcmp(text.text, prefix.text, prefix.length));
}

/* The same with one constant; what is unknown is neither so nor not so. */
static bool is_with(const struct queries *x, enum comparison_kind kind, uint32_t cell,
                    uint32_t constant, bool so)
{
	struct ranked a = {.v = atoms_value(&x->cells, cell)},
	              b = {.v = atoms_value(&x->cells, constant)};
	if (cell == ATOM_NULL || value_type(a.v.kind) != value_type(b.v.kind))
		return false;
	int order = by_value(&a, &b);
	switch (kind) {
	case COMPARE_EQUAL:
		return (order == 0) == so;
	case COMPARE_DIFFERENT:
		return (order != 0) == so;
	case COMPARE_LESS:
		return (order < 0) == so;
	case COMPARE_AT_MOST:
		return (order <= 0) == so;
	case COMPARE_MORE:
		return (order > 0) == so;
	case COMPARE_AT_LEAST:
		return (order >= 0) == so;
	default: /* like */
		return begins_with(a.v, b.v) == so;
	}
}

static bool is_unranked(const struct queries *x, const struct comparison *c, uint32_t cell, bool so)
{
	if (c->kind == COMPARE_IS_NULL || c->kind == COMPARE_IS_NOT_NULL)
		return ((cell == ATOM_NULL) == (c->kind == COMPARE_IS_NULL)) == so;
	if (c->kind == COMPARE_IN)
		return is_in(x, c, cell, so);
	const uint32_t *constants = x->constants.items + c->first;
	if (c->kind != COMPARE_BETWEEN)
		return is_with(x, c->kind, cell, constants[0], so);
	bool low = is_with(x, COMPARE_AT_LEAST, cell, constants[0], so),
	     high = is_with(x, COMPARE_AT_MOST, cell, constants[1], so);
	return so ? low && high : low || high;
}

bool query_matches_unranked(const struct queries *x, const struct query *q, uint32_t value)
{
	return matches_by(x, q, value, is_unranked);
}

/* ---- what an update makes of a row ---- */

static const struct assignment *assigned(const struct queries *x, const struct query *q,
                                         uint32_t column)
{
	for (uint32_t i = 0; i < q->assignments; i++)
		if (x->assignments.items[q->assignment + i].column == column)
			return &x->assignments.items[q->assignment + i];
	return NULL;
}

/* Does the update of a row that was `value` leave this cell in the column? */
static bool leaves(const struct queries *x, const struct query *q, uint32_t value, uint32_t column,
                   uint32_t cell)
{
	const struct assignment *a = assigned(x, q, column);
	if (!a)
		return cell == query_cell(x, value, column);
	if (a->plus == ID_NONE)
		return cell == a->constant;
	uint32_t left = query_cell(x, value, a->plus);
	if (left == ATOM_NULL)
		return cell == ATOM_NULL;
	if (cell_type(x, left) != ALIBI_INT || cell_type(x, cell) != ALIBI_INT)
		return false;
	return arithmetic_is_sum(atoms_value(&x->cells, cell), atoms_value(&x->cells, left),
	                         atoms_value(&x->cells, a->constant));
}

static bool makes(const struct history *h, const struct query *q, uint32_t value, uint32_t made)
{
	const struct queries *x = h->queries;
	if (q->kind == QUERY_DELETE || made == ATOM_NULL)
		return q->kind == QUERY_DELETE && made == ATOM_NULL;
	if ((atoms_kind(&h->values, value) == ALIBI_ROW) !=
	    (atoms_kind(&h->values, made) == ALIBI_ROW))
		return false;
	for (uint32_t i = x->cell_first.items[made]; i < x->cell_first.items[made + 1]; i++)
		if (!leaves(x, q, value, x->of_rows.items[i].column, x->of_rows.items[i].value))
			return false;
	for (uint32_t i = x->cell_first.items[value]; i < x->cell_first.items[value + 1]; i++) {
		uint32_t column = x->of_rows.items[i].column;
		if (!leaves(x, q, value, column, query_cell(x, made, column)))
			return false;
	}
	for (uint32_t i = 0; i < q->assignments; i++) {
		uint32_t column = x->assignments.items[q->assignment + i].column;
		if (!leaves(x, q, value, column, query_cell(x, made, column)))
			return false;
	}
	return true;
}

bool query_explains(const struct history *h, const struct query *q, uint32_t row, uint32_t value)
{
	bool matches = query_matches(h, q, value);
	if (row == ID_NONE || !matches)
		return row == ID_NONE && !matches;
	uint32_t reported = h->ops[row].value;
	return q->kind == QUERY_SELECT ? reported == value : makes(h, q, value, reported);
}

/* ---- making ranks ---- */

/* The cells that are compared, in the order of their ranks, which begin with 1. */
struct ranking {
	struct ranked *sorted;
	uint32_t count;
	uint32_t first[ALIBI_LIST + 1], last[ALIBI_LIST + 1]; /* of a type: ranks */
};

static struct ranking rank_cells(struct history *h, const bool *compared)
{
	struct queries *x = h->queries;
	size_t cells = atoms_count(&x->cells);
	struct ranking r = {.sorted = pool_array(h->pool, cells + 1, sizeof *r.sorted)};
	x->ranks->of_cell = pool_zarray(h->pool, cells + 1, sizeof *x->ranks->of_cell);
	for (size_t i = 0; i < x->constants.count; i++)
		x->ranks->of_cell[x->constants.items[i]] = 1;
	for (size_t i = 0; i < x->of_rows.count; i++)
		x->ranks->of_cell[x->of_rows.items[i].value] |=
		        compared[x->of_rows.items[i].column];
	x->ranks->of_cell[ATOM_NULL] = 0;
	for (uint32_t i = 0; i < cells; i++, guard_tick(pool_guard(h->pool)))
		if (x->ranks->of_cell[i])
			r.sorted[r.count++] = (struct ranked){atoms_value(&x->cells, i), i};
	qsort(r.sorted, r.count, sizeof *r.sorted, by_value);
	for (uint32_t i = 0; i < r.count; i++) {
		enum alibi_kind type = value_type(r.sorted[i].v.kind);
		x->ranks->of_cell[r.sorted[i].cell] = i + 1;
		r.first[type] = r.first[type] ? r.first[type] : i + 1;
		r.last[type] = i + 1;
	}
	return r;
}

/* The last rank of a text that begins like the one of this rank. */
static uint32_t last_like(const struct ranking *r, uint32_t rank)
{
	alibi_value prefix = r->sorted[rank - 1].v;
	uint32_t at;
	bisect(at, rank, r->last[ALIBI_STRING], begins_with(r->sorted[at].v, prefix));
	return at;
}

/* BETWEEN is false of what is below or above, even if the other bound is of another type. */
static void set_between(const struct queries *x, const struct comparison *c, struct interval *i,
                        const struct ranking *r)
{
	uint32_t low = x->constants.items[c->first], high = x->constants.items[c->first + 1];
	enum alibi_kind from = cell_type(x, low), to = cell_type(x, high);
	if (low != ATOM_NULL) {
		i->not [0].low = r->first[from];
		i->not [0].high = x->ranks->of_cell[low] - 1;
	}
	if (high != ATOM_NULL) {
		i->not [1].low = x->ranks->of_cell[high] + 1;
		i->not [1].high = r->last[to];
	}
	if (low != ATOM_NULL && from == to) {
		i->low = x->ranks->of_cell[low];
		i->high = x->ranks->of_cell[high];
	}
}

static void set_interval(const struct queries *x, const struct comparison *c, struct interval *i,
                         const struct ranking *r)
{
	bool null = c->kind == COMPARE_IS_NULL;
	i->low = i->not [0].low = i->not [1].low = 1; /* up to 0: none */
	if (c->kind == COMPARE_IN || joins(c))
		return;
	if (null || c->kind == COMPARE_IS_NOT_NULL) {
		i->low = null ? 0 : 1;
		i->high = null ? 0 : UINT32_MAX;
		i->not [0].low = null ? 1 : 0;
		i->not [0].high = null ? UINT32_MAX : 0;
		return;
	}
	if (c->kind == COMPARE_BETWEEN) {
		set_between(x, c, i, r);
		return;
	}
	uint32_t constant = x->constants.items[c->first], rank = x->ranks->of_cell[constant];
	if (constant == ATOM_NULL)
		return;
	uint32_t first = r->first[cell_type(x, constant)], last = r->last[cell_type(x, constant)];
	bool different = c->kind == COMPARE_DIFFERENT;
	i->low = i->high = rank;
	if (c->kind == COMPARE_LESS || c->kind == COMPARE_AT_MOST || different)
		i->low = first;
	if (c->kind == COMPARE_MORE || c->kind == COMPARE_AT_LEAST || different)
		i->high = last;
	i->low += c->kind == COMPARE_MORE;
	i->high -= c->kind == COMPARE_LESS;
	if (c->kind == COMPARE_LIKE)
		i->high = last_like(r, rank);
	i->not [0].low = first;
	i->not [0].high = i->low - 1;
	i->not [1].low = i->high + 1;
	i->not [1].high = last;
	if (different)
		i->but = i->not [0].low = i->not [0].high = rank;
}

void where_rank(struct history *h)
{
	struct queries *x = h->queries;
	struct ranks *r = pool_zalloc(h->pool, sizeof *r);
	bool *compared = pool_zarray(h->pool, atoms_count(&x->columns) + 1, sizeof *compared);
	x->ranks = r;
	r->of_comparison = pool_zarray(h->pool, x->comparisons.count + 1, sizeof *r->of_comparison);
	for (size_t i = 0; i < x->comparisons.count; i++) {
		if (joins(&x->comparisons.items[i]))
			continue;
		uint32_t column = x->comparisons.items[i].column, *at = &r->of_comparison[i].place;
		compared[column] = true;
		while (*at < r->compared_count && r->compared[*at] != column)
			++*at;
		if (*at == r->compared_count && *at < ROWS_COLUMNS)
			r->compared[r->compared_count++] = column;
	}
	struct ranking ranking = rank_cells(h, compared);
	for (size_t i = 0; i < x->comparisons.count; i++)
		set_interval(x, &x->comparisons.items[i], &r->of_comparison[i], &ranking);
	pool_free(h->pool, ranking.sorted);
	pool_free(h->pool, compared);
}
