/* queries: see queries.h. */
#include "replay/queries.h"

#include "base/guard.h"

/* The mismatch at a key, if what txn finds there does not explain what the query reports. */
static struct mismatch found_at(const struct replayer *r, uint32_t txn, const struct query *q,
                                uint32_t key)
{
	const struct key_state *k = &r->keys[key];
	bool own = k->seen_by == txn + 1 && k->own;
	return (struct mismatch){.kind = own && !k->met ? MISMATCH_INT : MISMATCH_EXT,
	                         .txn = txn,
	                         .other = own ? txn : visible(k, txn).writer,
	                         .op = q->op,
	                         .key = key,
	                         .expected = own ? k->seen : visible(k, txn).value};
}

/* Checks what the query reports of a key. row: the operation about it among the rows, or ID_NONE.
 */
static void look_for(struct replayer *r, uint32_t txn, const struct query *q, uint32_t key,
                     uint32_t row)
{
	struct mismatch m = found_at(r, txn, q, key);
	if (!predicate_explains(&r->updates, q, row, m.expected))
		replay_found_read(r, m);
}

static void look_once(struct replayer *r, uint32_t txn, const struct query *q, uint32_t key)
{
	if (r->looked[key] != q->op + 1)
		look_for(r, txn, q, key, ID_NONE);
	r->looked[key] = q->op + 1;
}

/* Rows of a select are reads besides, and are looked at as such. */
static void look_at_row(struct replayer *r, uint32_t txn, const struct query *q, uint32_t row)
{
	uint32_t key = op_key(r->h->ops[row]), value = r->h->ops[row].value;
	if (q->kind == QUERY_SELECT && !predicate_matches(r->h, q, value))
		replay_found(r, (struct mismatch){.kind = MISMATCH_INT,
		                                  .txn = txn,
		                                  .other = ID_NONE,
		                                  .op = row,
		                                  .key = key,
		                                  .expected = value});
	if (q->kind != QUERY_SELECT && r->looked[key] != q->op + 1)
		look_for(r, txn, q, key, row);
	r->looked[key] = q->op + 1;
}

/* Changes the key if it matches. */
static void change(struct replayer *r, uint32_t txn, const struct query *q, uint32_t key)
{
	struct key_state *k = &r->keys[key];
	struct mismatch m = found_at(r, txn, q, key);
	bool done = r->looked[key] == q->op + 1;
	r->looked[key] = q->op + 1;
	if (done || !predicate_matches(r->h, q, m.expected))
		return;
	uint32_t made = predicate_makes(&r->updates, q, m.expected);
	if (made == PREDICATE_LOST) { /* it is not known what was written */
		m.kind = MISMATCH_ORDER;
		replay_found(r, m);
	} else if (made != PREDICATE_NEVER) {
		k->seen_by = txn + 1;
		k->seen = made;
		k->own = true;
		k->met = m.kind == MISMATCH_EXT;
		vec_push(r->pool, &r->changes,
		         ((struct change){txn, {(uint32_t)ALIBI_WRITE << KIND_SHIFT | key, made}}));
		if (!r->changes_first[txn])
			r->changes_first[txn] = (uint32_t)r->changes.count;
	} else if (r->h->txns[txn].status == ALIBI_COMMIT) {
		replay_found_read(r, m);
	}
}

/* All keys that txn wrote or changed, whether before or not, and those that match now. */
static void each_key(struct replayer *r, uint32_t txn, const struct query *q,
                     void (*look)(struct replayer *, uint32_t, const struct query *, uint32_t))
{
	const struct history *h = r->h;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		guard_tick(r->guard);
		if (op_writes(h->ops[op]) && query_asks(h, q, op_key(h->ops[op])))
			look(r, txn, q, op_key(h->ops[op]));
	}
	for (size_t i = r->changes.count; i-- > 0 && r->changes.items[i].txn == txn;)
		if (query_asks(h, q, op_key(r->changes.items[i].made)))
			look(r, txn, q, op_key(r->changes.items[i].made));
	size_t count;
	const uint32_t *keys = query_keys(h, q, &count);
	for (size_t i = 0; (i = columns_next(&r->columns, q, keys, count, i)) < count; i++) {
		guard_tick(r->guard);
		if (predicate_matches(h, q, r->keys[keys[i]].now.value))
			look(r, txn, q, keys[i]);
	}
}

void replay_keep_changes(struct replayer *r, uint32_t txn)
{
	for (size_t i = r->changes.count; i-- > 0 && r->changes.items[i].txn == txn;)
		r->changes.items[i].made.value = r->keys[op_key(r->changes.items[i].made)].seen;
}

void replay_query(struct replayer *r, uint32_t txn, const struct query *q)
{
	for (uint32_t i = 0; i < q->excepts; i++)
		r->looked[query_except(r->h, q)[i]] = q->op + 1;
	for (uint32_t row = q->op + 1; row <= q->op + q->rows; row++)
		look_at_row(r, txn, q, row);
	each_key(r, txn, q, q->opaque ? change : look_once);
}
