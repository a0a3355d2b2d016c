/* origins: see origins.h. */
#include "order/origins.h"

#include "base/guard.h"
#include "base/numbers.h"

#include <string.h>

/* The read of a list: what of it others appended. */
struct list_read {
	uint32_t op, key, reader;
	const uint32_t *items;
	size_t count;
	bool own; /* the reader appended, too: the named writer, if any, is itself */
};

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
			o->writes[o->write_count++] = (struct keyed){
			        radix_pair(key, opaque_update_final(h, txn, key, h->ops[op].value)),
			        txn};
	}
}

void origins_index(struct origins *o, struct pool *pool, const struct history *h)
{
	*o = (struct origins){.pool = pool, .guard = pool_guard(pool), .h = h};
	uint32_t *last = pool_zarray(pool, atoms_count(&h->keys) + 1, sizeof *last);
	o->txn_of_op = pool_array(pool, (size_t)h->op_count + 1, sizeof *o->txn_of_op);
	o->writes = pool_array(pool, (size_t)h->op_count + 1, sizeof *o->writes);
	o->used = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *o->used);
	for (uint32_t t = 0; t < h->txn_count; t++)
		index_txn(o, t, last);
	radix_sort(pool, o->writes, o->write_count);
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

static bool is_read(const struct origins *o, uint32_t op, uint32_t *own)
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

/* The candidates of a register read; *initial: the initial version is one, too. */
static void find_candidates(struct origins *o, uint32_t op, bool *initial)
{
	const struct history *h = o->h;
	uint32_t key = op_key(h->ops[op]), value = h->ops[op].value, named;
	bool has_named = history_read_from(h, op, &named);
	*initial = history_initial(h, key) == value && (!has_named || named == ID_NONE);
	o->found.count = 0;
	for (size_t i = radix_find(o->writes, o->write_count, radix_pair(key, value));
	     i < o->write_count && o->writes[i].key == radix_pair(key, value); i++) {
		uint32_t txn = o->writes[i].item;
		if (txn != o->txn_of_op[op] && (!has_named || txn == named))
			vec_push(o->pool, &o->found, txn);
	}
}

bool origins_of_query(struct origins *o, uint32_t op, uint32_t key, bool *initial)
{
	const struct history *h = o->h;
	const struct query *q = query_at(h, op);
	uint32_t txn = o->txn_of_op[op];
	o->found.count = 0;
	if (!q || q->opaque || h->txns[txn].status != ALIBI_COMMIT || !query_asks(h, q, key) ||
	    opaque_update_before(h, txn, key, op))
		return false;
	uint32_t row = query_row(h, q, key);
	if (row != ID_NONE && q->kind == QUERY_SELECT)
		return false;
	for (uint32_t i = h->txns[txn].first_op; i < op; i++)
		if (op_writes(h->ops[i]) && op_key(h->ops[i]) == key)
			return false;
	for (size_t i = radix_find(o->writes, o->write_count, radix_pair(key, 0));
	     i < o->write_count && o->writes[i].key >> 32 == key; i++) {
		uint32_t writer = o->writes[i].item;
		guard_tick(o->guard);
		if (writer != txn && query_explains(h, q, row, (uint32_t)o->writes[i].key))
			vec_push(o->pool, &o->found, writer);
	}
	numbers_sort(o->found.items, o->found.count);
	*initial = query_explains(h, q, row, history_initial(h, key));
	return true;
}

/* ---- lists ---- */

static size_t match_block(const struct origins *o, const struct list_read *r, size_t at,
                          uint32_t txn, bool *all)
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

static bool named_other(const struct origins *o, const struct list_read *r, uint32_t last)
{
	uint32_t named;
	return !r->own && history_read_from(o->h, r->op, &named) && named != last;
}

/* ---- choices ---- */

/* Is it what the transaction read of the key last, with no writer named? */
static bool is_repeated(const struct origins *o, uint32_t op, uint32_t own)
{
	const struct history *h = o->h;
	uint32_t named, before = op, own_then = own;
	size_t length, length_then;
	while (before-- > h->txns[o->txn_of_op[op]].first_op) {
		if (op_key(h->ops[before]) != op_key(h->ops[op]))
			continue;
		if (!op_writes(h->ops[before]))
			break;
		own_then--;
	}
	if (before + 1 == h->txns[o->txn_of_op[op]].first_op ||
	    (!own && history_read_from(h, op, &named)))
		return false;
	uint32_t value = h->ops[op].value, value_then = h->ops[before].value;
	if (!h->key_is_list[op_key(h->ops[op])])
		return value == value_then;
	const uint32_t *items = atoms_items(&h->values, value, &length);
	const uint32_t *then = atoms_items(&h->values, value_then, &length_then);
	return length >= own && length - own == length_then - own_then &&
	       (length == own || !memcmp(items, then, (length - own) * sizeof *items));
}

static bool close_choice(struct origins *o, size_t max)
{
	vec_push(o->pool, &o->ends, o->found.count);
	return o->ends.count <= max;
}

/* The next append of the block's first element by a transaction whose appends all follow. */
static bool try_next(struct origins *o, const struct list_read *r, struct matching *m,
                     size_t *block)
{
	uint64_t wanted = radix_pair(r->key, r->items[m->at]);
	for (; m->write < o->write_count && o->writes[m->write].key == wanted; m->write++) {
		uint32_t txn = o->writes[m->write].item;
		bool all;
		guard_tick(o->guard);
		if (txn == r->reader || o->used[txn])
			continue;
		*block = match_block(o, r, m->at, txn, &all);
		if (all && (!m->write || o->writes[m->write - 1].key != wanted ||
		            o->writes[m->write - 1].item != txn))
			return true;
	}
	return false;
}

static void begin_block(struct origins *o, const struct list_read *r, size_t at)
{
	size_t write = radix_find(o->writes, o->write_count, radix_pair(r->key, r->items[at]));
	vec_push(o->pool, &o->tried, ((struct matching){at, write}));
}

/* Most ways to begin a list may lead nowhere. */
enum { TRIES_A_CHOICE = 100 };

/* Depth first; where elements are unique there is one way at most. The blocks matched so far
 * are o->tried; each finished sequence is copied behind the ones before it. */
static bool match_blocks(struct origins *o, const struct list_read *r, size_t max)
{
	bool few = true;
	o->tried.count = 0;
	begin_block(o, r, 0);
	for (size_t tries = 0; o->tried.count && few; tries++) {
		few = tries / TRIES_A_CHOICE <= max + r->count;
		struct matching *m = &o->tried.items[o->tried.count - 1];
		size_t block;
		if (!try_next(o, r, m, &block)) {
			if (--o->tried.count) {
				m = &o->tried.items[o->tried.count - 1];
				o->used[o->writes[m->write++].item] = false;
			}
			continue;
		}
		uint32_t txn = o->writes[m->write].item;
		if (m->at + block < r->count) {
			o->used[txn] = true;
			begin_block(o, r, m->at + block);
			continue;
		}
		for (size_t i = 0; i < o->tried.count && !named_other(o, r, txn); i++)
			vec_push(o->pool, &o->found, o->writes[o->tried.items[i].write].item);
		if (!named_other(o, r, txn))
			few = close_choice(o, max);
		m->write++;
	}
	for (size_t i = 0; i + 1 < o->tried.count; i++) /* left early */
		o->used[o->writes[o->tried.items[i].write].item] = false;
	return few;
}

static bool list_choices(struct origins *o, uint32_t op, uint32_t own, size_t max)
{
	struct list_read r = {
	        .op = op, .key = op_key(o->h->ops[op]), .reader = o->txn_of_op[op], .own = own > 0};
	r.items = atoms_items(&o->h->values, o->h->ops[op].value, &r.count);
	if (r.count < own)
		return false;
	r.count -= own;
	o->found.count = 0;
	return r.count ? match_blocks(o, &r, max)
	               : named_other(o, &r, ID_NONE) || close_choice(o, max);
}

bool origins_choices(struct origins *o, uint32_t op, size_t max)
{
	uint32_t own;
	bool initial;
	o->ends.count = 0;
	if (!is_read(o, op, &own) || is_repeated(o, op, own))
		return false;
	if (o->h->key_is_list[op_key(o->h->ops[op])])
		return list_choices(o, op, own, max);
	if (own)
		return false;
	find_candidates(o, op, &initial);
	for (size_t i = 0; i < o->found.count; i++)
		vec_push(o->pool, &o->ends, i + 1);
	if (initial)
		vec_push(o->pool, &o->ends, o->found.count);
	return o->ends.count <= max;
}
