/* origins: see origins.h. */
#include "history/origins.h"

#include "base/guard.h"
#include "base/numbers.h"

#include <string.h>

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
			        radix_pair(key, open_final(h, txn, key, h->ops[op].value)), txn};
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
	o->used = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *o->used);
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

bool origins_explains(const struct origins *o, uint32_t writer, uint32_t value)
{
	const struct asked *a = &o->asked;
	uint32_t named;
	if (a->q)
		return query_explains(o->h, a->q, a->row, value);
	if (a->read == NO_ROW)
		return open_leaves(o->h, a->reader, a->key, writer, value) != a->outcome;
	return o->h->ops[a->read].value == value &&
	       (!history_read_from(o->h, a->read, &named) || named == writer);
}

/* Those who may have left the value (ATOM_NONE: any) by an open update. */
static void find_perhaps(struct origins *o, uint32_t reader, uint32_t key, uint32_t value)
{
	struct reach r = open_reachers(o->h, key);
	o->perhaps.count = 0;
	for (; r.first < r.end; r.first++) {
		uint32_t txn = o->h->queries->reach_txn.items[r.first];
		guard_tick(o->guard);
		if (txn != reader && open_may_write(o->h, txn, key) &&
		    (value == ATOM_NONE || open_may_leave(o->h, txn, key, value)))
			vec_push(o->pool, &o->perhaps, txn);
	}
}

void origins_candidates(struct origins *o, uint32_t op, bool *initial)
{
	const struct history *h = o->h;
	uint32_t named;
	uint64_t wanted = radix_pair(op_key(h->ops[op]), h->ops[op].value);
	bool has_named = history_read_from(h, op, &named);
	o->asked =
	        (struct asked){.reader = o->txn_of_op[op], .key = op_key(h->ops[op]), .read = op};
	*initial = origins_explains(o, NO_TXN, history_initial(h, op_key(h->ops[op])));
	o->found.count = 0;
	for (size_t i = radix_find(o->writes, o->write_count, wanted);
	     i < o->write_count && o->writes[i].key == wanted; i++) {
		uint32_t txn = o->writes[i].item;
		if (txn != o->txn_of_op[op] && (!has_named || txn == named))
			vec_push(o->pool, &o->found, txn);
	}
	find_perhaps(o, o->txn_of_op[op], op_key(h->ops[op]), h->ops[op].value);
	for (size_t i = o->perhaps.count; has_named && i-- > 0;)
		if (o->perhaps.items[i] != named)
			o->perhaps.items[i] = o->perhaps.items[--o->perhaps.count];
}

bool origins_of(struct origins *o, uint32_t op, bool *initial)
{
	uint32_t own;
	if (!origins_is_read(o, op, &own) || own || o->h->key_is_list[op_key(o->h->ops[op])] ||
	    open_before(o->h, o->txn_of_op[op], op_key(o->h->ops[op]), op))
		return false;
	origins_candidates(o, op, initial);
	return true;
}

/* Of those who write a key, who explains it. */
static void find_explaining(struct origins *o, struct asked asked, bool *initial)
{
	uint32_t key = asked.key;
	o->asked = asked;
	o->found.count = 0;
	for (size_t i = radix_find(o->writes, o->write_count, radix_pair(key, 0));
	     i < o->write_count && o->writes[i].key >> 32 == key; i++) {
		uint32_t txn = o->writes[i].item;
		guard_tick(o->guard);
		if (txn != asked.reader && origins_explains(o, txn, (uint32_t)o->writes[i].key))
			vec_push(o->pool, &o->found, txn);
	}
	numbers_sort(o->found.items, o->found.count);
	find_perhaps(o, asked.reader, key, ATOM_NONE);
	*initial = origins_explains(o, NO_TXN, history_initial(o->h, key));
}

bool origins_of_query(struct origins *o, uint32_t op, uint32_t key, bool *initial)
{
	const struct history *h = o->h;
	const struct query *q = query_at(h, op);
	o->found.count = o->perhaps.count = 0;
	if (!q || q->open || h->txns[o->txn_of_op[op]].status != ALIBI_COMMIT ||
	    key >= atoms_count(&h->keys) || !query_asks(h, q, key) ||
	    open_before(h, o->txn_of_op[op], key, op))
		return false;
	uint32_t row = query_row(h, q, key);
	if (row != NO_ROW && q->kind == QUERY_SELECT)
		return false;
	for (uint32_t i = h->txns[o->txn_of_op[op]].first_op; i < op; i++)
		if (op_writes(h->ops[i]) && op_key(h->ops[i]) == key)
			return false;
	find_explaining(o, (struct asked){o->txn_of_op[op], key, NO_ROW, q, row, 0}, initial);
	return true;
}

void origins_of_open(struct origins *o, uint32_t txn, uint32_t key, uint32_t outcome, bool *initial)
{
	find_explaining(o, (struct asked){txn, key, NO_ROW, NULL, NO_ROW, outcome}, initial);
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

static bool is_appended(const struct origins *o, uint32_t key, uint32_t element)
{
	uint64_t wanted = radix_pair(key, element);
	size_t i = radix_find(o->writes, o->write_count, wanted);
	return i < o->write_count && o->writes[i].key == wanted;
}

size_t origins_appends(const struct origins *o, const struct list_read *r, uint32_t element,
                       const uint32_t *txns, size_t count, bool these)
{
	uint64_t wanted = radix_pair(r->key, element);
	size_t sum = 0, next = 0;
	for (size_t i = radix_find(o->writes, o->write_count, wanted);
	     i < o->write_count && o->writes[i].key == wanted; i++) {
		uint32_t txn = o->writes[i].item;
		guard_tick(o->guard);
		while (next < count && txns[next] < txn)
			next++;
		sum += txn != r->reader && (next < count && txns[next] == txn) == these;
	}
	return sum;
}

/* Nobody is in the sequence twice. */
bool origins_of_list(struct origins *o, const struct list_read *r)
{
	bool whole = true;
	o->found.count = 0;
	for (size_t at = 0, block; at < r->count && whole; at += block) {
		guard_tick(o->guard);
		if (!is_appended(o, r->key, r->items[at])) {
			whole = false;
			break;
		}
		uint32_t txn = o->writes[radix_find(o->writes, o->write_count,
		                                    radix_pair(r->key, r->items[at]))]
		                       .item;
		block = origins_block(o, r, at, txn, &whole);
		whole = whole && txn != r->reader && !o->used[txn];
		if (whole) {
			o->used[txn] = true;
			vec_push(o->pool, &o->found, txn);
		}
	}
	for (size_t i = 0; i < o->found.count; i++)
		o->used[o->found.items[i]] = false;
	return whole;
}

bool origins_named_other(const struct origins *o, const struct list_read *r, uint32_t last)
{
	uint32_t named;
	return !r->own && history_read_from(o->h, r->op, &named) && named != last;
}

/* ---- choices ---- */

/* Is it what the transaction read of the key last, and does nobody say otherwise? */
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

/* The next append of the block's first element by somebody whose appends all follow. */
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
		*block = origins_block(o, r, m->at, txn, &all);
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

/* Depth first: the blocks matched so far are o->tried; each finished sequence is copied
 * behind the ones before it. */
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
		for (size_t i = 0; i < o->tried.count && !origins_named_other(o, r, txn); i++)
			vec_push(o->pool, &o->found, o->writes[o->tried.items[i].write].item);
		if (!origins_named_other(o, r, txn))
			few = close_choice(o, max);
		m->write++;
	}
	for (size_t i = 0; i + 1 < o->tried.count; i++) /* left early */
		o->used[o->writes[o->tried.items[i].write].item] = false;
	return few;
}

static bool list_choices(struct origins *o, const struct list_read *r, size_t max)
{
	if (o->repeats[r->key] && r->count) {
		o->found.count = 0;
		return match_blocks(o, r, max);
	}
	if (!origins_of_list(o, r))
		return true;
	uint32_t last = r->count ? o->found.items[o->found.count - 1] : NO_TXN;
	return origins_named_other(o, r, last) || close_choice(o, max);
}

bool origins_choices(struct origins *o, uint32_t op, size_t max)
{
	uint32_t own;
	bool initial;
	struct list_read r;
	o->ends.count = 0;
	if (!origins_is_read(o, op, &own) || is_repeated(o, op, own))
		return false;
	if (o->h->key_is_list[op_key(o->h->ops[op])])
		return origins_list(o, op, &r) && list_choices(o, &r, max);
	if (own)
		return false;
	origins_candidates(o, op, &initial);
	for (size_t i = 0; i < o->found.count; i++)
		vec_push(o->pool, &o->ends, i + 1);
	if (initial)
		vec_push(o->pool, &o->ends, o->found.count);
	return o->ends.count <= max;
}
