/* queries: see queries.h. */
#include "replay/queries.h"

#include "base/guard.h"

/* Is what the query tells of a key right? row: the operation that does, or NO_ROW. */
static void look_for(struct replayer *r, uint32_t txn, const struct query *q, uint32_t key,
                     uint32_t row)
{
	const struct key_state *k = &r->keys[key];
	bool own = k->seen_by == txn + 1 && k->own;
	struct mismatch m = {.kind = own ? MISMATCH_INT : MISMATCH_EXT,
	                     .txn = txn,
	                     .other = own ? txn : visible(k, txn).writer,
	                     .op = q->op,
	                     .key = key,
	                     .expected = own ? k->seen : visible(k, txn).value};
	if (!query_explains(r->h, q, row, m.expected))
		replay_found_read(r, m);
}

static void look_once(struct replayer *r, uint32_t txn, const struct query *q, uint32_t key)
{
	if (r->told[key] != q->op + 1)
		look_for(r, txn, q, key, NO_ROW);
	r->told[key] = q->op + 1;
}

/* Rows of a select are reads besides, and are looked at as such. */
static void look_at_row(struct replayer *r, uint32_t txn, const struct query *q, uint32_t row)
{
	uint32_t key = op_key(r->h->ops[row]), value = r->h->ops[row].value;
	if (q->kind == QUERY_SELECT && !query_matches(r->h, q, value))
		replay_found(r, (struct mismatch){.kind = MISMATCH_INT,
		                                  .txn = txn,
		                                  .other = NO_TXN,
		                                  .op = row,
		                                  .key = key,
		                                  .expected = value});
	if (q->kind != QUERY_SELECT && r->told[key] != q->op + 1)
		look_for(r, txn, q, key, row);
	r->told[key] = q->op + 1;
}

void replay_query(struct replayer *r, uint32_t txn, const struct query *q)
{
	const struct history *h = r->h;
	for (uint32_t i = 0; i < q->excepts; i++)
		r->told[query_except(h, q)[i]] = q->op + 1;
	for (uint32_t row = q->op + 1; row <= q->op + q->rows; row++)
		look_at_row(r, txn, q, row);
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		guard_tick(r->guard);
		if (op_writes(h->ops[op]) && query_asks(h, q, op_key(h->ops[op])))
			look_once(r, txn, q, op_key(h->ops[op]));
	}
	rows_match(&r->rows, q);
	for (size_t i = 0; i < r->rows.found.count; i++)
		look_once(r, txn, q, r->rows.found.items[i]);
}
