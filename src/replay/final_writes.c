/* final_writes: see final_writes.h. */
#include "replay/final_writes.h"

#include "base/guard.h"
#include "base/ids.h"

bool txn_counts(const struct history *h, uint32_t txn)
{
	return txn < h->txn_count && h->txns[txn].status != ALIBI_ABORT;
}

bool read_may_be_from(const struct history *h, uint32_t op, uint32_t writer)
{
	uint32_t named;
	return !history_read_from(h, op, &named) || named == writer;
}

static void add_txn(struct final_writes *w, const struct history *h, struct opaque *o, uint32_t txn,
                    uint32_t *last)
{
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++)
		if (op_writes(h->ops[op]))
			last[op_key(h->ops[op])] = op;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		uint32_t key = op_key(h->ops[op]), value = h->ops[op].value;
		guard_tick(pool_guard(o->updates.pool));
		if (!op_writes(h->ops[op]) || (last[key] != op && !h->key_is_list[key]))
			continue;
		if (opaque_place(o, txn, key) != ID_NONE)
			value = opaque_leaves(o, txn, key, ID_NONE, ATOM_NULL, false);
		w->items[w->count++] = (struct keyed){radix_pair(key, value), txn};
	}
}

void final_writes_init(struct final_writes *w, struct pool *pool, const struct history *h,
                       struct opaque *opaque)
{
	uint32_t *last = pool_zarray(pool, atoms_count(&h->keys) + 1, sizeof *last);
	*w = (struct final_writes){
	        .items = pool_array(pool, (size_t)h->op_count + 1, sizeof *w->items)};
	for (uint32_t t = 0; t < h->txn_count; t++)
		if (txn_counts(h, t))
			add_txn(w, h, opaque, t, last);
	radix_sort(pool, w->items, w->count);
	w->items[w->count].key = UINT64_MAX;
	pool_free(pool, last);
}

const struct keyed *final_writes_of(const struct final_writes *w, uint32_t key, uint32_t value)
{
	return w->items + radix_find(w->items, w->count, radix_pair(key, value));
}
