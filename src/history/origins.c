/* origins: see origins.h. */
#include "history/origins.h"

#include "base/guard.h"

static uint64_t key_value(uint32_t key, uint32_t value)
{
	return (uint64_t)key << 32 | value;
}

bool origins_takes_part(const struct origins *o, uint32_t txn)
{
	return txn < o->h->txn_count && o->h->txns[txn].status != ALIBI_ABORT;
}

/* A write is final if the transaction does not write the key again. */
static void index_txn(struct origins *o, uint32_t txn, uint32_t *last)
{
	const struct history *h = o->h;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		o->txn_of_op[op] = txn;
		if (op_writes(h->ops[op]))
			last[op_key(h->ops[op])] = op;
	}
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		uint32_t key = op_key(h->ops[op]);
		bool counts = op_writes(h->ops[op]) && (h->key_is_list[key] || last[key] == op);
		guard_tick(o->guard);
		if (counts && origins_takes_part(o, txn))
			o->writes[o->write_count++] =
			        (struct keyed){key_value(key, h->ops[op].value), txn};
	}
}

void origins_index(struct origins *o, struct pool *pool, const struct history *h)
{
	size_t keys = atoms_count(&h->keys) + 1;
	*o = (struct origins){.pool = pool, .guard = pool_guard(pool), .h = h};
	uint32_t *last = pool_zarray(pool, keys, sizeof *last);
	o->txn_of_op = pool_array(pool, (size_t)h->op_count + 1, sizeof *o->txn_of_op);
	o->writes = pool_array(pool, (size_t)h->op_count + 1, sizeof *o->writes);
	o->repeats = pool_zarray(pool, keys, sizeof *o->repeats);
	for (uint32_t t = 0; t < h->txn_count; t++)
		index_txn(o, t, last);
	radix_sort(pool, o->writes, o->write_count);
	for (size_t i = 1; i < o->write_count; i++)
		if (o->writes[i - 1].key == o->writes[i].key)
			o->repeats[o->writes[i].key >> 32] = true;
	pool_free(pool, last);
}

bool origins_writes(const struct origins *o, uint32_t txn, uint32_t key)
{
	if (!origins_takes_part(o, txn))
		return false;
	for (uint32_t op = o->h->txns[txn].first_op; op < txn_op_end(o->h, txn); op++)
		if (op_writes(o->h->ops[op]) && op_key(o->h->ops[op]) == key)
			return true;
	return false;
}

bool origins_is_read(const struct origins *o, uint32_t op, uint32_t *own)
{
	const struct history *h = o->h;
	if (op >= h->op_count || op_kind(h->ops[op]) != ALIBI_READ ||
	    h->txns[o->txn_of_op[op]].status != ALIBI_COMMIT)
		return false;
	*own = 0;
	for (uint32_t i = h->txns[o->txn_of_op[op]].first_op; i < op; i++)
		*own += op_writes(h->ops[i]) && op_key(h->ops[i]) == op_key(h->ops[op]);
	return true;
}

bool origins_of(struct origins *o, uint32_t op, bool *initial)
{
	const struct history *h = o->h;
	uint32_t own, named;
	if (!origins_is_read(o, op, &own) || own || h->key_is_list[op_key(h->ops[op])])
		return false;
	uint64_t wanted = key_value(op_key(h->ops[op]), h->ops[op].value);
	bool has_named = history_read_from(h, op, &named);
	*initial = history_initial(h, op_key(h->ops[op])) == h->ops[op].value &&
	           (!has_named || named == NO_TXN);
	o->found.count = 0;
	for (size_t i = radix_find(o->writes, o->write_count, wanted);
	     i < o->write_count && o->writes[i].key == wanted; i++) {
		uint32_t txn = o->writes[i].item;
		if (txn != o->txn_of_op[op] && (!has_named || txn == named))
			vec_push(o->pool, &o->found, txn);
	}
	return true;
}

/* ---- lists ---- */

bool origins_list(const struct origins *o, uint32_t op, struct list_read *r)
{
	uint32_t own;
	if (!origins_is_read(o, op, &own) || !o->h->key_is_list[op_key(o->h->ops[op])])
		return false;
	*r = (struct list_read){
	        .op = op, .key = op_key(o->h->ops[op]), .reader = o->txn_of_op[op], .own = own > 0};
	r->items = atoms_items(&o->h->values, o->h->ops[op].value, &r->count);
	if (r->count < own)
		return false;
	r->count -= own;
	return true;
}

size_t origins_block(const struct origins *o, const struct list_read *r, size_t at, uint32_t txn,
                     bool *all)
{
	size_t matched = 0;
	*all = true;
	for (uint32_t op = o->h->txns[txn].first_op; op < txn_op_end(o->h, txn) && *all; op++) {
		if (!op_writes(o->h->ops[op]) || op_key(o->h->ops[op]) != r->key)
			continue;
		*all = at + matched < r->count && r->items[at + matched] == o->h->ops[op].value;
		matched += *all;
	}
	return matched;
}

bool origins_appended(const struct origins *o, uint32_t key, uint32_t element)
{
	uint64_t wanted = key_value(key, element);
	size_t i = radix_find(o->writes, o->write_count, wanted);
	return i < o->write_count && o->writes[i].key == wanted;
}

bool origins_of_list(struct origins *o, const struct list_read *r)
{
	o->found.count = 0;
	for (size_t at = 0, block; at < r->count; at += block) {
		bool all;
		guard_tick(o->guard);
		if (!origins_appended(o, r->key, r->items[at]))
			return false;
		uint32_t txn = o->writes[radix_find(o->writes, o->write_count,
		                                    key_value(r->key, r->items[at]))]
		                       .item;
		block = origins_block(o, r, at, txn, &all);
		if (txn == r->reader || !all)
			return false;
		vec_push(o->pool, &o->found, txn);
	}
	return true;
}

bool origins_named_other(const struct origins *o, const struct list_read *r, uint32_t last)
{
	uint32_t named;
	return !r->own && history_read_from(o->h, r->op, &named) && named != last;
}
