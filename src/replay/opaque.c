/* opaque: see opaque.h. */
#include "replay/opaque.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "base/ids.h"
#include "base/radix.h"

/* ---- who reaches a key ---- */

struct key_version {
	uint32_t value, updates; /* updates: how many made it, one after another */
};

/* An opaque update of a transaction that may have committed. */
struct update {
	const struct query *q;
	uint32_t txn;
	bool matched; /* a version of the key at hand */
};

struct reaching {
	struct opaque *o;
	struct pool *pool;
	const struct history *h;
	VEC(struct update) all, asking; /* asking: for the key at hand */
	VEC(struct key_version) versions;
	struct map seen;      /* by key and value */
	struct keyed *writes; /* of all that may have committed, by key; item: the value */
	size_t write_count;
};

static void list_writes_and_updates(struct reaching *r)
{
	const struct history *h = r->h;
	r->writes = pool_array(r->pool, (size_t)h->op_count + 1, sizeof *r->writes);
	for (uint32_t t = 0; t < h->txn_count; t++) {
		if (h->txns[t].status == ALIBI_ABORT)
			continue;
		for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
			const struct query *q = query_at(h, op);
			guard_tick(pool_guard(r->pool));
			if (op_writes(h->ops[op]))
				r->writes[r->write_count++] =
				        (struct keyed){op_key(h->ops[op]), h->ops[op].value};
			else if (q && q->opaque)
				vec_push(r->pool, &r->all, ((struct update){q, t, false}));
		}
	}
	radix_sort(r->pool, r->writes, r->write_count);
}

static void add_version(struct reaching *r, uint32_t key, uint32_t value, uint32_t updates)
{
	uint32_t *there = map_put(r->pool, &r->seen, (uint64_t)(key + 1) << 32 | value, 0);
	if (!*there)
		vec_push(r->pool, &r->versions, ((struct key_version){value, updates}));
	*there = 1;
}

static void apply_update(struct reaching *r, uint32_t key, struct update *u, struct key_version v)
{
	guard_tick(pool_guard(r->pool));
	if (!predicate_matches(r->h, u->q, v.value))
		return;
	u->matched = true;
	if (v.updates == r->asking.count)
		return;
	uint32_t made = predicate_makes(&r->o->updates, u->q, v.value);
	if (made == PREDICATE_LOST)
		r->o->complete = false;
	else if (made != PREDICATE_NEVER)
		add_version(r, key, made, v.updates + 1);
}

static void reach_key(struct reaching *r, uint32_t key)
{
	struct opaque *o = r->o;
	r->asking.count = r->versions.count = 0;
	for (size_t i = 0; i < r->all.count; i++)
		if (query_asks(r->h, r->all.items[i].q, key))
			vec_push(r->pool, &r->asking, r->all.items[i]);
	if (!r->asking.count)
		return;
	add_version(r, key, history_initial(r->h, key), 0);
	for (size_t i = radix_find(r->writes, r->write_count, key);
	     i < r->write_count && r->writes[i].key == key; i++)
		add_version(r, key, r->writes[i].item, 0);
	for (size_t v = 0; v < r->versions.count && o->complete; v++)
		for (size_t i = 0; i < r->asking.count && o->complete; i++)
			apply_update(r, key, &r->asking.items[i], r->versions.items[v]);
	for (size_t i = 0; i < r->asking.count; i++) {
		struct update u = r->asking.items[i];
		bool first =
		        o->txns.count == o->first[key] || o->txns.items[o->txns.count - 1] != u.txn;
		if (u.matched && first)
			vec_push(o->updates.pool, &o->txns, u.txn);
	}
}

void opaque_init(struct opaque *o, struct pool *pool, const struct history *h)
{
	size_t keys = atoms_count(&h->keys);
	struct reaching r = {.o = o, .pool = pool_child(pool), .h = h};
	*o = (struct opaque){.complete = true};
	updates_init(&o->updates, pool, h);
	if (has_opaque(h)) {
		list_writes_and_updates(&r);
		o->first = pool_zarray(pool, keys + 1, sizeof *o->first);
		for (uint32_t key = 0; key < keys; key++) {
			o->first[key] = (uint32_t)o->txns.count;
			reach_key(&r, key);
		}
		o->first[keys] = (uint32_t)o->txns.count;
	}
	pool_release(r.pool);
}

uint32_t opaque_place(const struct opaque *o, uint32_t txn, uint32_t key)
{
	uint32_t at;
	if (!o->first || key >= atoms_count(&o->updates.h->keys))
		return ID_NONE;
	bisect(at, o->first[key], o->first[key + 1], o->txns.items[at] < txn);
	return at < o->first[key + 1] && o->txns.items[at] == txn ? at : ID_NONE;
}

/* ---- what a transaction does to a key ---- */

static bool op_writes_key(const struct history *h, uint32_t op, uint32_t key)
{
	return op_writes(h->ops[op]) && op_key(h->ops[op]) == key;
}

bool opaque_may_write(const struct opaque *o, uint32_t txn, uint32_t key)
{
	const struct history *h = o->updates.h;
	if (opaque_place(o, txn, key) == ID_NONE)
		return false;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++)
		if (op_writes_key(h, op, key))
			return false;
	return true;
}

/* The opaque update that the operation is, if it asks for the key. */
static const struct query *update_at(const struct history *h, uint32_t op, uint32_t key)
{
	const struct query *q = query_at(h, op);
	return q && q->opaque && query_asks(h, q, key) ? q : NULL;
}

bool opaque_before(const struct opaque *o, uint32_t txn, uint32_t key, uint32_t op)
{
	const struct history *h = o->updates.h;
	if (opaque_place(o, txn, key) == ID_NONE)
		return false;
	for (uint32_t i = h->txns[txn].first_op; i < op; i++)
		if (update_at(h, i, key))
			return true;
	return false;
}

/* Has the value the constants that the update sets? */
static bool has_constants(const struct queries *x, const struct query *q, uint32_t value)
{
	for (uint32_t i = 0; i < q->assignments; i++) {
		const struct assignment *a = &x->assignments.items[q->assignment + i];
		if (a->plus == ID_NONE && query_cell(x, value, a->column) != a->constant)
			return false;
	}
	return true;
}

bool opaque_may_leave(const struct opaque *o, uint32_t txn, uint32_t key, uint32_t value)
{
	const struct history *h = o->updates.h;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		const struct query *q = update_at(h, op, key);
		if (q && (q->kind == QUERY_DELETE) == (value == ATOM_NULL) &&
		    has_constants(h->queries, q, value))
			return true;
	}
	return false;
}

/* Behind an opaque update: is what the operation reports of the key what is there? */
static bool reports(struct opaque *o, uint32_t op, uint32_t key, uint32_t writer, uint32_t value)
{
	const struct history *h = o->updates.h;
	const struct query *q = query_at(h, op);
	uint32_t named;
	if (!q)
		return op_key(h->ops[op]) != key ||
		       (h->ops[op].value == value &&
		        (!history_read_from(h, op, &named) || named == writer));
	uint32_t row = query_row(h, q, key);
	bool is_read = row != ID_NONE && q->kind == QUERY_SELECT;
	return is_read || !query_asks(h, q, key) || predicate_explains(&o->updates, q, row, value);
}

uint32_t opaque_leaves(struct opaque *o, uint32_t txn, uint32_t key, uint32_t writer,
                       uint32_t value, bool binds)
{
	const struct history *h = o->updates.h;
	bool updated = false, wrote = false;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		const struct query *q = update_at(h, op, key);
		uint32_t made = OPAQUE_KEPT;
		if (q) {
			updated = true;
			if (predicate_matches(h, q, value))
				made = predicate_makes(&o->updates, q, value);
		} else if (op_writes_key(h, op, key)) {
			made = h->ops[op].value;
		} else if (updated && binds && !op_writes(h->ops[op]) &&
		           !reports(o, op, key, writer, value)) {
			made = OPAQUE_NEVER;
		}
		if (made == PREDICATE_LOST || (made == OPAQUE_NEVER && binds))
			return made;
		if (made != OPAQUE_KEPT && made != OPAQUE_NEVER) {
			value = made;
			writer = txn;
			wrote = true;
		}
	}
	return wrote ? value : OPAQUE_KEPT;
}
