/* predicate: see predicate.h. */
#include "replay/predicate.h"

#include "base/guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- matching ---- */

/* What a comparison compares with; high: of BETWEEN. */
struct bounds {
	struct plain low, high;
};

static struct plain plain_cell(const struct queries *x, uint32_t cell)
{
	alibi_value v = atoms_value(&x->cells, cell);
	return (struct plain){v.kind, cell, v.integer};
}

static int order_text(const struct queries *x, struct plain left, struct plain right)
{
	alibi_value a = atoms_value(&x->cells, left.cell), b = atoms_value(&x->cells, right.cell);
	size_t shorter = a.length < b.length ? a.length : b.length;
	int order = shorter ? memcmp(a.text, b.text, shorter) : 0;
	return order ? order : (a.length > b.length) - (a.length < b.length);
}

static bool has_prefix(const struct queries *x, struct plain left, struct plain prefix)
{
	alibi_value a = atoms_value(&x->cells, left.cell), b = atoms_value(&x->cells, prefix.cell);
	return a.length >= b.length && !memcmp(a.text, b.text, b.length);
}

static struct bounds bounds_of(const struct queries *x, const struct comparison *c)
{
	struct bounds b = {{.kind = ALIBI_NULL}, {.kind = ALIBI_NULL}};
	if (c->count)
		b.low = plain_cell(x, x->constants.items[c->first]);
	if (c->count > 1)
		b.high = plain_cell(x, x->constants.items[c->first + 1]);
	return b;
}

/* Below, equal to or above 0, of two cells of one type. */
static int order_of(const struct queries *x, struct plain left, struct plain right)
{
	if (left.kind == ALIBI_DECIMAL || right.kind == ALIBI_DECIMAL)
		return numeral_order(atoms_value(&x->cells, left.cell),
		                     atoms_value(&x->cells, right.cell));
	return left.kind == ALIBI_STRING
	               ? order_text(x, left, right)
	               : (left.integer > right.integer) - (left.integer < right.integer);
}

/* In this order, AND is the least of its conditions, and OR the greatest. */
enum truth { IS_FALSE, IS_UNKNOWN, IS_TRUE };

/* What compares with NULL, or different types, is unknown. */
static enum truth compare(const struct queries *x, enum comparison_kind kind, struct plain left,
                          struct plain right)
{
	if (left.kind == ALIBI_NULL || value_type(left.kind) != value_type(right.kind) ||
	    (kind == COMPARE_LIKE && left.kind != ALIBI_STRING))
		return IS_UNKNOWN;
	int order = order_of(x, left, right);
	bool is = kind == COMPARE_EQUAL       ? order == 0
	          : kind == COMPARE_DIFFERENT ? order != 0
	          : kind == COMPARE_LESS      ? order < 0
	          : kind == COMPARE_AT_MOST   ? order <= 0
	          : kind == COMPARE_MORE      ? order > 0
	          : kind == COMPARE_AT_LEAST  ? order >= 0
	                                      : has_prefix(x, left, right);
	return is ? IS_TRUE : IS_FALSE;
}

/* Equal to one of the constants? */
static enum truth is_in(const struct queries *x, const struct comparison *c, struct plain left)
{
	enum truth any = IS_FALSE;
	for (uint32_t i = 0; i < c->count && any != IS_TRUE; i++) {
		struct plain right = plain_cell(x, x->constants.items[c->first + i]);
		enum truth equal = compare(x, COMPARE_EQUAL, left, right);
		any = equal > any ? equal : any;
	}
	return any;
}

static enum truth holds(const struct queries *x, const struct comparison *c, struct plain left,
                        struct bounds with)
{
	if (c->kind == COMPARE_IS_NULL || c->kind == COMPARE_IS_NOT_NULL)
		return (left.kind == ALIBI_NULL) == (c->kind == COMPARE_IS_NULL) ? IS_TRUE
		                                                                 : IS_FALSE;
	if (c->kind == COMPARE_IN)
		return is_in(x, c, left);
	if (c->kind != COMPARE_BETWEEN)
		return compare(x, c->kind, left, with.low);
	enum truth above = compare(x, COMPARE_AT_LEAST, left, with.low),
	           below = compare(x, COMPARE_AT_MOST, left, with.high);
	return above < below ? above : below;
}

/* Of the row that the value is. Readers limit how deep conditions are nested. */
static enum truth truth_of(const struct queries *x, const struct comparison *c, uint32_t value)
{
	if (!joins(c))
		return holds(x, c, plain_cell(x, query_cell(x, value, c->column)), bounds_of(x, c));
	if (c->kind == COMPARE_NOT)
		return (enum truth)(IS_TRUE - truth_of(x, c + 1, value));
	enum truth result = c->kind == COMPARE_AND ? IS_TRUE : IS_FALSE;
	for (uint32_t i = 1; i <= c->count; i += condition_size(c + i)) {
		enum truth of = truth_of(x, c + i, value);
		if (c->kind == COMPARE_AND ? of < result : of > result)
			result = of;
	}
	return result;
}

bool predicate_matches(const struct history *h, const struct query *q, uint32_t value)
{
	const struct queries *x = h->queries;
	if (value == ATOM_NULL)
		return false;
	for (uint32_t i = 0; i < q->comparisons;) {
		const struct comparison *c = &x->comparisons.items[q->comparison + i];
		if (truth_of(x, c, value) != IS_TRUE)
			return false;
		i += condition_size(c);
	}
	return true;
}

/* ---- all keys of a relation ---- */

void columns_init(struct columns *k, struct pool *pool, const struct history *h)
{
	const struct queries *x = h->queries;
	*k = (struct columns){.h = h};
	for (size_t i = 0; i < x->comparisons.count && k->count < COLUMNS_MAX; i++) {
		uint32_t column = x->comparisons.items[i].column;
		if (joins(&x->comparisons.items[i]) || columns_find(k, column) < k->count)
			continue;
		k->cells[k->count] =
		        pool_zarray(pool, atoms_count(&h->keys) + 1, sizeof **k->cells);
		k->columns[k->count++] = column;
	}
}

void columns_set(struct columns *k, uint32_t key, uint32_t value)
{
	const struct queries *x = k->h->queries;
	for (uint32_t i = 0; i < k->count; i++)
		k->cells[i][key] = plain_cell(x, query_cell(x, value, k->columns[i]));
}

/* The numbers of which a comparison is true, if it is true of an interval of them. */
static bool interval(const struct comparison *c, struct bounds with, int64_t *least, int64_t *most)
{
	int64_t n = with.low.integer;
	bool less = c->kind == COMPARE_LESS, more = c->kind == COMPARE_MORE;
	if ((with.low.kind != ALIBI_INT && with.low.kind != ALIBI_BOOL) ||
	    (less && n == INT64_MIN) || (more && n == INT64_MAX))
		return false;
	*least = less || c->kind == COMPARE_AT_MOST ? INT64_MIN : n + more;
	*most = more || c->kind == COMPARE_AT_LEAST ? INT64_MAX
	        : c->kind == COMPARE_BETWEEN        ? with.high.integer
	                                            : n - less;
	return c->kind != COMPARE_DIFFERENT && c->kind != COMPARE_IN &&
	       (c->kind != COMPARE_BETWEEN || with.high.kind == with.low.kind);
}

size_t columns_next(const struct columns *k, const struct query *q, const uint32_t *keys,
                    size_t count, size_t at)
{
	const struct queries *x = k->h->queries;
	const struct comparison *c = q->comparisons ? &x->comparisons.items[q->comparison] : NULL;
	uint32_t column = c && !joins(c) ? columns_find(k, c->column) : k->count;
	int64_t least, most;
	if (column == k->count)
		return at;
	const struct plain *cells = k->cells[column];
	struct bounds bounds = bounds_of(x, c);
	if (interval(c, bounds, &least, &most)) {
		enum alibi_kind kind = bounds.low.kind;
		for (; at < count && cells[keys[at]].kind != ALIBI_DECIMAL; at++) {
			struct plain cell = cells[keys[at]];
			if (cell.kind == kind && cell.integer >= least && cell.integer <= most)
				return at;
		}
	}
	while (at < count && holds(x, c, cells[keys[at]], bounds) != IS_TRUE)
		at++;
	return at;
}

/* ---- updating ---- */

void updates_init(struct updates *u, struct pool *pool, const struct history *h)
{
	*u = (struct updates){.pool = pool, .h = h};
}

static bool is_row(const struct updates *u, uint32_t value)
{
	return atoms_kind(&u->h->values, value) == ALIBI_ROW;
}

/* Adds a cell in the place of its column. */
static void add_content(struct updates *u, content_vec *row, struct content c)
{
	size_t at = row->count;
	vec_push(u->pool, row, c);
	for (; at && row->items[at - 1].column > c.column; at--)
		row->items[at] = row->items[at - 1];
	row->items[at] = c;
}

static uint32_t decimal_number(struct updates *u, const char *text, size_t length)
{
	if (!u->decimals.pool)
		atoms_init(&u->decimals, u->pool, false);
	return atoms_decimal(&u->decimals, text, length);
}

static void add_cell(struct updates *u, content_vec *row, uint32_t column, uint32_t cell)
{
	alibi_value v = atoms_value(&u->h->queries->cells, cell);
	int64_t is = v.kind == ALIBI_INT       ? v.integer
	             : v.kind == ALIBI_DECIMAL ? decimal_number(u, v.text, v.length)
	                                       : cell;
	if (cell != ATOM_NULL)
		add_content(u, row, (struct content){column, v.kind, is});
}

static bool is_assigned(const struct queries *x, const struct query *q, uint32_t column)
{
	for (uint32_t i = 0; q && i < q->assignments; i++)
		if (x->assignments.items[q->assignment + i].column == column)
			return true;
	return false;
}

/* The cells of a value, but for the columns that the update (NULL: none) assigns. */
static void take_cells(struct updates *u, content_vec *row, const struct query *q, uint32_t value)
{
	const struct queries *x = u->h->queries;
	row->count = 0;
	for (uint32_t i = x->cell_first.items[value]; i < x->cell_first.items[value + 1]; i++)
		if (!is_assigned(x, q, x->of_rows.items[i].column))
			add_cell(u, row, x->of_rows.items[i].column, x->of_rows.items[i].value);
}

/* Assigns what a column was, and so much more. False: that is no number. */
static bool add_sum(struct updates *u, const struct assignment *a, uint32_t value)
{
	const struct atoms *cells = &u->h->queries->cells;
	alibi_value left = atoms_value(cells, query_cell(u->h->queries, value, a->plus));
	alibi_value plus = atoms_value(cells, a->constant);
	struct content c = {a->column, ALIBI_INT, 0};
	char *end;
	if (left.kind == ALIBI_NULL || value_type(left.kind) != ALIBI_INT)
		return left.kind == ALIBI_NULL;
	if (left.kind != ALIBI_INT || plus.kind != ALIBI_INT ||
	    __builtin_add_overflow(left.integer, plus.integer, &c.is)) {
		numeral_sum(u->pool, &u->sum, left, plus);
		errno = 0;
		c.is = strtoll(u->sum.items, &end, 10);
		if (*end || errno) { /* not an integer of 64 bits */
			c.kind = ALIBI_DECIMAL;
			c.is = decimal_number(u, u->sum.items, u->sum.count - 1);
		}
	}
	add_content(u, &u->made, c);
	return true;
}

/* The cells that the update leaves of a value, in u->made. A value that is no row stays one. */
static bool make_cells(struct updates *u, const struct query *q, uint32_t value)
{
	const struct queries *x = u->h->queries;
	take_cells(u, &u->made, q, value);
	for (uint32_t i = 0; i < q->assignments; i++) {
		const struct assignment *a = &x->assignments.items[q->assignment + i];
		if (a->plus == ID_NONE)
			add_cell(u, &u->made, a->column, a->constant);
		else if (!add_sum(u, a, value))
			return false;
	}
	return is_row(u, value) ||
	       (u->made.count == 1 && query_is_value(x, u->made.items[0].column));
}

/* Is the value, which is a row or not as was the one before, what has the cells in u->made? */
static bool has_made(struct updates *u, uint32_t value)
{
	take_cells(u, &u->reported, NULL, value);
	if (u->reported.count != u->made.count)
		return false;
	for (size_t i = 0; i < u->made.count; i++) {
		struct content a = u->made.items[i], b = u->reported.items[i];
		if (a.column != b.column || a.kind != b.kind || a.is != b.is)
			return false;
	}
	return true;
}

bool predicate_explains(struct updates *u, const struct query *q, uint32_t row, uint32_t value)
{
	if (row == ID_NONE || !predicate_matches(u->h, q, value))
		return row == ID_NONE && !predicate_matches(u->h, q, value);
	uint32_t reported = u->h->ops[row].value;
	if (q->kind == QUERY_SELECT)
		return reported == value;
	if (q->kind == QUERY_DELETE || reported == ATOM_NULL)
		return q->kind == QUERY_DELETE && reported == ATOM_NULL;
	return is_row(u, value) == is_row(u, reported) && make_cells(u, q, value) &&
	       has_made(u, reported);
}

/* ---- which value has these cells ---- */

static uint64_t hash_of(const content_vec *row, bool is_row)
{
	uint64_t hash = is_row ? 0x2545f4914f6cdd1du : 0x9e6c63d0876a9a47u;
	for (size_t i = 0; i < row->count; i++) {
		struct content c = row->items[i];
		hash = (hash ^ ((uint64_t)c.column << 8 | c.kind)) * 0x9e3779b97f4a7c15u;
		hash = (hash ^ hash >> 29 ^ (uint64_t)c.is) * 0xd6e8feb86659fd93u;
		hash ^= hash >> 32;
	}
	return hash ? hash : 1;
}

static void index_values(struct updates *u)
{
	size_t count = atoms_count(&u->h->values);
	u->indexed = true;
	for (uint32_t value = ATOM_NULL + 1; value < count && !u->ambiguous; value++) {
		guard_tick(pool_guard(u->pool));
		if (atoms_kind(&u->h->values, value) == ALIBI_LIST)
			continue;
		take_cells(u, &u->reported, NULL, value);
		uint64_t hash = hash_of(&u->reported, is_row(u, value));
		u->ambiguous = *map_put(u->pool, &u->value_of, hash, value) != value;
	}
}

uint32_t predicate_makes(struct updates *u, const struct query *q, uint32_t value)
{
	if (q->kind == QUERY_DELETE)
		return ATOM_NULL;
	if (!u->indexed)
		index_values(u);
	if (!make_cells(u, q, value))
		return PREDICATE_NEVER;
	const uint32_t *made = map_find(&u->value_of, hash_of(&u->made, is_row(u, value)));
	if (!made || u->ambiguous || is_row(u, *made) != is_row(u, value) || !has_made(u, *made))
		return PREDICATE_LOST;
	return *made;
}
