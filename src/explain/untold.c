/* untold: see untold.h. */
#include "explain/untold.h"

#include "base/guard.h"

static void index_writes(struct untold *u)
{
	const struct history *h = u->h;
	size_t keys = atoms_count(&h->keys);
	u->write_first = pool_zarray(u->pool, keys + 2, sizeof *u->write_first);
	u->writes = pool_array(u->pool, (size_t)h->op_count + 1, sizeof *u->writes);
	u->txn_of_op = pool_array(u->pool, (size_t)h->op_count + 1, sizeof *u->txn_of_op);
	for (uint32_t txn = 0, op = 0; txn < h->txn_count; txn++)
		for (; op < txn_op_end(h, txn); op++, guard_tick(pool_guard(u->pool))) {
			u->txn_of_op[op] = txn;
			if (op_writes(h->ops[op]))
				u->write_first[op_key(h->ops[op]) + 2]++;
		}
	for (size_t i = 2; i < keys + 2; i++)
		u->write_first[i] += u->write_first[i - 1];
	for (uint32_t op = 0; op < h->op_count; op++, guard_tick(pool_guard(u->pool)))
		if (op_writes(h->ops[op]))
			u->writes[u->write_first[op_key(h->ops[op]) + 1]++] = op;
}

static bool is_reached(const struct history *h, uint32_t key)
{
	struct reach r = open_reachers(h, key);
	return r.first < r.end;
}

bool *untold_lost(struct pool *pool, const struct history *h, const bool *keep)
{
	if (!has_open(h))
		return NULL;
	bool *lost = pool_zarray(pool, atoms_count(&h->keys) + 1, sizeof *lost);
	for (uint32_t txn = 0, op = 0; txn < h->txn_count; txn++)
		for (; op < txn_op_end(h, txn); op++) {
			const struct query *q = query_at(h, op);
			uint32_t key = op_key(h->ops[op]);
			struct reach r = open_reached(h, txn);
			guard_tick(pool_guard(pool));
			if (keep[op] || h->txns[txn].status == ALIBI_ABORT)
				continue;
			if (op_writes(h->ops[op]))
				lost[key] = is_reached(h, key);
			for (; q && q->open && r.first < r.end; r.first++)
				lost[h->queries->reach_key[r.first]] = true;
		}
	return lost;
}

void untold_init(struct untold *u, struct pool *pool, const struct history *h, const bool *keep)
{
	*u = (struct untold){.pool = pool, .h = h, .keep = keep};
	if (!h->queries)
		return;
	index_writes(u);
	size_t keys = atoms_count(&h->keys);
	bool *seen = pool_zarray(pool, keys + 1, sizeof *seen);
	for (uint32_t op = 0; op < h->op_count; op++, guard_tick(pool_guard(pool))) {
		uint32_t key = op_key(h->ops[op]);
		if (!keep[op] && !seen[key] && key != h->queries->key) {
			vec_push(pool, &u->touched, key);
			seen[key] = true;
		}
	}
	u->lost = untold_lost(pool, h, keep);
	for (uint32_t key = 0; u->lost && key < keys; key++)
		if (u->lost[key] && !seen[key])
			vec_push(pool, &u->touched, key);
	for (uint32_t key = 0; key < keys; key++, guard_tick(pool_guard(pool)))
		if (u->write_first[key] == u->write_first[key + 1] &&
		    (history_initial(h, key) != ATOM_NULL || is_reached(h, key)))
			vec_push(pool, &u->unwritten, key);
	pool_free(pool, seen);
}

/* May what stays contradict what the query tells, and did something go that may explain it?
 * row: as in the whole history. */
static bool is_untold(const struct untold *u, const struct query *q, uint32_t key, uint32_t row)
{
	const struct history *h = u->h;
	uint32_t reader = u->txn_of_op[q->op];
	bool row_went = row != NO_ROW && !u->keep[row];
	uint32_t told = row_went ? NO_ROW : row; /* in what stays */
	if (is_reached(h, key))
		return u->lost[key] || row_went;
	bool contradicts = !query_explains(h, q, told, history_initial(h, key)), went = row_went;
	for (uint32_t i = u->write_first[key]; i < u->write_first[key + 1]; i++) {
		uint32_t write = u->writes[i], txn = u->txn_of_op[write];
		guard_tick(pool_guard(u->pool));
		if (txn == reader && write < q->op && (!u->keep[write] || row_went))
			return true; /* it follows from what the reader wrote, and part of that went
			              */
		if (txn == reader || h->txns[txn].status == ALIBI_ABORT)
			continue;
		bool explains = query_explains(h, q, row, h->ops[write].value);
		went |= !u->keep[write] && explains;
		contradicts |= u->keep[write] && !query_explains(h, q, told, h->ops[write].value);
	}
	return contradicts && went;
}

void untold_except(struct untold *u, const struct query *q)
{
	const struct history *h = u->h;
	u->found.count = 0;
	for (uint32_t i = 0; i < q->excepts; i++)
		vec_push(u->pool, &u->found, query_except(h, q)[i]);
	for (size_t i = 0; i < u->touched.count; i++) {
		uint32_t key = u->touched.items[i];
		guard_tick(pool_guard(u->pool));
		if (!query_asks(h, q, key))
			continue;
		uint32_t row = query_row(h, q, key);
		bool is_read = row != NO_ROW && u->keep[row] && q->kind == QUERY_SELECT;
		if (!is_read && is_untold(u, q, key, row))
			vec_push(u->pool, &u->found, key);
	}
}

void untold_alone(struct untold *u, const struct query *q)
{
	u->found.count = 0;
	for (size_t i = 0; i < u->unwritten.count; i++) {
		uint32_t key = u->unwritten.items[i];
		guard_tick(pool_guard(u->pool));
		if (query_asks(u->h, q, key) && query_row(u->h, q, key) == NO_ROW &&
		    (is_reached(u->h, key) || query_matches(u->h, q, history_initial(u->h, key))))
			vec_push(u->pool, &u->found, key);
	}
}
