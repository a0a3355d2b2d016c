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
	size_t keys = atoms_count(&h->keys);
	uint32_t *last = pool_zarray(pool, keys + 1, sizeof *last);
	w->items = pool_array(pool, (size_t)h->op_count + 1, sizeof *w->items);
	w->count = 0;
	w->values = atoms_count(&h->values);
	w->of_value = pool_zarray(pool, w->values, sizeof *w->of_value);
	for (uint32_t t = 0; t < h->txn_count; t++)
		if (txn_counts(h, t))
			add_txn(w, h, opaque, t, last);
	radix_sort(pool, w->items, w->count);
	w->items[w->count].key = UINT64_MAX;
	for (uint32_t i = (uint32_t)w->count; i-- > 0;)
		if ((uint32_t)w->items[i].key < w->values) /* an opaque update may leave others */
			w->of_value[(uint32_t)w->items[i].key] = i;
	pool_free(pool, last);
}

const struct keyed *final_writes_of(const struct final_writes *w, uint32_t key, uint32_t value)
{
	uint64_t wanted = radix_pair(key, value);
	size_t at = value < w->values ? w->of_value[value] : 0;
	return w->items +
	       (w->items[at].key == wanted ? at : radix_find(w->items, w->count, wanted));
}
