/* exceptions: see exceptions.h. */
#include "explain/exceptions.h"

#include "base/guard.h"

static void index_writes(struct exceptions *x)
{
	const struct history *h = x->h;
	size_t keys = atoms_count(&h->keys);
	x->write_first = pool_zarray(x->pool, keys + 2, sizeof *x->write_first);
	x->writes = pool_array(x->pool, (size_t)h->op_count + 1, sizeof *x->writes);
	x->txn_of_op = pool_array(x->pool, (size_t)h->op_count + 1, sizeof *x->txn_of_op);
	for (uint32_t txn = 0, op = 0; txn < h->txn_count; txn++)
		for (; op < txn_op_end(h, txn); op++, guard_tick(pool_guard(x->pool))) {
			x->txn_of_op[op] = txn;
			if (op_writes(h->ops[op]))
				x->write_first[op_key(h->ops[op]) + 2]++;
		}
	for (size_t i = 2; i < keys + 2; i++)
		x->write_first[i] += x->write_first[i - 1];
	for (uint32_t op = 0; op < h->op_count; op++, guard_tick(pool_guard(x->pool)))
		if (op_writes(h->ops[op]))
			x->writes[x->write_first[op_key(h->ops[op]) + 1]++] = op;
}

static bool is_reached(const struct history *h, uint32_t key)
{
	struct reach r = opaque_update_reachers(h, key);
	return r.first < r.end;
}

bool *exceptions_lost(struct pool *pool, const struct history *h, const bool *keep)
{
	if (!has_opaque(h))
		return NULL;
	bool *lost = pool_zarray(pool, atoms_count(&h->keys) + 1, sizeof *lost);
	for (uint32_t txn = 0, op = 0; txn < h->txn_count; txn++)
		for (; op < txn_op_end(h, txn); op++) {
			const struct query *q = query_at(h, op);
			uint32_t key = op_key(h->ops[op]);
			struct reach r = opaque_update_reached(h, txn);
			guard_tick(pool_guard(pool));
			if (keep[op] || h->txns[txn].status == ALIBI_ABORT)
				continue;
			if (op_writes(h->ops[op]))
				lost[key] = is_reached(h, key);
			for (; q && q->opaque && r.first < r.end; r.first++)
				lost[h->queries->reach_key[r.first]] = true;
		}
	return lost;
}

static bool any_write_kept(const struct exceptions *x, uint32_t key)
{
	for (uint32_t i = x->write_first[key]; i < x->write_first[key + 1]; i++)
		if (x->keep[x->writes[i]])
			return true;
	return false;
}

void exceptions_init(struct exceptions *x, struct pool *pool, const struct history *h,
                     const bool *keep)
{
	*x = (struct exceptions){.pool = pool, .h = h, .keep = keep};
	if (!h->queries)
		return;
	index_writes(x);
	size_t keys = atoms_count(&h->keys);
	bool *seen = pool_zarray(pool, keys + 1, sizeof *seen);
	for (uint32_t op = 0; op < h->op_count; op++, guard_tick(pool_guard(pool))) {
		uint32_t key = op_key(h->ops[op]);
		if (!keep[op] && !seen[key] && key != h->queries->key) {
			vec_push(pool, &x->touched, key);
			seen[key] = true;
		}
	}
	x->lost = exceptions_lost(pool, h, keep);
	for (uint32_t key = 0; x->lost && key < keys; key++)
		if (x->lost[key] && !seen[key])
			vec_push(pool, &x->touched, key);
	for (uint32_t key = 0; key < keys; key++, guard_tick(pool_guard(pool)))
		if (!any_write_kept(x, key) &&
		    (history_initial(h, key) != ATOM_NULL || is_reached(h, key)))
			vec_push(pool, &x->unwritten, key);
	pool_free(pool, seen);
}

/* Can a kept write contradict the query result while a dropped one may explain it? row: in
 * the whole history. */
static bool is_exception(const struct exceptions *x, const struct query *q, uint32_t key,
                         uint32_t row)
{
	const struct history *h = x->h;
	uint32_t reader = x->txn_of_op[q->op];
	bool row_dropped = row != ID_NONE && !x->keep[row];
	uint32_t kept_row = row_dropped ? ID_NONE : row;
	if (is_reached(h, key))
		return x->lost[key] || row_dropped;
	bool contradicts = !query_explains(h, q, kept_row, history_initial(h, key));
	bool dropped = row_dropped;
	for (uint32_t i = x->write_first[key]; i < x->write_first[key + 1]; i++) {
		uint32_t write = x->writes[i], txn = x->txn_of_op[write];
		guard_tick(pool_guard(x->pool));
		if (txn == reader && write < q->op && (!x->keep[write] || row_dropped))
			return true; /* the result follows from the reader's own writes */
		if (txn == reader || h->txns[txn].status == ALIBI_ABORT)
			continue;
		bool explains = query_explains(h, q, row, h->ops[write].value);
		dropped |= !x->keep[write] && explains;
		contradicts |=
		        x->keep[write] && !query_explains(h, q, kept_row, h->ops[write].value);
	}
	return contradicts && dropped;
}

void exceptions_of_query(struct exceptions *x, const struct query *q)
{
	const struct history *h = x->h;
	x->found.count = 0;
	for (uint32_t i = 0; i < q->excepts; i++)
		vec_push(x->pool, &x->found, query_except(h, q)[i]);
	for (size_t i = 0; i < x->touched.count; i++) {
		uint32_t key = x->touched.items[i];
		guard_tick(pool_guard(x->pool));
		if (!query_asks(h, q, key))
			continue;
		uint32_t row = query_row(h, q, key);
		bool is_read = row != ID_NONE && x->keep[row] && q->kind == QUERY_SELECT;
		if (!is_read && is_exception(x, q, key, row))
			vec_push(x->pool, &x->found, key);
	}
}

void exceptions_unwritten(struct exceptions *x, const struct query *q)
{
	x->found.count = 0;
	for (size_t i = 0; i < x->unwritten.count; i++) {
		uint32_t key = x->unwritten.items[i];
		guard_tick(pool_guard(x->pool));
		if (query_asks(x->h, q, key) && query_row(x->h, q, key) == ID_NONE &&
		    (is_reached(x->h, key) || query_matches(x->h, q, history_initial(x->h, key))))
			vec_push(x->pool, &x->found, key);
	}
}
