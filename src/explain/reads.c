/* reads: see reads.h. */
#include "explain/reads.h"

#include "base/guard.h"

#include <assert.h>
#include <string.h>

enum { CANDIDATES_MAX = 64 }; /* of one read */

/* The elements of a list before those that the transaction itself appended. */
struct list {
	const uint32_t *items;
	size_t count;
};

static bool may_be_committed(const struct history *h, uint32_t txn)
{
	return h->txns[txn].status != ALIBI_ABORT;
}

/* The transaction's last write (or read) of the key before op, or ID_NONE. */
static uint32_t before(const struct history *h, uint32_t txn, uint32_t op, uint32_t key,
                       bool writes)
{
	for (uint32_t i = op; i-- > h->txns[txn].first_op;)
		if (op_key(h->ops[i]) == key && op_writes(h->ops[i]) == writes)
			return i;
	return ID_NONE;
}

static bool writes_value(const struct history *h, uint32_t txn, uint32_t key, uint32_t value,
                         uint32_t from)
{
	for (uint32_t i = from; i < txn_op_end(h, txn); i++)
		if (op_writes(h->ops[i]) && op_key(h->ops[i]) == key && h->ops[i].value == value)
			return true;
	return false;
}

/* The first fault counts. Unrepeatable reads give way to others, since some levels allow
 * them. */
static void set_fault(struct reads *r, struct faulty_read f)
{
	if (r->faulty.fault == NO_FAULT || r->faulty.fault == FAULT_UNREPEATABLE)
		r->faulty = f;
}

/* A writer of the value other than the reader, preferably one that did not abort. */
static uint32_t writer_of(const struct history *h, uint32_t reader, uint32_t key, uint32_t value)
{
	uint32_t found = ID_NONE;
	for (uint32_t t = 0; t < h->txn_count; t++)
		if (t != reader && writes_value(h, t, key, value, h->txns[t].first_op) &&
		    (found == ID_NONE || (!may_be_committed(h, found) && may_be_committed(h, t))))
			found = t;
	return found;
}

/* Only the reader wrote it, and only later. */
static bool is_future(const struct history *h, uint32_t txn, uint32_t read, uint32_t value)
{
	uint32_t key = op_key(h->ops[read]);
	return writes_value(h, txn, key, value, read) && writer_of(h, txn, key, value) == ID_NONE;
}

static bool has_duplicates(const uint32_t *txns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++)
			if (txns[i] == txns[j])
				return true;
	return false;
}

/* Lists the candidates of an external read; false: it has none. */
static bool add_external_read(struct reads *r, uint32_t txn, uint32_t op)
{
	struct origins *o = &r->origins;
	struct read_candidates s = {txn, op, op_key(r->h->ops[op]), (uint32_t)r->candidates.count,
	                            0};
	origins_choices(o, op, CANDIDATES_MAX);
	r->truncated |= o->ends.count > CANDIDATES_MAX;
	for (size_t i = 0, first = 0; i < o->ends.count; first = o->ends.items[i++]) {
		size_t count = o->ends.items[i] - first;
		const uint32_t *txns = count ? o->found.items + first : NULL;
		if (count && has_duplicates(txns, count))
			continue;
		vec_push(r->pool, &r->candidates,
		         ((struct candidate){(uint32_t)r->writers.count, (uint32_t)count}));
		for (size_t j = 0; j < count; j++)
			vec_push(r->pool, &r->writers, txns[j]);
		s.count++;
	}
	vec_push(r->pool, &r->external, s);
	return s.count > 0;
}

/* ---- registers ---- */

static struct faulty_read no_writer(const struct reads *r, uint32_t txn, uint32_t op)
{
	const struct history *h = r->h;
	uint32_t key = op_key(h->ops[op]), value = h->ops[op].value, named;
	uint32_t writer = writer_of(h, txn, key, value);
	struct faulty_read f = {
	        .txn = txn, .op = op, .other = writer, .earlier = ID_NONE, .element = ID_NONE};
	if (writer == ID_NONE)
		f.fault = is_future(h, txn, op, value) ? FAULT_FUTURE : FAULT_GARBAGE;
	else if (!may_be_committed(h, writer))
		f.fault = FAULT_ABORTED;
	else if (history_read_from(h, op, &named) && named != writer)
		f.fault = FAULT_NAMED;
	else
		f.fault = FAULT_INTERMEDIATE;
	if (f.fault == FAULT_NAMED)
		f.other = named;
	if (f.fault == FAULT_GARBAGE && value == history_initial(h, key)) {
		f.fault = FAULT_NAMED;
		history_read_from(h, op, &f.other);
	}
	return f;
}

static void check_register(struct reads *r, uint32_t txn, uint32_t op)
{
	const struct history *h = r->h;
	uint32_t key = op_key(h->ops[op]), value = h->ops[op].value, named = ID_NONE;
	uint32_t own = before(h, txn, op, key, true), read = before(h, txn, op, key, false);
	uint32_t earlier = own != ID_NONE ? own : read;
	bool has_named = history_read_from(h, op, &named);
	bool differs = earlier != ID_NONE && h->ops[earlier].value != value;
	if (differs || (own != ID_NONE && has_named && named != txn)) {
		bool future = is_future(h, txn, op, value);
		set_fault(r, (struct faulty_read){.fault = future           ? FAULT_FUTURE
		                                           : own != ID_NONE ? FAULT_INTERNAL
		                                                            : FAULT_UNREPEATABLE,
		                                  .txn = txn,
		                                  .op = op,
		                                  .other = writer_of(h, txn, key, value),
		                                  .earlier = earlier,
		                                  .element = ID_NONE});
	}
	if (own != ID_NONE || (read != ID_NONE && !differs && !has_named))
		return;
	if (!add_external_read(r, txn, op))
		set_fault(r, no_writer(r, txn, op));
}

/* ---- lists ---- */

static size_t times_in(struct list l, uint32_t element)
{
	size_t count = 0;
	for (size_t i = 0; i < l.count; i++)
		count += l.items[i] == element;
	return count;
}

static size_t times_appended(const struct history *h, uint32_t key, uint32_t element)
{
	size_t count = 0;
	for (uint32_t i = 0; i < h->op_count; i++)
		count += op_writes(h->ops[i]) && op_key(h->ops[i]) == key &&
		         h->ops[i].value == element;
	return count;
}

/* Of one element. */
static enum fault fault_of_element(const struct history *h, const struct faulty_read *f,
                                   uint32_t key, struct list l, size_t at)
{
	uint32_t element = l.items[at];
	if (f->other == ID_NONE)
		return FAULT_GARBAGE;
	if (times_in(l, element) > times_appended(h, key, element))
		return FAULT_DUPLICATE;
	if (may_be_committed(h, f->other))
		return NO_FAULT;
	for (size_t i = at + 1; i < l.count; i++) {
		uint32_t next = writer_of(h, f->txn, key, l.items[i]);
		if (next != ID_NONE && may_be_committed(h, next))
			return FAULT_DIRTY_UPDATE;
	}
	return FAULT_ABORTED;
}

/* Of the elements that one transaction appended: they must be complete, in order and
 * adjacent. */
static enum fault fault_of_block(const struct history *h, uint32_t txn, uint32_t key, struct list l)
{
	size_t place = 0, last = 0, there = 0, appended = 0;
	bool in_order = true, together = true;
	for (uint32_t i = h->txns[txn].first_op; i < txn_op_end(h, txn); i++) {
		if (!op_writes(h->ops[i]) || op_key(h->ops[i]) != key)
			continue;
		appended++;
		for (place = 0; place < l.count && l.items[place] != h->ops[i].value; place++)
			;
		if (place == l.count)
			continue;
		in_order &= !there || place > last;
		together &= !there || place == last + 1;
		last = place;
		there++;
	}
	if (!in_order)
		return FAULT_REORDERED;
	if (there < appended)
		return FAULT_INTERMEDIATE;
	return together ? NO_FAULT : FAULT_MIXED;
}

static bool has_future(const struct history *h, uint32_t txn, uint32_t op, struct list l,
                       uint32_t *element)
{
	for (size_t i = 0; i < l.count; i++)
		if (is_future(h, txn, op, *element = l.items[i]))
			return true;
	*element = ID_NONE;
	return false;
}

static struct faulty_read no_appenders(const struct reads *r, uint32_t txn, uint32_t op,
                                       struct list l)
{
	const struct history *h = r->h;
	uint32_t key = op_key(h->ops[op]);
	struct faulty_read f = {.txn = txn, .op = op, .other = ID_NONE, .earlier = ID_NONE};
	if (has_future(h, txn, op, l, &f.element)) {
		f.fault = FAULT_FUTURE;
		return f;
	}
	for (size_t i = 0; i < l.count; i++) {
		f.element = l.items[i];
		f.other = writer_of(h, txn, key, f.element);
		f.fault = fault_of_element(h, &f, key, l, i);
		if (f.fault != NO_FAULT)
			return f;
	}
	for (size_t i = 0; i < l.count; i++) {
		f.element = l.items[i];
		f.other = writer_of(h, txn, key, f.element);
		f.fault = fault_of_block(h, f.other, key, l);
		if (f.fault != NO_FAULT)
			return f;
	}
	f.fault = history_read_from(h, op, &f.other) ? FAULT_NAMED : FAULT_INTERMEDIATE;
	return f;
}

/* Does the list end in the transaction's own appends before op? *own: how many. */
static bool ends_in_own(const struct history *h, uint32_t txn, uint32_t op, struct list l,
                        size_t *own)
{
	*own = 0;
	for (uint32_t i = op; i-- > h->txns[txn].first_op;) {
		if (!op_writes(h->ops[i]) || op_key(h->ops[i]) != op_key(h->ops[op]))
			continue;
		if (*own >= l.count || l.items[l.count - 1 - *own] != h->ops[i].value)
			return false;
		++*own;
	}
	return true;
}

/* Of an earlier read: the elements by other transactions. */
static struct list base_of(const struct history *h, uint32_t txn, uint32_t op)
{
	struct list l;
	size_t own;
	l.items = atoms_items(&h->values, h->ops[op].value, &l.count);
	if (ends_in_own(h, txn, op, l, &own))
		l.count -= own;
	return l;
}

static bool same_list(struct list a, struct list b)
{
	return a.count == b.count &&
	       (!a.count || !memcmp(a.items, b.items, a.count * sizeof *a.items));
}

static void check_list(struct reads *r, uint32_t txn, uint32_t op)
{
	const struct history *h = r->h;
	uint32_t key = op_key(h->ops[op]), read = before(h, txn, op, key, false), named;
	size_t own;
	struct list whole, l;
	whole.items = atoms_items(&h->values, h->ops[op].value, &whole.count);
	struct faulty_read f = {
	        .txn = txn, .op = op, .other = ID_NONE, .earlier = before(h, txn, op, key, true)};
	bool has_future_element = has_future(h, txn, op, whole, &f.element);
	l = whole;
	if (!ends_in_own(h, txn, op, whole, &own)) {
		f.fault = has_future_element ? FAULT_FUTURE : FAULT_INTERNAL;
		set_fault(r, f);
		return;
	}
	l.count -= own;
	bool differs = read != ID_NONE && !same_list(l, base_of(h, txn, read));
	if (differs) {
		f.fault = has_future_element ? FAULT_FUTURE : FAULT_UNREPEATABLE;
		f.earlier = read;
		set_fault(r, f);
	}
	bool has_named = !own && history_read_from(h, op, &named);
	if (read != ID_NONE && !differs && !has_named)
		return;
	if (!add_external_read(r, txn, op))
		set_fault(r, no_appenders(r, txn, op, l));
}

/* ---- queries ---- */

uint32_t reads_final(const struct history *h, uint32_t txn, uint32_t key)
{
	uint32_t last = before(h, txn, txn_op_end(h, txn), key, true);
	return last == ID_NONE ? ATOM_NULL : h->ops[last].value;
}

/* Does some version of the key contradict the query result? *aborted: an aborted transaction
 * whose version explains it, or ID_NONE. */
static bool is_constrained(const struct history *h, const struct query *q, uint32_t reader,
                           uint32_t key, uint32_t *aborted)
{
	uint32_t row = query_row(h, q, key);
	bool any = !query_explains(h, q, row, history_initial(h, key));
	*aborted = ID_NONE;
	for (uint32_t t = 0; t < h->txn_count; t++)
		for (uint32_t i = h->txns[t].first_op; t != reader && i < txn_op_end(h, t); i++) {
			if (!op_writes(h->ops[i]) || op_key(h->ops[i]) != key)
				continue;
			bool explains = query_explains(h, q, row, h->ops[i].value);
			any |= may_be_committed(h, t) && !explains;
			if (!may_be_committed(h, t) && explains)
				*aborted = t;
		}
	return any;
}

static void check_query_key(struct reads *r, uint32_t txn, const struct query *q, uint32_t key)
{
	struct origins *o = &r->origins;
	struct read_candidates s = {txn, q->op, key, (uint32_t)r->candidates.count, 0};
	uint32_t aborted;
	bool initial;
	if (!origins_of_query(o, q->op, key, &initial) ||
	    !is_constrained(r->h, q, txn, key, &aborted))
		return;
	s.count = (uint32_t)o->found.count + initial;
	if (!s.count)
		set_fault(r,
		          (struct faulty_read){.fault = aborted == ID_NONE ? FAULT_MISSED
		                                                           : FAULT_MISSED_ABORTED,
		                               .txn = txn,
		                               .op = q->op,
		                               .key = key,
		                               .other = aborted});
	r->truncated |= s.count > CANDIDATES_MAX;
	for (size_t i = 0; i < o->found.count; i++) {
		vec_push(r->pool, &r->candidates,
		         ((struct candidate){(uint32_t)r->writers.count, 1}));
		vec_push(r->pool, &r->writers, o->found.items[i]);
	}
	if (initial)
		vec_push(r->pool, &r->candidates, ((struct candidate){0}));
	vec_push(r->pool, &r->external, s);
}

static void check_query(struct reads *r, uint32_t txn, const struct query *q)
{
	const struct history *h = r->h;
	size_t count;
	const uint32_t *keys = query_keys(h, q, &count);
	for (uint32_t row = q->op + 1; row <= q->op + q->rows; row++)
		if (q->kind == QUERY_SELECT && !query_matches(h, q, h->ops[row].value))
			set_fault(r, (struct faulty_read){.fault = FAULT_NO_MATCH,
			                                  .txn = txn,
			                                  .op = q->op,
			                                  .key = op_key(h->ops[row]),
			                                  .earlier = row});
	for (size_t i = 0; i < count; i++) {
		uint32_t own = before(h, txn, q->op, keys[i], true), row = query_row(h, q, keys[i]);
		guard_tick(pool_guard(r->pool));
		if (!query_asks(h, q, keys[i]) || (row != ID_NONE && q->kind == QUERY_SELECT))
			continue;
		if (own == ID_NONE)
			check_query_key(r, txn, q, keys[i]);
		else if (!query_explains(h, q, row, h->ops[own].value))
			set_fault(r, (struct faulty_read){.fault = FAULT_OWN_ROW,
			                                  .txn = txn,
			                                  .op = q->op,
			                                  .key = keys[i],
			                                  .earlier = own});
	}
}

struct reads reads_of(struct pool *pool, const struct history *h)
{
	struct reads r = {.pool = pool, .h = h};
	origins_index(&r.origins, pool, h);
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		for (uint32_t i = h->txns[txn].first_op; i < txn_op_end(h, txn); i++) {
			guard_tick(pool_guard(pool));
			if (h->txns[txn].status != ALIBI_COMMIT || op_writes(h->ops[i]))
				continue;
			if (is_query(h, i))
				check_query(&r, txn, query_at(h, i));
			else if (h->key_is_list[op_key(h->ops[i])])
				check_list(&r, txn, i);
			else
				check_register(&r, txn, i);
		}
	return r;
}
