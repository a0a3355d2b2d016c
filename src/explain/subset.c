/* subset: see subset.h. */
#include "explain/subset.h"

#include "base/guard.h"
#include "base/map.h"
#include "explain/exceptions.h"
#include "history/builder.h"
#include "history/render.h"

#include <inttypes.h>
#include <string.h>

/* Maps the atoms of one table to those of another. */
struct renaming {
	const struct atoms *from;
	struct atoms *to;
	uint32_t *number; /* ID_NONE: not copied yet */
};

struct copy {
	struct pool *pool;
	const struct history *h;
	const bool *keep;
	struct builder *b;
	struct renaming keys, values, names;
	struct renaming relations, columns, cells; /* of queries */
	struct exceptions exceptions;
	bool rows_assumed; /* opaque updates changed exactly these rows: */
	const struct assumed_row *rows;
	size_t row_count;
	const bool *placeholder; /* by transaction: add a placeholder write; NULL: none */
	text_vec prefix;         /* of placeholder keys; no other key begins with it */
	struct map appends;      /* by list key and element: is one of its appends kept? */
	VEC(uint32_t) items;
	VEC(uint32_t) origin; /* in the pool of the builder */
	bool cut;
	size_t at_info;
};

static void rename_init(struct pool *pool, struct renaming *r, const struct atoms *from,
                        struct atoms *to)
{
	size_t count = atoms_count(from);
	*r = (struct renaming){from, to, pool_array(pool, count + 1, sizeof(uint32_t))};
	for (size_t i = 0; i < count; i++)
		r->number[i] = ID_NONE;
}

/* Anything but a list. */
static uint32_t renamed(struct renaming *r, uint32_t old)
{
	if (r->number[old] != ID_NONE)
		return r->number[old];
	return r->number[old] = atoms_add(r->to, atoms_value(r->from, old));
}

static uint32_t renamed_name(struct renaming *r, uint32_t old)
{
	return old == ID_NONE ? ID_NONE : renamed(r, old);
}

/* ---- lists ---- */

static uint64_t element_of(uint32_t key, uint32_t element)
{
	return (uint64_t)(key + 1) << 32 | element;
}

static void find_appends(struct copy *c)
{
	const struct history *h = c->h;
	for (uint32_t i = 0; h->empty_list != ID_NONE && i < h->op_count; i++) {
		guard_tick(pool_guard(c->pool));
		if (op_kind(h->ops[i]) != ALIBI_APPEND)
			continue;
		uint64_t element = element_of(op_key(h->ops[i]), h->ops[i].value);
		*map_put(c->pool, &c->appends, element, 0) |= c->keep[i];
	}
}

static uint32_t copied_list(struct copy *c, struct op o, bool *cut)
{
	size_t count;
	const uint32_t *items = atoms_items(&c->h->values, o.value, &count);
	c->items.count = 0;
	for (size_t i = 0; i < count; i++) {
		const uint32_t *kept = map_find(&c->appends, element_of(op_key(o), items[i]));
		guard_tick(pool_guard(c->pool));
		if (kept && !*kept)
			*cut = true;
		else
			vec_push(c->pool, &c->items, renamed(&c->values, items[i]));
	}
	return atoms_list(c->values.to, c->items.items, c->items.count);
}

/* ---- queries ---- */

static void copy_predicate(struct copy *c, const struct query *q)
{
	const struct queries *from = c->h->queries;
	struct queries *to = c->b->h->queries;
	for (uint32_t i = 0; i < q->comparisons; i++) {
		struct comparison x = from->comparisons.items[q->comparison + i];
		uint32_t first = (uint32_t)to->constants.count;
		for (uint32_t j = 0; j < x.count && !joins(&x); j++)
			vec_push(c->b->pool, &to->constants,
			         renamed(&c->cells, from->constants.items[x.first + j]));
		if (!joins(&x)) {
			x.first = first;
			x.column = renamed(&c->columns, x.column);
		}
		vec_push(c->b->pool, &to->comparisons, x);
	}
	for (uint32_t i = 0; i < q->assignments; i++) {
		struct assignment a = from->assignments.items[q->assignment + i];
		a.column = renamed(&c->columns, a.column);
		a.constant = renamed(&c->cells, a.constant);
		a.plus = renamed_name(&c->columns, a.plus);
		vec_push(c->b->pool, &to->assignments, a);
	}
}

static void mention(struct copy *c, uint32_t key)
{
	builder_mention(c->b, renamed(&c->keys, key));
}

/* Its kept rows follow as operations. */
static void copy_query(struct copy *c, const struct query *q)
{
	struct query *made = builder_query(c->b, q->kind, c->h->queries->read_row);
	struct queries *to = c->b->h->queries;
	if (!c->columns.to) {
		rename_init(c->pool, &c->relations, &c->h->queries->relations, &to->relations);
		rename_init(c->pool, &c->columns, &c->h->queries->columns, &to->columns);
		rename_init(c->pool, &c->cells, &c->h->queries->cells, &to->cells);
	}
	made->relation = renamed_name(&c->relations, q->relation);
	made->opaque = q->opaque && !c->rows_assumed;
	made->comparisons = q->comparisons;
	made->assignments = q->assignments;
	copy_predicate(c, q);
	for (uint32_t row = q->op + 1; row <= q->op + q->rows; row++)
		made->rows += c->keep[row];
	exceptions_of_query(&c->exceptions, q);
	for (size_t i = 0; i < c->exceptions.found.count; i++) {
		uint32_t key = c->exceptions.found.items[i];
		mention(c, key);
		vec_push(c->b->pool, &to->except, renamed(&c->keys, key));
	}
	made->excepts = (uint32_t)c->exceptions.found.count;
	exceptions_unwritten(&c->exceptions, q);
	for (size_t i = 0; i < c->exceptions.found.count; i++)
		mention(c, c->exceptions.found.items[i]);
	vec_push(c->b->pool, &c->origin, q->op);
	for (size_t i = 0; i < c->row_count; i++) {
		if (c->rows[i].op != q->op)
			continue;
		made->rows++;
		builder_op(c->b, ALIBI_WRITE, renamed(&c->keys, c->rows[i].key),
		           renamed(&c->values, c->rows[i].value));
		vec_push(c->b->pool, &c->origin, q->op);
	}
}

/* ---- transactions ---- */

static uint32_t id_of(struct copy *c, uint32_t txn)
{
	if (c->h->txn_id && c->h->txn_id[txn] != ID_NONE)
		return renamed(&c->names, c->h->txn_id[txn]);
	return atoms_integer(c->names.to, c->h->txns[txn].number);
}

static void copy_op(struct copy *c, uint32_t i)
{
	const struct history *h = c->h;
	struct op o = h->ops[i];
	if (is_query(h, i)) {
		copy_query(c, query_at(h, i));
		return;
	}
	uint32_t key = renamed(&c->keys, op_key(o)), writer;
	bool cut = false;
	uint32_t value = atoms_kind(&h->values, o.value) == ALIBI_LIST
	                         ? copied_list(c, o, &cut)
	                         : renamed(&c->values, o.value);
	builder_op(c->b, op_kind(o), key, value);
	vec_push(c->b->pool, &c->origin, i);
	c->cut |= cut;
	if (op_kind(o) == ALIBI_READ && !cut && history_read_from(h, i, &writer))
		builder_from(c->b, writer == ID_NONE ? ID_NONE : id_of(c, writer));
}

static void end_txn(struct copy *c, uint32_t txn)
{
	const struct history *h = c->h;
	const struct txn *t = &h->txns[txn];
	struct txn_head head = {
	        .session = renamed_name(&c->names, h->session_name[t->session]),
	        .id = id_of(c, txn),
	        .number = t->number,
	        .status = (enum alibi_status)t->status,
	        .has = t->has,
	};
	if (h->times)
		head.times = h->times[txn];
	if (h->stamps)
		head.stamps = h->stamps[txn];
	while (c->at_info < h->info.count && h->info.items[c->at_info].txn < txn)
		c->at_info++;
	if (c->at_info < h->info.count && h->info.items[c->at_info].txn == txn) {
		const struct txn_info *info = &h->info.items[c->at_info];
		head.info = h->texts.items + info->offset;
		head.info_length = info->length;
	}
	builder_end(c->b, &head);
}

static bool begins_a_key(const struct copy *c)
{
	for (uint32_t key = 0; key < atoms_count(&c->h->keys); key++) {
		alibi_value v = atoms_value(&c->h->keys, key);
		if (v.kind == ALIBI_STRING && v.length >= c->prefix.count &&
		    !memcmp(v.text, c->prefix.items, c->prefix.count))
			return true;
	}
	return false;
}

static void add_placeholder(struct copy *c, uint32_t txn)
{
	if (!c->prefix.count)
		text_addf(c->pool, &c->prefix, "nothing ");
	while (begins_a_key(c))
		text_addf(c->pool, &c->prefix, "at all ");
	text_vec name = {0};
	text_addf(c->pool, &name, "%.*s%" PRIu32, (int)c->prefix.count, c->prefix.items, txn + 1);
	builder_op(c->b, ALIBI_WRITE, atoms_string(c->b->keys, name.items, name.count),
	           atoms_integer(c->b->values, 0));
	vec_push(c->b->pool, &c->origin, ID_NONE);
}

static void copy_txns(struct copy *c)
{
	for (uint32_t txn = 0; txn < c->h->txn_count; txn++) {
		bool any = false;
		guard_tick(pool_guard(c->pool));
		for (uint32_t i = c->h->txns[txn].first_op; i < txn_op_end(c->h, txn); i++) {
			if (c->keep[i])
				copy_op(c, i);
			any |= c->keep[i];
		}
		if (c->placeholder && c->placeholder[txn]) {
			add_placeholder(c, txn);
			any = true;
		}
		if (any)
			end_txn(c, txn);
	}
}

static void copy_initial(struct copy *c, uint32_t key, uint32_t value)
{
	if (c->keys.number[key] != ID_NONE)
		builder_initial(c->b, renamed(&c->keys, key), renamed(&c->values, value));
}

/* A key that is only mentioned exists in the written history if it has an initial value of
 * its own. */
static void copy_initials(struct copy *c)
{
	const struct history *h = c->h;
	bool *own = pool_zarray(c->pool, atoms_count(&h->keys) + 1, sizeof *own);
	for (size_t i = 0; i < h->initial.count; i++) {
		own[h->initial.items[i].key] = true;
		copy_initial(c, h->initial.items[i].key, h->initial.items[i].value);
	}
	for (size_t i = 0; h->initial_default != ATOM_NULL && i < c->exceptions.unwritten.count;
	     i++)
		if (!own[c->exceptions.unwritten.items[i]])
			copy_initial(c, c->exceptions.unwritten.items[i], h->initial_default);
}

static void copy_header(struct copy *c)
{
	struct history *made = c->b->h;
	const struct history *h = c->h;
	copy_initials(c);
	made->initial_default = renamed(&c->values, h->initial_default);
	made->claimed_level = h->claimed_level;
	made->source = h->source;
	made->stamp_meaning = h->stamp_meaning;
	made->has_skew = h->has_skew;
	made->skew = h->skew;
	made->only_past = h->only_past;
	made->nanoseconds = h->nanoseconds;
}

static struct subset make(struct pool *pool, struct copy c)
{
	const struct history *h = c.h;
	struct pool *scratch = pool_child(pool);
	c.pool = scratch;
	c.b = builder_new(pool);
	rename_init(scratch, &c.keys, &h->keys, c.b->keys);
	rename_init(scratch, &c.values, &h->values, c.b->values);
	rename_init(scratch, &c.names, &h->names, c.b->names);
	exceptions_init(&c.exceptions, scratch, h, c.keep);
	find_appends(&c);
	copy_txns(&c);
	copy_header(&c);
	struct subset made = {builder_finish(c.b), c.origin.items, c.cut};
	pool_release(scratch);
	return made;
}

struct subset subset_of(struct pool *pool, const struct history *h, const bool *keep)
{
	return make(pool, (struct copy){.h = h, .keep = keep});
}

void subset_rebase(struct subset *s, const uint32_t *outer)
{
	for (uint32_t i = 0; outer && i < s->h->op_count; i++)
		s->origin[i] = outer[s->origin[i]];
}

static bool *all(struct pool *pool, uint32_t count)
{
	bool *each = pool_array(pool, (size_t)count + 1, sizeof *each);
	memset(each, true, (size_t)count + 1);
	return each;
}

const struct history *subset_with_placeholders(struct pool *pool, const struct history *h,
                                               const bool *empty)
{
	const bool *keep = all(pool, h->op_count);
	return make(pool, (struct copy){.h = h, .keep = keep, .placeholder = empty}).h;
}

const struct history *subset_order_only(struct pool *pool, const struct history *h)
{
	const bool *keep = pool_zarray(pool, (size_t)h->op_count + 1, sizeof *keep);
	const bool *every = all(pool, h->txn_count);
	return make(pool, (struct copy){.h = h, .keep = keep, .placeholder = every}).h;
}

const struct history *subset_with_rows(struct pool *pool, const struct history *h,
                                       const struct assumed_row *rows, size_t count)
{
	return make(pool, (struct copy){.h = h,
	                                .keep = all(pool, h->op_count),
	                                .rows_assumed = true,
	                                .rows = rows,
	                                .row_count = count})
	        .h;
}
