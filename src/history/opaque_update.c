/* opaque_update: see opaque_update.h. */
#include "history/opaque_update.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "history/arithmetic.h"
#include "history/row.h"

#include <string.h>

enum { MADE_MAX = 1 << 22 }; /* updates applied to values */

/* ---- asking ---- */

struct reach opaque_update_reachers(const struct history *h, uint32_t key)
{
	const struct queries *x = h->queries;
	if (!has_opaque(h) || key >= atoms_count(&h->keys))
		return (struct reach){0, 0};
	return (struct reach){x->reach_first[key], x->reach_first[key + 1]};
}

struct reach opaque_update_reached(const struct history *h, uint32_t txn)
{
	const struct queries *x = h->queries;
	if (!has_opaque(h))
		return (struct reach){0, 0};
	return (struct reach){x->reached_first[txn], x->reached_first[txn + 1]};
}

uint32_t opaque_update_place(const struct history *h, uint32_t txn, uint32_t key)
{
	struct reach r = opaque_update_reachers(h, key);
	uint32_t at;
	bisect(at, r.first, r.end, h->queries->reach_txn.items[at] < txn);
	return at < r.end && h->queries->reach_txn.items[at] == txn ? at : ID_NONE;
}

static bool writes(const struct history *h, uint32_t txn, uint32_t key)
{
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++)
		if (op_writes(h->ops[op]) && op_key(h->ops[op]) == key)
			return true;
	return false;
}

bool opaque_update_may_write(const struct history *h, uint32_t txn, uint32_t key)
{
	return opaque_update_place(h, txn, key) != ID_NONE && !writes(h, txn, key);
}

static const struct query *opaque_at(const struct history *h, uint32_t op, uint32_t key)
{
	const struct query *q = query_at(h, op);
	return q && q->opaque && query_asks(h, q, key) ? q : NULL;
}

bool opaque_update_before(const struct history *h, uint32_t txn, uint32_t key, uint32_t op)
{
	if (opaque_update_place(h, txn, key) == ID_NONE)
		return false;
	for (uint32_t i = h->txns[txn].first_op; i < op; i++)
		if (opaque_at(h, i, key))
			return true;
	return false;
}

/* Does the update leave what the row has in the columns that it sets to a constant? */
static bool may_make(const struct queries *x, const struct query *q, uint32_t value)
{
	if (q->kind == QUERY_DELETE || value == ATOM_NULL)
		return q->kind == QUERY_DELETE && value == ATOM_NULL;
	for (uint32_t i = 0; i < q->assignments; i++) {
		const struct assignment *a = &x->assignments.items[q->assignment + i];
		if (a->plus == ID_NONE && query_cell(x, value, a->column) != a->constant)
			return false;
	}
	return true;
}

bool opaque_update_may_leave(const struct history *h, uint32_t txn, uint32_t key, uint32_t value)
{
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		const struct query *q = opaque_at(h, op, key);
		if (q && may_make(h->queries, q, value))
			return true;
	}
	return false;
}

static uint64_t made_of(const struct queries *x, const struct query *q, uint32_t value)
{
	return (uint64_t)(q - x->list.items + 1) << 32 | value;
}

uint32_t opaque_update_makes(const struct history *h, const struct query *q, uint32_t value)
{
	const uint32_t *made = map_find(&h->queries->made, made_of(h->queries, q, value));
	return made ? *made : OPAQUE_NEVER;
}

/* Behind an opaque update: is what the operation reports of the key what is there? */
static bool reports(const struct history *h, uint32_t op, uint32_t key, uint32_t writer,
                    uint32_t value)
{
	const struct query *q = query_at(h, op);
	uint32_t named, row;
	if (!q)
		return h->ops[op].value == value &&
		       (!history_read_from(h, op, &named) || named == writer);
	if (!query_asks(h, q, key))
		return true;
	row = query_row(h, q, key);
	return (row != ID_NONE && q->kind == QUERY_SELECT) || query_explains(h, q, row, value);
}

uint32_t opaque_update_leaves(const struct history *h, uint32_t txn, uint32_t key, uint32_t writer,
                              uint32_t value)
{
	bool binds = h->txns[txn].status == ALIBI_COMMIT, met = false, wrote = false;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		const struct query *q = opaque_at(h, op, key);
		uint32_t made = OPAQUE_KEPT;
		if (q && query_matches(h, q, value))
			made = opaque_update_makes(h, q, value);
		else if (!q && op_key(h->ops[op]) == key && op_writes(h->ops[op]))
			made = h->ops[op].value;
		else if (!q && met && binds && (is_query(h, op) || op_key(h->ops[op]) == key) &&
		         !reports(h, op, key, writer, value))
			made = OPAQUE_NEVER;
		met |= q != NULL;
		if (made == OPAQUE_NEVER && binds)
			return OPAQUE_NEVER;
		if (made == OPAQUE_KEPT || made == OPAQUE_NEVER)
			continue;
		value = made;
		writer = txn;
		wrote = true;
	}
	return wrote ? value : OPAQUE_KEPT;
}

uint32_t opaque_update_final(const struct history *h, uint32_t txn, uint32_t key, uint32_t last)
{
	bool wrote = false;
	if (opaque_update_place(h, txn, key) == ID_NONE)
		return last;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		const struct query *q = wrote ? opaque_at(h, op, key) : NULL;
		uint32_t made = q && query_matches(h, q, last) ? opaque_update_makes(h, q, last)
		                                               : OPAQUE_NEVER;
		if (op_writes(h->ops[op]) && op_key(h->ops[op]) == key) {
			wrote = true;
			last = h->ops[op].value;
		} else if (made != OPAQUE_NEVER) {
			last = made;
		}
	}
	return last;
}

/* ---- what an update makes of a row ---- */

struct asking {
	uint32_t query, txn;
	bool hit; /* it matched a version of the key at hand */
};

struct maker {
	struct history *h;
	struct pool *pool;         /* for what is not needed afterwards */
	VEC(struct asking) opaque; /* all of them */
	VEC(struct asking) asking; /* those that ask for the key at hand */
	VEC(struct cell) versions; /* of the key at hand: value, and how many updates made it */
	struct map seen;           /* by key and value */
	uint32_t *write_first, *writes; /* by key: values */
};

/* The cell that an assignment leaves; OPAQUE_NEVER: it cannot. */
static uint32_t assigned_cell(struct queries *x, const struct assignment *a, uint32_t value)
{
	if (a->plus == ID_NONE)
		return a->constant;
	uint32_t left = query_cell(x, value, a->plus);
	if (left == ATOM_NULL)
		return ATOM_NULL;
	if (value_type(atoms_kind(&x->cells, left)) != ALIBI_INT)
		return OPAQUE_NEVER;
	text_vec text = {.count = 0};
	struct pool *pool = x->cells.pool;
	alibi_value sum = arithmetic_sum(pool, &text, atoms_value(&x->cells, left),
	                                 atoms_value(&x->cells, a->constant));
	uint32_t cell = atoms_add(&x->cells, sum);
	pool_free(pool, text.items);
	return cell;
}

static void add_member(struct queries *x, struct row *r, uint32_t column, uint32_t cell)
{
	alibi_value name = atoms_value(&x->columns, column);
	row_name(r, name.text, name.length);
	row_value(r, atoms_value(&x->cells, cell));
}

static bool assigns(const struct queries *x, const struct query *q, uint32_t column)
{
	for (uint32_t i = 0; i < q->assignments; i++)
		if (x->assignments.items[q->assignment + i].column == column)
			return true;
	return false;
}

static uint32_t make_row(struct maker *m, const struct query *q, uint32_t value)
{
	struct queries *x = m->h->queries;
	struct row r = {.pool = pool_child(m->pool)};
	uint32_t made = ATOM_NULL;
	for (uint32_t i = x->cell_first.items[value]; i < x->cell_first.items[value + 1]; i++)
		if (!assigns(x, q, x->of_rows.items[i].column))
			add_member(x, &r, x->of_rows.items[i].column, x->of_rows.items[i].value);
	for (uint32_t i = 0; i < q->assignments && made != OPAQUE_NEVER; i++) {
		const struct assignment *a = &x->assignments.items[q->assignment + i];
		uint32_t cell = assigned_cell(x, a, value);
		if (cell == OPAQUE_NEVER)
			made = OPAQUE_NEVER;
		else
			add_member(x, &r, a->column, cell);
	}
	if (made != OPAQUE_NEVER) {
		row_finish(&r);
		made = atoms_row(&m->h->values, r.canonical.items, r.canonical.count);
	}
	pool_release(r.pool);
	return made;
}

/* A value that is no row has one column, and stays such a value. */
static uint32_t make_scalar(struct maker *m, const struct query *q, uint32_t value)
{
	struct queries *x = m->h->queries;
	uint32_t made = value;
	for (uint32_t i = 0; i < q->assignments; i++) {
		const struct assignment *a = &x->assignments.items[q->assignment + i];
		uint32_t cell = assigned_cell(x, a, value);
		bool own = query_is_value(x, a->column);
		if (cell == OPAQUE_NEVER || own == (cell == ATOM_NULL))
			return OPAQUE_NEVER;
		alibi_value v = atoms_value(&x->cells, cell);
		if (own)
			made = atoms_add(&m->h->values, v);
	}
	return made;
}

static uint32_t make(struct maker *m, const struct query *q, uint32_t value)
{
	uint32_t made = q->kind == QUERY_DELETE                         ? ATOM_NULL
	                : atoms_kind(&m->h->values, value) == ALIBI_ROW ? make_row(m, q, value)
	                                                                : make_scalar(m, q, value);
	queries_take_apart(m->h);
	return made;
}

/* ---- all versions of a key ---- */

static void add_version(struct maker *m, uint32_t key, uint32_t value, uint32_t depth)
{
	uint32_t *there = map_put(m->pool, &m->seen, (uint64_t)(key + 1) << 32 | value, 0);
	if (!*there)
		vec_push(m->pool, &m->versions, ((struct cell){value, depth}));
	*there = 1;
}

/* Applies each update to a version; it may be the last that is allowed. */
static void apply_all(struct maker *m, uint32_t key, struct cell version)
{
	struct queries *x = m->h->queries;
	for (size_t i = 0; i < m->asking.count && !x->opaque_too_many; i++) {
		const struct query *q = &x->list.items[m->asking.items[i].query];
		guard_tick(pool_guard(m->pool));
		if (!query_matches_unranked(x, q, version.column))
			continue;
		m->asking.items[i].hit = true;
		if (version.value == m->asking.count)
			continue;
		uint64_t pair = made_of(x, q, version.column);
		uint32_t *made = map_put(m->h->pool, &x->made, pair, OPAQUE_KEPT);
		if (*made == OPAQUE_KEPT)
			*made = make(m, q, version.column);
		x->opaque_too_many = x->made.used > MADE_MAX;
		if (*made != OPAQUE_NEVER)
			add_version(m, key, *made, version.value + 1);
	}
}

/* Lists the transactions that reach the key, in the order of the history. */
static void look_at_key(struct maker *m, uint32_t key)
{
	struct queries *x = m->h->queries;
	m->asking.count = m->versions.count = 0;
	for (size_t i = 0; i < m->opaque.count; i++)
		if (query_asks(m->h, &x->list.items[m->opaque.items[i].query], key))
			vec_push(m->pool, &m->asking, m->opaque.items[i]);
	if (!m->asking.count)
		return;
	add_version(m, key, history_initial(m->h, key), 0);
	for (uint32_t i = m->write_first[key]; i < m->write_first[key + 1]; i++)
		add_version(m, key, m->writes[i], 0);
	for (size_t i = 0; i < m->versions.count && !x->opaque_too_many; i++)
		apply_all(m, key, m->versions.items[i]);
	for (size_t i = 0; i < m->asking.count; i++) {
		uint32_t txn = m->asking.items[i].txn;
		bool first = x->reach_txn.count == x->reach_first[key] ||
		             x->reach_txn.items[x->reach_txn.count - 1] != txn;
		if (m->asking.items[i].hit && first)
			vec_push(m->h->pool, &x->reach_txn, txn);
	}
}

/* The values that transactions which did not abort write to each key. */
static void index_writes(struct maker *m, const struct txn *txns)
{
	const struct history *h = m->h;
	size_t keys = atoms_count(&h->keys);
	m->write_first = pool_zarray(m->pool, keys + 2, sizeof *m->write_first);
	m->writes = pool_array(m->pool, (size_t)h->op_count + 1, sizeof *m->writes);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t op = 0, txn = 0; op < h->op_count; op++) {
			guard_tick(pool_guard(m->pool));
			while (txns[txn + 1].first_op <= op)
				txn++;
			if (!op_writes(h->ops[op]) || txns[txn].status == ALIBI_ABORT)
				continue;
			uint32_t *first = &m->write_first[op_key(h->ops[op])];
			if (pass)
				m->writes[first[1]++] = h->ops[op].value;
			else
				first[2]++;
		}
		for (size_t i = 2; i < keys + 2 && !pass; i++)
			m->write_first[i] += m->write_first[i - 1];
	}
}

/* The same by transaction. */
static void turn_round(struct history *h)
{
	struct queries *x = h->queries;
	size_t keys = atoms_count(&h->keys);
	x->reached_first = pool_zarray(h->pool, (size_t)h->txn_count + 2, sizeof(uint32_t));
	x->reach_key = pool_array(h->pool, x->reach_txn.count + 1, sizeof(uint32_t));
	for (size_t i = 0; i < x->reach_txn.count; i++)
		x->reached_first[x->reach_txn.items[i] + 2]++;
	for (size_t i = 2; i < (size_t)h->txn_count + 2; i++)
		x->reached_first[i] += x->reached_first[i - 1];
	for (uint32_t key = 0; key < keys; key++)
		for (uint32_t i = x->reach_first[key]; i < x->reach_first[key + 1]; i++)
			x->reach_key[x->reached_first[x->reach_txn.items[i] + 1]++] = key;
}

void opaque_update_finish(struct history *h, const struct txn *txns)
{
	struct queries *x = h->queries;
	struct maker m = {.h = h, .pool = pool_child(h->pool)};
	size_t keys = atoms_count(&h->keys), recorded = atoms_count(&h->values);
	for (uint32_t i = 0, txn = 0; i < x->list.count; i++) {
		while (txns[txn + 1].first_op <= x->list.items[i].op)
			txn++;
		if (!x->list.items[i].opaque || txns[txn].status == ALIBI_ABORT)
			continue;
		x->opaque_txn = txn;
		vec_push(m.pool, &m.opaque, ((struct asking){i, txn, false}));
	}
	if (m.opaque.count) {
		index_writes(&m, txns);
		x->reach_first = pool_zarray(h->pool, keys + 1, sizeof *x->reach_first);
		for (uint32_t key = 0; key < keys; key++) {
			x->reach_first[key] = (uint32_t)x->reach_txn.count;
			if (!h->key_is_list[key] && key != x->key)
				look_at_key(&m, key);
		}
		x->reach_first[keys] = (uint32_t)x->reach_txn.count;
		turn_round(h);
	}
	x->made_values = atoms_count(&h->values) - recorded;
	pool_release(m.pool);
}
