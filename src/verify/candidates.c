/* candidates: see candidates.h. */
#include "verify/candidates.h"

#include "base/guard.h"
#include "base/numbers.h"

#include <string.h>

void candidates_init(struct candidates *c, struct pool *pool, const struct history *h)
{
	*c = (struct candidates){.pool = pool, .guard = pool_guard(pool), .h = h};
	opaque_init(&c->opaque, pool, h);
	final_writes_init(&c->final_writes, pool, h, &c->opaque);
	c->in_sequence = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *c->in_sequence);
}

/* How often does txn write the key before this operation? */
static uint32_t writes_before(const struct history *h, uint32_t txn, uint32_t key, uint32_t end)
{
	uint32_t count = 0;
	for (uint32_t op = h->txns[txn].first_op; op < end; op++)
		count += op_writes(h->ops[op]) && op_key(h->ops[op]) == key;
	return count;
}

bool candidates_writes(const struct candidates *c, uint32_t txn, uint32_t key)
{
	return txn_counts(c->h, txn) && writes_before(c->h, txn, key, txn_op_end(c->h, txn));
}

bool candidates_is_read(const struct candidates *c, uint32_t op, uint32_t *own)
{
	const struct history *h = c->h;
	if (op >= h->op_count || op_kind(h->ops[op]) != ALIBI_READ)
		return false;
	uint32_t txn = history_txn_at(h, op);
	*own = writes_before(h, txn, op_key(h->ops[op]), op);
	return h->txns[txn].status == ALIBI_COMMIT;
}

/* ---- registers, queries and updates ---- */

bool candidates_explain(struct candidates *c, uint32_t writer, uint32_t value)
{
	const struct question *a = &c->asked;
	if (a->read != ID_NONE)
		return c->h->ops[a->read].value == value && read_may_be_from(c->h, a->read, writer);
	if (a->q)
		return predicate_explains(&c->opaque.updates, a->q, a->row, value);
	bool binds = c->h->txns[a->reader].status == ALIBI_COMMIT;
	return opaque_leaves(&c->opaque, a->reader, a->key, writer, value, binds) != a->outcome;
}

/* A writer by an opaque update: what it left is not known. */
static bool may_explain(const struct candidates *c, uint32_t txn)
{
	const struct question *a = &c->asked;
	if (txn == a->reader || !opaque_may_write(&c->opaque, txn, a->key))
		return false;
	return a->read == ID_NONE ||
	       (read_may_be_from(c->h, a->read, txn) &&
	        opaque_may_leave(&c->opaque, txn, a->key, c->h->ops[a->read].value));
}

static void answer(struct candidates *c, struct question asked)
{
	const struct opaque *o = &c->opaque;
	uint32_t key = asked.key;
	bool one_value = asked.read != ID_NONE;
	uint32_t value = one_value ? c->h->ops[asked.read].value : 0;
	c->asked = asked;
	c->found.count = c->perhaps.count = c->choices_of = 0;
	for (const struct keyed *w = final_writes_of(&c->final_writes, key, value);
	     one_value ? w->key == radix_pair(key, value) : w->key >> 32 == key; w++) {
		guard_tick(c->guard);
		if (w->item != asked.reader && candidates_explain(c, w->item, (uint32_t)w->key))
			vec_push(c->pool, &c->found, w->item);
	}
	numbers_sort(c->found.items, one_value ? 0 : c->found.count);
	for (uint32_t i = o->first ? o->first[key] : 0; o->first && i < o->first[key + 1]; i++) {
		guard_tick(c->guard);
		if (may_explain(c, o->txns.items[i]))
			vec_push(c->pool, &c->perhaps, o->txns.items[i]);
	}
	c->initial = candidates_explain(c, ID_NONE, history_initial(c->h, key));
}

bool candidates_of_read(struct candidates *c, uint32_t op)
{
	uint32_t own;
	if (!candidates_is_read(c, op, &own) || own)
		return false;
	uint32_t key = op_key(c->h->ops[op]), txn = history_txn_at(c->h, op);
	if (c->h->key_is_list[key] || opaque_before(&c->opaque, txn, key, op))
		return false;
	answer(c, (struct question){.reader = txn, .key = key, .read = op});
	return true;
}

bool candidates_of_query(struct candidates *c, uint32_t op, uint32_t key)
{
	const struct history *h = c->h;
	const struct query *q = query_at(h, op);
	if (!q || q->opaque || key >= atoms_count(&h->keys) || !query_asks(h, q, key))
		return false;
	uint32_t txn = history_txn_at(h, op), row = query_row(h, q, key);
	if (h->txns[txn].status != ALIBI_COMMIT || (row != ID_NONE && q->kind == QUERY_SELECT) ||
	    opaque_before(&c->opaque, txn, key, op) || writes_before(h, txn, key, op))
		return false;
	answer(c,
	       (struct question){.reader = txn, .key = key, .read = ID_NONE, .q = q, .row = row});
	return true;
}

void candidates_of_update(struct candidates *c, uint32_t txn, uint32_t key, uint32_t outcome)
{
	answer(c,
	       (struct question){.reader = txn, .key = key, .read = ID_NONE, .outcome = outcome});
}

/* ---- lists ---- */

bool candidates_list(const struct candidates *c, uint32_t op, struct list_read *l)
{
	uint32_t own;
	if (!candidates_is_read(c, op, &own) || !c->h->key_is_list[op_key(c->h->ops[op])])
		return false;
	*l = (struct list_read){.op = op,
	                        .key = op_key(c->h->ops[op]),
	                        .reader = history_txn_at(c->h, op),
	                        .own = own};
	l->items = atoms_items(&c->h->values, c->h->ops[op].value, &l->count);
	if (l->count < own)
		return false;
	l->count -= own;
	return true;
}

size_t candidates_block(const struct candidates *c, const struct list_read *l, size_t at,
                        uint32_t txn, bool *all)
{
	const struct history *h = c->h;
	size_t end = at;
	*all = true;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn) && *all; op++) {
		if (!op_writes(h->ops[op]) || op_key(h->ops[op]) != l->key)
			continue;
		*all = end < l->count && l->items[end] == h->ops[op].value;
		end += *all;
	}
	return end - at;
}

/* The sequence that is tried is complete: keeps it, if it ends with the named writer. */
static void keep_sequence(struct candidates *c, const struct list_read *l)
{
	const struct tried_block *t = c->tried.items;
	uint32_t last = c->tried.count ? t[c->tried.count - 1].append->item : ID_NONE;
	if (!l->own && !read_may_be_from(c->h, l->op, last))
		return;
	for (size_t i = 0; i < c->tried.count; i++)
		vec_push(c->pool, &c->found, t[i].append->item);
	vec_push(c->pool, &c->ends, c->found.count);
}

static void begin_block(struct candidates *c, const struct list_read *l, size_t at)
{
	const struct keyed *append = final_writes_of(&c->final_writes, l->key, l->items[at]);
	vec_push(c->pool, &c->tried, ((struct tried_block){at, append, false}));
}

/* Can all appends of the transaction stand here? *block: how many these are. */
static bool fits(const struct candidates *c, const struct list_read *l, const struct tried_block *t,
                 size_t *block)
{
	const struct keyed *a = t->append;
	bool all, again = a > c->final_writes.items && a[-1].key == a->key && a[-1].item == a->item;
	if (again || a->item == l->reader || c->in_sequence[a->item])
		return false;
	*block = candidates_block(c, l, t->at, a->item, &all);
	return all;
}

/* Replaces the last transaction of the sequence by the next that can stand there. */
static bool enter_next(struct candidates *c, const struct list_read *l, struct tried_block *t,
                       size_t *block)
{
	uint64_t element = radix_pair(l->key, l->items[t->at]);
	if (t->entered)
		c->in_sequence[t->append++->item] = false;
	for (; t->append->key == element && !fits(c, l, t, block); t->append++)
		guard_tick(c->guard);
	t->entered = t->append->key == element;
	if (t->entered)
		c->in_sequence[t->append->item] = true;
	return t->entered;
}

void candidates_sequences(struct candidates *c, const struct list_read *l)
{
	size_t block = 0;
	c->found.count = c->ends.count = c->tried.count = c->choices_of = 0;
	if (l->count)
		begin_block(c, l, 0);
	else
		keep_sequence(c, l);
	while (c->tried.count) {
		struct tried_block *t = &c->tried.items[c->tried.count - 1];
		guard_tick(c->guard);
		if (!enter_next(c, l, t, &block))
			c->tried.count--;
		else if (t->at + block < l->count)
			begin_block(c, l, t->at + block);
		else
			keep_sequence(c, l);
	}
}

/* ---- choices ---- */

/* Is it what its transaction read of the key last, with no writer named? */
static bool is_repeated(const struct candidates *c, uint32_t op, uint32_t own)
{
	const struct history *h = c->h;
	uint32_t key = op_key(h->ops[op]), first = h->txns[history_txn_at(h, op)].first_op;
	uint32_t before = op, named;
	struct list_read a, b;
	do {
		if (before-- == first)
			return false;
	} while (op_key(h->ops[before]) != key || op_writes(h->ops[before]));
	if (!own && history_read_from(h, op, &named))
		return false;
	if (!h->key_is_list[key])
		return h->ops[before].value == h->ops[op].value;
	return candidates_list(c, before, &a) && candidates_list(c, op, &b) && a.count == b.count &&
	       (!a.count || !memcmp(a.items, b.items, a.count * sizeof *a.items));
}

bool candidates_choices(struct candidates *c, uint32_t op)
{
	struct list_read l;
	uint32_t own;
	if (c->choices_of == op + 1)
		return true;
	if (!candidates_is_read(c, op, &own) || is_repeated(c, op, own))
		return false;
	if (candidates_list(c, op, &l)) {
		candidates_sequences(c, &l);
	} else {
		if (!candidates_of_read(c, op))
			return false;
		c->ends.count = 0;
		for (size_t i = 1, n = c->found.count; i <= n + c->initial; i++)
			vec_push(c->pool, &c->ends, i <= n ? i : n);
	}
	c->choices_of = op + 1;
	return true;
}
