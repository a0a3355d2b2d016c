/* problem: see problem.h. This file: external reads, final writes, and candidates. */
#include "order/problem.h"

#include "base/guard.h"
#include "base/numbers.h"
#include "base/radix.h"
#include "order/known.h"

#include <assert.h>
#include <string.h>

/* What the transaction being scanned did to a key before. */
struct touched {
	uint32_t by;               /* the transaction */
	bool own;                  /* it wrote the key, … */
	bool read;                 /* … it has read it, … */
	bool opaque;               /* … an opaque update may have changed it */
	uint32_t seen;             /* the value it then had (registers) */
	uint32_t write;            /* its final write, in writes */
	uint32_t base, base_count; /* lists: the value read, how much of it was not its own */
	VEC(uint32_t) appended;    /* lists: its own elements */
};

struct scan {
	struct problem *p;
	struct touched *keys;
};

static struct touched *touch(struct scan *s, uint32_t txn, uint32_t key)
{
	struct touched *k = &s->keys[key];
	if (k->by != txn) {
		k->by = txn;
		k->own = k->read = k->opaque = false;
		k->appended.count = 0;
	}
	return k;
}

static bool scan_read(struct scan *s, uint32_t txn, uint32_t op)
{
	struct problem *p = s->p;
	uint32_t key = problem_key(p, op), value = p->h->ops[op].value, named;
	struct touched *k = touch(s, txn, key);
	bool has_named = history_read_from(p->h, op, &named);
	if (k->opaque && !k->own)
		return true; /* checked by opaque_update_leaves() */
	if ((k->own || (k->read && !p->rules.unrepeatable)) && k->seen != value)
		return problem_impossible(p, IMPOSSIBLE_INT, op, ID_NONE);
	if (k->own && has_named && named != txn)
		return problem_impossible(p, IMPOSSIBLE_INT, op, ID_NONE);
	if (k->own || (k->read && k->seen == value && !has_named))
		return true;
	k->read = true;
	k->seen = value;
	vec_push(p->pool, &p->reads,
	         ((struct external_read){.op = op, .key = key, .value = value}));
	return true;
}

static bool same_items(const uint32_t *a, const uint32_t *b, size_t count)
{
	return !count || !memcmp(a, b, count * sizeof *a);
}

static bool scan_list_read(struct scan *s, uint32_t txn, uint32_t op)
{
	struct problem *p = s->p;
	uint32_t key = problem_key(p, op), value = p->h->ops[op].value, named;
	struct touched *k = touch(s, txn, key);
	size_t count, base_length, own = k->appended.count;
	const uint32_t *items = atoms_items(&p->h->values, value, &count);
	bool has_named = history_read_from(p->h, op, &named);
	if (count < own || !same_items(items + count - own, k->appended.items, own))
		return problem_impossible(p, IMPOSSIBLE_INT, op, ID_NONE);
	if (own && has_named && named != txn)
		return problem_impossible(p, IMPOSSIBLE_INT, op, ID_NONE);
	if (k->read) {
		const uint32_t *base = atoms_items(&p->h->values, k->base, &base_length);
		bool same = k->base_count == count - own && same_items(items, base, count - own);
		if (!same && !p->rules.unrepeatable)
			return problem_impossible(p, IMPOSSIBLE_INT, op, ID_NONE);
		if (same && (own || !has_named))
			return true;
	}
	k->read = true;
	k->base = value;
	k->base_count = (uint32_t)(count - own);
	vec_push(p->pool, &p->list_reads,
	         ((struct external_list_read){.op = op, .key = key, .count = k->base_count}));
	return true;
}

static void scan_write(struct scan *s, uint32_t txn, uint32_t op)
{
	struct problem *p = s->p;
	uint32_t key = problem_key(p, op), value = p->h->ops[op].value;
	struct touched *k = touch(s, txn, key);
	if (!k->own) {
		k->own = true;
		k->write = (uint32_t)p->writes.count;
		vec_push(p->pool, &p->writes, ((struct final_write){.key = key}));
	}
	if (op_kind(p->h->ops[op]) == ALIBI_APPEND) {
		p->writes.items[k->write].value = ID_NONE;
		vec_push(p->pool, &k->appended, value);
		vec_push(p->pool, &p->appends, ((struct final_write){.key = key, .value = value}));
	} else {
		p->writes.items[k->write].value = k->seen = value;
	}
}

/* Checks rows that do not match, and keys that the transaction wrote before. All else that a
 * query says depends on the order. */
static bool scan_query(struct problem *p, uint32_t first_write, const struct query *q)
{
	const struct history *h = p->h;
	for (uint32_t row = q->op + 1; row <= q->op + q->rows && q->kind == QUERY_SELECT; row++)
		if (!query_matches(h, q, h->ops[row].value))
			return problem_impossible(p, IMPOSSIBLE_INT, row, ID_NONE);
	for (size_t i = first_write; i < p->writes.count; i++) {
		uint32_t key = p->key_of[p->writes.items[i].key];
		if (!query_asks(h, q, key))
			continue;
		uint32_t row = query_row(h, q, key);
		guard_tick(pool_guard(p->pool));
		if ((row != ID_NONE && q->kind == QUERY_SELECT) ||
		    query_explains(h, q, row, p->writes.items[i].value))
			continue;
		return problem_impossible(p, IMPOSSIBLE_INT, q->op, key);
	}
	return true;
}

/* Applies an update whose rows were not recorded to the transaction's own writes; other
 * keys that it may have changed are left to the search. */
static bool scan_opaque(struct scan *s, uint32_t txn, uint32_t first_write, const struct query *q)
{
	struct problem *p = s->p;
	const struct history *h = p->h;
	struct reach reached = opaque_update_reached(h, txn);
	for (size_t i = first_write; i < p->writes.count; i++) {
		struct final_write *w = &p->writes.items[i];
		uint32_t key = p->key_of[w->key], made;
		guard_tick(pool_guard(p->pool));
		if (!query_asks(h, q, key) || !query_matches(h, q, w->value))
			continue;
		made = opaque_update_makes(h, q, w->value);
		if (made != OPAQUE_NEVER) {
			w->value = touch(s, txn, w->key)->seen = made;
		} else if (h->txns[txn].status == ALIBI_COMMIT) {
			return problem_impossible(p, IMPOSSIBLE_INT, q->op, key);
		}
	}
	for (uint32_t i = reached.first; i < reached.end; i++) {
		uint32_t key = h->queries->reach_key[i];
		struct touched *k = touch(s, txn, p->number_of[key]);
		k->opaque |= query_asks(h, q, key);
	}
	return true;
}

/* Reads of an unknown transaction are not checked, not even against itself. */
static bool scan_txn(struct scan *s, uint32_t txn)
{
	struct problem *p = s->p;
	bool committed = p->h->txns[txn].status == ALIBI_COMMIT;
	uint32_t first_write = (uint32_t)p->writes.count;
	for (uint32_t op = p->h->txns[txn].first_op; op < txn_op_end(p->h, txn); op++) {
		const struct query *q = query_at(p->h, op);
		guard_tick(pool_guard(p->pool));
		if (op_writes(p->h->ops[op]))
			scan_write(s, txn, op);
		else if (!committed && !(q && q->opaque))
			continue;
		else if (q && q->opaque ? !scan_opaque(s, txn, first_write, q)
		         : q            ? !scan_query(p, first_write, q)
		         : p->h->key_is_list[op_key(p->h->ops[op])] ? !scan_list_read(s, txn, op)
		                                                    : !scan_read(s, txn, op))
			return false;
	}
	return true;
}

/* The ranges of the slot begin here, and those of the one before end. */
static void begin_slot(struct problem *p, uint32_t slot)
{
	p->read_first[slot] = (uint32_t)p->reads.count;
	p->write_first[slot] = (uint32_t)p->writes.count;
	p->list_read_first[slot] = (uint32_t)p->list_reads.count;
	p->append_first[slot] = (uint32_t)p->appends.count;
}

static bool scan_all(struct problem *p)
{
	struct scan s = {p, pool_zarray(p->pool, (size_t)p->keys + 1, sizeof *s.keys)};
	for (uint32_t key = 0; key < p->keys; key++)
		s.keys[key].by = ID_NONE;
	for (uint32_t slot = 0; slot < p->slots; slot++) {
		begin_slot(p, slot);
		if (!scan_txn(&s, p->txn_of[slot]))
			return false;
	}
	begin_slot(p, p->slots);
	for (uint32_t key = 0; key < p->keys; key++, guard_tick(pool_guard(p->pool)))
		pool_free(p->pool, s.keys[key].appended.items);
	pool_free(p->pool, s.keys);
	return true;
}

static void make_slots(struct problem *p, struct component component)
{
	const struct components *all = component.all;
	const uint32_t *first = all->txns.first + component.number;
	p->slots = first[1] - first[0];
	p->txn_of = all->txns.items + first[0];
	p->slot_of = all->slot_of;
	first = all->keys.first + component.number;
	p->keys = first[1] - first[0];
	p->key_of = all->keys.items + first[0];
	p->number_of = all->number_of;
	first = all->sessions.first + component.number;
	p->session_count = first[1] - first[0];
	p->sessions = all->sessions.items + first[0];
	size_t n = (size_t)p->slots + 1;
	p->read_first = pool_array(p->pool, n, sizeof(uint32_t));
	p->write_first = pool_array(p->pool, n, sizeof(uint32_t));
	p->list_read_first = pool_array(p->pool, n, sizeof(uint32_t));
	p->append_first = pool_array(p->pool, n, sizeof(uint32_t));
}

/* ---- candidates of reads of registers ---- */

/* Both sorted by key and value; the candidates of a read are one range. */
static void match(struct problem *p, const struct keyed *writes, size_t write_count,
                  const struct keyed *reads)
{
	size_t at = 0, end = 0;
	for (size_t i = 0; i < p->reads.count; i++) {
		struct external_read *w = &p->reads.items[reads[i].item];
		guard_tick(pool_guard(p->pool));
		while (at < write_count && writes[at].key < reads[i].key)
			at++;
		for (end = end < at ? at : end;
		     end < write_count && writes[end].key == reads[i].key;)
			end++;
		w->first = (uint32_t)at;
		w->count = end > at ? (uint32_t)(end - at) : 0;
	}
}

/* The index of the slot in p->candidates, if it is a candidate of w; or ID_NONE. */
static uint32_t find_candidate(const struct problem *p, const struct external_read *w,
                               uint32_t slot)
{
	const uint32_t *all = p->candidates + w->first;
	size_t at = numbers_find(all, w->count, slot);
	return at < w->count && all[at] == slot ? w->first + (uint32_t)at : ID_NONE;
}

/* May an opaque update have written what was read? */
static bool has_opaque_writer(const struct problem *p, uint32_t slot, const struct external_read *w)
{
	const struct history *h = p->h;
	uint32_t key = p->key_of[w->key], named;
	struct reach r = opaque_update_reachers(h, key);
	bool has_named = history_read_from(h, w->op, &named);
	for (; r.first < r.end; r.first++) {
		uint32_t txn = h->queries->reach_txn.items[r.first];
		guard_tick(pool_guard(p->pool));
		if (txn != p->txn_of[slot] && (!has_named || txn == named) &&
		    opaque_update_may_write(h, txn, key) &&
		    opaque_update_may_leave(h, txn, key, w->value))
			return true;
	}
	return false;
}

/* The reader is no candidate; if the database named the writer, only that is one. */
static bool narrow(struct problem *p, uint32_t slot, struct external_read *w)
{
	uint32_t named;
	w->initial = history_initial(p->h, p->key_of[w->key]) == w->value;
	if (history_read_from(p->h, w->op, &named)) {
		w->named = true;
		w->initial &= named == ID_NONE;
		uint32_t writer = problem_slot(p, named);
		w->first = writer == ID_NONE ? ID_NONE : find_candidate(p, w, writer);
		w->count = w->first != ID_NONE && p->candidates[w->first] != slot;
	}
	w->includes_reader = w->count && find_candidate(p, w, slot) != ID_NONE;
	w->opaque_writer = has_opaque_writer(p, slot, w);
	return w->count > w->includes_reader || w->initial || w->opaque_writer ||
	       problem_impossible(p, IMPOSSIBLE_WRITER, w->op, ID_NONE);
}

static bool find_candidates(struct problem *p)
{
	struct guard *guard = pool_guard(p->pool);
	size_t writes = p->writes.count, reads = p->reads.count;
	struct keyed *sorted = pool_array(p->pool, writes + 1, sizeof *sorted);
	struct keyed *read = pool_array(p->pool, reads + 1, sizeof *read);
	for (uint32_t slot = 0, i = 0; slot < p->slots; slot++)
		for (; i < p->write_first[slot + 1]; i++, guard_tick(guard))
			sorted[i] = (struct keyed){
			        radix_pair(p->writes.items[i].key, p->writes.items[i].value), slot};
	for (uint32_t i = 0; i < reads; i++, guard_tick(guard))
		read[i] = (struct keyed){radix_pair(p->reads.items[i].key, p->reads.items[i].value),
		                         i};
	radix_sort(p->pool, sorted, writes);
	radix_sort(p->pool, read, reads);
	match(p, sorted, writes, read);
	p->candidates = pool_array(p->pool, writes + 1, sizeof *p->candidates);
	for (size_t i = 0; i < writes; i++, guard_tick(guard))
		p->candidates[i] = sorted[i].item;
	pool_free(p->pool, read);
	pool_free(p->pool, sorted);
	for (uint32_t slot = 0, i = 0; slot < p->slots; slot++)
		for (; i < p->read_first[slot + 1]; i++, guard_tick(guard))
			if (!narrow(p, slot, &p->reads.items[i]))
				return false;
	return true;
}

void problem_build(struct problem *p, struct pool *pool, struct component component,
                   struct problem_rules rules)
{
	*p = (struct problem){.pool = pool, .h = component.all->h, .rules = rules};
	guard_stage(pool_guard(pool), "looking for candidates", 0);
	make_slots(p, component);
	if (scan_all(p) && find_candidates(p) && known_lists(p) && !rules.without_edges)
		known_edges(p);
	assert(p->slots > VALIDATE_NODES || problem_validate(p));
}

/* ---- invariants ---- */

static bool valid_read(const struct problem *p, uint32_t slot, const struct external_read *r)
{
	bool ok = r->key < p->keys && history_txn_at(p->h, r->op) == p->txn_of[slot] &&
	          (candidate_count(r) || r->initial || r->opaque_writer);
	for (uint32_t i = 0; ok && i < r->count; i++) {
		uint32_t writer = p->candidates[r->first + i], w = p->write_first[writer];
		while (w < p->write_first[writer + 1] && p->writes.items[w].key != r->key)
			w++;
		ok = w < p->write_first[writer + 1] && p->writes.items[w].value == r->value &&
		     (!i || p->candidates[r->first + i - 1] < writer) &&
		     (writer != slot || r->includes_reader);
	}
	return ok;
}

static bool valid_edges(const struct problem *p)
{
	uint32_t count = p->after_first[p->nodes];
	bool ok = count == p->before_first[p->nodes];
	for (uint32_t v = 0; ok && v < p->nodes; v++)
		ok = p->after_first[v] <= p->after_first[v + 1] &&
		     p->before_first[v] <= p->before_first[v + 1];
	for (uint32_t i = 0; ok && i < count; i++) {
		uint32_t derived = why_derived(p, p->after_why[i]);
		ok = p->after[i].index < p->nodes && p->before[i].index < p->nodes &&
		     (derived == ID_NONE || derived < p->derived.count);
	}
	return ok;
}

bool problem_validate(const struct problem *p)
{
	bool ok = true;
	if (p->impossible != POSSIBLE)
		return p->impossible_op < p->h->op_count;
	for (uint32_t slot = 0; ok && slot < p->slots; slot++) {
		ok = (!slot || p->txn_of[slot - 1] < p->txn_of[slot]) &&
		     problem_slot(p, p->txn_of[slot]) == slot;
		for (uint32_t i = p->read_first[slot]; ok && i < p->read_first[slot + 1]; i++)
			ok = valid_read(p, slot, &p->reads.items[i]);
	}
	return ok && (!p->after_first || valid_edges(p));
}
