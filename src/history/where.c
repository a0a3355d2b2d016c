/* where: see where.h. */
#include "history/where.h"

#include "base/guard.h"

#include <stdlib.h>
#include <string.h>

/* ---- by ranks ---- */

uint32_t query_rank(const struct queries *x, uint32_t value, uint32_t column)
{
	return x->ranks->of_cell[query_cell(x, value, column)];
}

static bool is_any_of(uint32_t cell, const uint32_t *constants, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (cell == constants[i] && cell != ATOM_NULL)
			return true;
	return false;
}

static bool is_true(const struct queries *x, const struct comparison *c, uint32_t cell)
{
	if (c->kind == COMPARE_IN)
		return c->count && is_any_of(cell, x->constants.items + c->first, c->count);
	const struct interval *i = &x->ranks->of_comparison[c - x->comparisons.items];
	uint32_t rank = x->ranks->of_cell[cell];
	return rank >= i->low && rank <= i->high && (!i->but || rank != i->but);
}

bool query_matches(const struct history *h, const struct query *q, uint32_t value)
{
	const struct queries *x = h->queries;
	if (value == ATOM_NULL)
		return false;
	for (uint32_t i = 0; i < q->comparisons; i++) {
		const struct comparison *c = &x->comparisons.items[q->comparison + i];
		if (!is_true(x, c, query_cell(x, value, c->column)))
			return false;
	}
	return true;
}

/* ---- before there are ranks ---- */

struct ranked {
	alibi_value v;
	uint32_t cell;
};

/* By kind, then by value; strings by their bytes. */
static int by_value(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;
	if (a->v.kind != b->v.kind)
		return a->v.kind < b->v.kind ? -1 : 1;
	if (a->v.kind != ALIBI_STRING)
		return a->v.integer < b->v.integer ? -1 : a->v.integer > b->v.integer;
	size_t shorter = a->v.length < b->v.length ? a->v.length : b->v.length;
	int order = shorter ? memcmp(a->v.text, b->v.text, shorter) : 0;
	return order ? order : a->v.length < b->v.length ? -1 : a->v.length > b->v.length;
}

static bool is_true_unranked(const struct queries *x, const struct comparison *c, uint32_t cell)
{
	int order[2] = {0, 0};
	if (c->kind == COMPARE_IS_NULL || c->kind == COMPARE_IS_NOT_NULL)
		return (cell == ATOM_NULL) == (c->kind == COMPARE_IS_NULL);
	if (c->kind == COMPARE_IN)
		return c->count && is_any_of(cell, x->constants.items + c->first, c->count);
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t constant = x->constants.items[c->first + i];
		struct ranked a = {.v = atoms_value(&x->cells, cell)},
		              b = {.v = atoms_value(&x->cells, constant)};
		if (cell == ATOM_NULL || constant == ATOM_NULL || a.v.kind != b.v.kind)
			return false;
		order[i] = by_value(&a, &b);
	}
	switch (c->kind) {
	case COMPARE_EQUAL:
		return order[0] == 0;
	case COMPARE_DIFFERENT:
		return order[0] != 0;
	case COMPARE_LESS:
		return order[0] < 0;
	case COMPARE_AT_MOST:
		return order[0] <= 0;
	case COMPARE_MORE:
		return order[0] > 0;
	case COMPARE_AT_LEAST:
		return order[0] >= 0;
	default: /* between */
		return order[0] >= 0 && order[1] <= 0;
	}
}

bool query_matches_unranked(const struct queries *x, const struct query *q, uint32_t value)
{
	for (uint32_t i = 0; i < q->comparisons && value != ATOM_NULL; i++) {
		const struct comparison *c = &x->comparisons.items[q->comparison + i];
		if (!is_true_unranked(x, c, query_cell(x, value, c->column)))
			return false;
	}
	return value != ATOM_NULL;
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
	int64_t sum;
	if (!a)
		return cell == query_cell(x, value, column);
	if (a->plus == ID_NONE)
		return cell == a->constant;
	uint32_t left = query_cell(x, value, a->plus);
	if (left == ATOM_NULL)
		return cell == ATOM_NULL;
	alibi_value made = atoms_value(&x->cells, cell);
	return atoms_kind(&x->cells, left) == ALIBI_INT && made.kind == ALIBI_INT &&
	       !__builtin_add_overflow(atoms_value(&x->cells, left).integer,
	                               atoms_value(&x->cells, a->constant).integer, &sum) &&
	       made.integer == sum;
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

/* Of a kind: from the first of its ranks up to the last. */
struct kinds {
	uint32_t first[ALIBI_LIST + 1], last[ALIBI_LIST + 1];
};

static struct kinds rank_cells(struct history *h, const bool *compared)
{
	struct queries *x = h->queries;
	size_t cells = atoms_count(&x->cells), count = 0;
	struct ranked *sorted = pool_array(h->pool, cells + 1, sizeof *sorted);
	struct kinds kinds = {{0}, {0}};
	x->ranks->of_cell = pool_zarray(h->pool, cells + 1, sizeof *x->ranks->of_cell);
	for (size_t i = 0; i < x->constants.count; i++)
		x->ranks->of_cell[x->constants.items[i]] = 1;
	for (size_t i = 0; i < x->of_rows.count; i++)
		x->ranks->of_cell[x->of_rows.items[i].value] |=
		        compared[x->of_rows.items[i].column];
	x->ranks->of_cell[ATOM_NULL] = 0;
	for (uint32_t i = 0; i < cells; i++, guard_tick(pool_guard(h->pool)))
		if (x->ranks->of_cell[i])
			sorted[count++] = (struct ranked){atoms_value(&x->cells, i), i};
	qsort(sorted, count, sizeof *sorted, by_value);
	for (uint32_t i = 0; i < count; i++) {
		enum alibi_kind kind = sorted[i].v.kind;
		x->ranks->of_cell[sorted[i].cell] = i + 1;
		kinds.first[kind] = kinds.first[kind] ? kinds.first[kind] : i + 1;
		kinds.last[kind] = i + 1;
	}
	pool_free(h->pool, sorted);
	return kinds;
}

/* The interval of ranks of which a comparison is true; low > high: of none. */
static void set_interval(const struct queries *x, const struct comparison *c, struct interval *i,
                         const struct kinds *kinds)
{
	i->low = c->kind == COMPARE_IS_NULL ? 0 : 1;
	i->high = c->kind == COMPARE_IS_NOT_NULL ? UINT32_MAX : 0;
	uint32_t constant = c->count ? x->constants.items[c->first] : ATOM_NULL;
	if (c->kind == COMPARE_IN || constant == ATOM_NULL)
		return;
	enum alibi_kind kind = atoms_kind(&x->cells, constant);
	uint32_t rank = x->ranks->of_cell[constant];
	i->low = kinds->first[kind];
	i->high = kinds->last[kind];
	switch (c->kind) {
	case COMPARE_EQUAL:
		i->low = i->high = rank;
		break;
	case COMPARE_DIFFERENT:
		i->but = rank;
		break;
	case COMPARE_LESS:
		i->high = rank - 1;
		break;
	case COMPARE_AT_MOST:
		i->high = rank;
		break;
	case COMPARE_MORE:
		i->low = rank + 1;
		break;
	case COMPARE_AT_LEAST:
		i->low = rank;
		break;
	default: /* between */
		constant = x->constants.items[c->first + 1];
		i->low = rank;
		i->high = constant != ATOM_NULL && atoms_kind(&x->cells, constant) == kind
		                  ? x->ranks->of_cell[constant]
		                  : 0;
		break;
	}
}

void where_rank(struct history *h)
{
	struct queries *x = h->queries;
	struct ranks *r = pool_zalloc(h->pool, sizeof *r);
	bool *compared = pool_zarray(h->pool, atoms_count(&x->columns) + 1, sizeof *compared);
	x->ranks = r;
	r->of_comparison = pool_zarray(h->pool, x->comparisons.count + 1, sizeof *r->of_comparison);
	for (size_t i = 0; i < x->comparisons.count; i++) {
		uint32_t column = x->comparisons.items[i].column, *at = &r->of_comparison[i].place;
		compared[column] = true;
		while (*at < r->compared_count && r->compared[*at] != column)
			++*at;
		if (*at == r->compared_count && *at < ROWS_COLUMNS)
			r->compared[r->compared_count++] = column;
	}
	struct kinds kinds = rank_cells(h, compared);
	for (size_t i = 0; i < x->comparisons.count; i++)
		set_interval(x, &x->comparisons.items[i], &r->of_comparison[i], &kinds);
	pool_free(h->pool, compared);
}
