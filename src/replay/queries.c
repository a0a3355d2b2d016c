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

/* Rows of a select are reads besides, and are looked at as such. */
void replay_query(struct replayer *r, uint32_t txn, const struct query *q)
{
	const struct history *h = r->h;
	const uint32_t *except = query_except(h, q);
	size_t count;
	const uint32_t *keys = query_keys(h, q, &count);
	for (uint32_t i = 0; i < q->excepts; i++)
		r->told[except[i]] = q->op + 1;
	for (uint32_t row = q->op + 1; row <= q->op + q->rows; row++) {
		uint32_t key = op_key(h->ops[row]), value = h->ops[row].value;
		if (q->kind == QUERY_SELECT && !query_matches(h, q, value))
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
	for (size_t i = 0; i < count; i++, guard_tick(r->guard))
		if (r->told[keys[i]] != q->op + 1)
			look_for(r, txn, q, keys[i], NO_ROW);
}
