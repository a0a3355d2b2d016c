/* query: see query.h. */
#include "history/query.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "base/numbers.h"

#include <string.h>

/* ---- which keys ---- */

/* The last query up to the operation, if there is one; else the first. */
static const struct query *last_up_to(const struct history *h, uint32_t op)
{
	const struct query *list = h->queries->list.items;
	size_t at;
	bisect(at, 0, h->queries->list.count, list[at].op <= op);
	return at ? &list[at - 1] : list;
}

const struct query *query_at(const struct history *h, uint32_t op)
{
	return op < h->op_count && is_query(h, op) ? last_up_to(h, op) : NULL;
}

const struct query *query_with_row(const struct history *h, uint32_t op)
{
	if (!h->queries || !h->queries->list.count)
		return NULL;
	const struct query *q = last_up_to(h, op);
	return q->op < op && op - q->op <= q->rows ? q : NULL;
}

const uint32_t *query_keys(const struct history *h, const struct query *q, size_t *count)
{
	const struct queries *x = h->queries;
	size_t relation = q->relation == ID_NONE ? x->relation_count : q->relation;
	*count = x->first[relation + 1] - x->first[relation];
	return x->keys + x->first[relation];
}

const uint32_t *query_except(const struct history *h, const struct query *q)
{
	return q->excepts ? h->queries->except.items + q->except : NULL;
}

bool query_asks(const struct history *h, const struct query *q, uint32_t key)
{
	if (!h->queries->asked[key])
		return false;
	if (q->relation != ID_NONE && h->queries->relation_of[key] != q->relation)
		return false;
	return !q->excepts || !numbers_have(query_except(h, q), q->excepts, key);
}

uint32_t query_row(const struct history *h, const struct query *q, uint32_t key)
{
	for (uint32_t row = q->op + 1; row <= q->op + q->rows; row++)
		if (op_key(h->ops[row]) == key)
			return row;
	return ID_NONE;
}

/* ---- which rows ---- */

uint32_t query_cell(const struct queries *x, uint32_t value, uint32_t column)
{
	for (uint32_t i = x->cell_first.items[value]; i < x->cell_first.items[value + 1]; i++)
		if (x->of_rows.items[i].column == column)
			return x->of_rows.items[i].value;
	return ATOM_NULL;
}

/* ---- taking rows apart ---- */

static const char value_column[] = "value";

bool query_is_value(const struct queries *x, uint32_t column)
{
	alibi_value name = atoms_value(&x->columns, column);
	return name.length == sizeof value_column - 1 &&
	       !memcmp(name.text, value_column, name.length);
}

/* The cells of a value, in x->taken. One that is no row is the cell of a column of its own,
 * named for an absent one, too: its number is part of the digest of a history. */
static void take_cells(struct history *h, alibi_value v)
{
	struct queries *x = h->queries;
	x->taken.count = 0;
	if (v.kind == ALIBI_ROW) {
		x->read_row(h->pool, v, x);
		return;
	}
	uint32_t column = atoms_string(&x->columns, value_column, sizeof value_column - 1);
	if (v.kind != ALIBI_NULL && v.kind != ALIBI_LIST)
		vec_push(h->pool, &x->taken, ((struct cell){column, atoms_add(&x->cells, v)}));
}

void queries_take_apart(struct history *h)
{
	struct queries *x = h->queries;
	size_t values = atoms_count(&h->values), compared = atoms_count(&x->columns);
	bool all_columns = false;
	for (size_t i = 0; i < x->list.count && !all_columns; i++)
		all_columns = x->list.items[i].kind == QUERY_UPDATE;
	if (!x->cell_first.count)
		vec_push(h->pool, &x->cell_first, 0);
	for (size_t value = x->cell_first.count - 1; value < values; value++) {
		guard_tick(pool_guard(h->pool));
		take_cells(h, atoms_value(&h->values, (uint32_t)value));
		for (size_t i = 0; i < x->taken.count; i++)
			if (all_columns || x->taken.items[i].column < compared)
				vec_push(h->pool, &x->of_rows, x->taken.items[i]);
		vec_push(h->pool, &x->cell_first, (uint32_t)x->of_rows.count);
	}
}

/* ---- the table ---- */

void queries_init(struct history *h, row_reader *read_row)
{
	struct queries *x = pool_zalloc(h->pool, sizeof *x);
	x->key = atoms_list(&h->keys, NULL, 0);
	atoms_init(&x->relations, h->pool, false);
	atoms_init(&x->columns, h->pool, false);
	atoms_init(&x->cells, h->pool, true);
	x->opaque_txn = ID_NONE;
	x->read_row = read_row;
	h->queries = x;
}

/* ID_NONE: no query names it. */
static uint32_t relation_of(struct history *h, uint32_t key)
{
	alibi_value v = atoms_value(&h->keys, key);
	const char *end = v.kind == ALIBI_STRING && v.length ? memchr(v.text, '/', v.length) : NULL;
	if (!end)
		return ID_NONE;
	char *name = pool_text(h->pool, v.text, (size_t)(end - v.text));
	uint32_t found = atoms_string(&h->queries->relations, name, (size_t)(end - v.text));
	pool_free(h->pool, name);
	return found < h->queries->relation_count ? found : ID_NONE;
}

/* The keys of each relation, in their order; then all of them. */
static void sort_keys(struct history *h)
{
	struct queries *x = h->queries;
	size_t keys = atoms_count(&h->keys), n = atoms_count(&x->relations);
	x->relation_count = (uint32_t)n;
	x->relation_of = pool_array(h->pool, keys + 1, sizeof(uint32_t));
	x->first = pool_zarray(h->pool, n + 3, sizeof(uint32_t));
	x->keys = pool_array(h->pool, 2 * keys + 1, sizeof(uint32_t));
	for (uint32_t key = 0; key < keys; key++) {
		guard_tick(pool_guard(h->pool));
		x->relation_of[key] = ID_NONE;
		if (!x->asked[key])
			continue;
		x->relation_of[key] = relation_of(h, key);
		if (x->relation_of[key] != ID_NONE)
			x->first[x->relation_of[key] + 2]++;
		x->first[n + 2]++;
	}
	for (size_t i = 2; i < n + 3; i++)
		x->first[i] += x->first[i - 1];
	for (uint32_t key = 0; key < keys; key++) {
		guard_tick(pool_guard(h->pool));
		if (!x->asked[key])
			continue;
		if (x->relation_of[key] != ID_NONE)
			x->keys[x->first[x->relation_of[key] + 1]++] = key;
		x->keys[x->first[n + 1]++] = key;
	}
}

static const char *check_key(const struct history *h, const struct query *q, uint32_t key)
{
	guard_tick(pool_guard(h->pool));
	if (h->key_is_list[key])
		return "is a list, but queries are about rows";
	if (q->relation != ID_NONE && h->queries->relation_of[key] != q->relation)
		return "is not in the relation that the query names (the part of a key before the "
		       "first /)";
	return NULL;
}

/* Rows are of different keys, all of the relation; exceptions are of the relation, too. */
static const char *check_keys(const struct history *h, const struct query *q, uint32_t *stamp,
                              uint32_t *key)
{
	const char *wrong = NULL;
	for (uint32_t row = q->op + 1; row <= q->op + q->rows && !wrong; row++) {
		*key = op_key(h->ops[row]);
		wrong = stamp[*key] == q->op + 1 ? "appears twice among the rows of one query"
		                                 : check_key(h, q, *key);
		stamp[*key] = q->op + 1;
	}
	for (uint32_t i = 0; i < q->excepts && !wrong; i++) {
		*key = query_except(h, q)[i];
		wrong = check_key(h, q, *key);
	}
	return wrong;
}

const char *queries_finish(struct history *h, size_t *which, uint32_t *key)
{
	struct queries *x = h->queries;
	sort_keys(h);
	uint32_t *stamp = pool_zarray(h->pool, atoms_count(&h->keys) + 1, sizeof *stamp);
	for (*which = 0; *which < x->list.count; ++*which) {
		const struct query *q = &x->list.items[*which];
		const char *wrong = check_keys(h, q, stamp, key);
		if (wrong)
			return wrong;
		h->ops[q->op].value = h->initial_default;
		if (q->excepts)
			numbers_sort(x->except.items + q->except, q->excepts);
	}
	pool_free(h->pool, stamp);
	queries_take_apart(h);
	return NULL;
}

void queries_seal(struct history *h)
{
	struct queries *x = h->queries;
	vec_trim(h->pool, &x->cell_first);
	vec_trim(h->pool, &x->of_rows);
	atoms_seal(&x->relations);
	atoms_seal(&x->columns);
	atoms_seal(&x->cells);
}
