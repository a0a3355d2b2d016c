/* parts: see parts.h. */
#include "order/parts.h"

#include "base/guard.h"
#include "base/radix.h"

#include <assert.h>

enum { PARTS = 64 }; /* of about equal size, if all components are small */

struct partition {
	struct pool *pool; /* for what is not needed afterwards */
	struct guard *guard;
	const struct history *h;
	bool *useful;    /* by transaction: unknown, but takes part */
	uint32_t *above; /* sets: sessions, keys, the clock, relations; a root is above itself */
	bool *asked;     /* by relation, then for all keys: a query that binds speaks of it */
	uint32_t *component; /* by root */
	VEC(uint32_t) sizes; /* by component */
	uint32_t *part_of;   /* by component */
};

/* ---- who takes part ---- */

static uint64_t key_and_value(struct op o)
{
	return radix_pair(op_key(o), o.value);
}

/* The place of what a query speaks of in asked. */
static uint32_t asked_by(const struct history *h, const struct query *q)
{
	return q->relation == ATOM_NONE ? h->queries->relation_count : q->relation;
}

static void find_asked(struct partition *x)
{
	const struct history *h = x->h;
	if (!h->queries)
		return;
	x->asked = pool_zarray(x->pool, (size_t)h->queries->relation_count + 1, sizeof *x->asked);
	for (uint32_t i = 0, t = 0; i < h->queries->list.count; i++, guard_tick(x->guard)) {
		const struct query *q = &h->queries->list.items[i];
		while (h->txns[t + 1].first_op <= q->op)
			t++;
		x->asked[asked_by(h, q)] |= h->txns[t].status == ALIBI_COMMIT ||
		                            (q->open && h->txns[t].status == ALIBI_UNKNOWN_STATUS);
	}
}

static bool is_asked(const struct partition *x, uint32_t key)
{
	const struct queries *q = x->h->queries;
	return x->asked && (x->asked[q->relation_count] ||
	                    (q->relation_of[key] != ATOM_NONE && x->asked[q->relation_of[key]]));
}

/* Marks the unknown transactions one of whose writes is what a committed one read;
 * of lists, all that append to them: what stands between counts there too. */
static void find_useful(struct partition *x)
{
	const struct history *h = x->h;
	VEC(struct keyed) written = {0};
	x->useful = pool_zarray(x->pool, (size_t)h->txn_count + 1, sizeof *x->useful);
	for (uint32_t t = 0; t < h->txn_count; t++, guard_tick(x->guard))
		for (uint32_t op = h->txns[t].first_op;
		     h->txns[t].status == ALIBI_UNKNOWN_STATUS && op < txn_op_end(h, t); op++) {
			struct op o = h->ops[op];
			guard_tick(x->guard);
			x->useful[t] |= op_kind(o) == ALIBI_APPEND ||
			                (op_writes(o) && is_asked(x, op_key(o))) ||
			                (is_query(h, op) && query_at(h, op)->open);
			if (op_kind(o) == ALIBI_WRITE)
				vec_push(x->pool, &written, ((struct keyed){key_and_value(o), t}));
		}
	radix_sort(x->pool, written.items, written.count);
	for (uint32_t op = 0, t = 0; written.count && op < h->op_count; op++) {
		while (h->txns[t + 1].first_op <= op)
			t++;
		guard_tick(x->guard);
		if (op_kind(h->ops[op]) != ALIBI_READ || h->txns[t].status != ALIBI_COMMIT)
			continue;
		uint64_t wanted = key_and_value(h->ops[op]);
		size_t at = radix_find(written.items, written.count, wanted);
		for (; at < written.count && written.items[at].key == wanted; at++)
			x->useful[written.items[at].item] = true;
	}
	pool_free(x->pool, written.items);
}

static bool takes_part(const struct partition *x, uint32_t txn)
{
	return x->h->txns[txn].status == ALIBI_COMMIT || x->useful[txn];
}

/* ---- sets ---- */

static uint32_t root(struct partition *x, uint32_t node)
{
	while (x->above[node] != node)
		node = x->above[node] = x->above[x->above[node]];
	return node;
}

static uint32_t merge(struct partition *x, uint32_t a, uint32_t b)
{
	return x->above[root(x, b)] = root(x, a);
}

/* The keys of each relation that a query speaks of. */
static void merge_relations(struct partition *x, uint32_t first)
{
	const struct queries *q = x->h->queries;
	for (uint32_t r = 0; x->asked && r <= q->relation_count; r++)
		for (uint32_t i = q->first[r]; x->asked[r] && i < q->first[r + 1];
		     i++, guard_tick(x->guard))
			merge(x, first + r, x->h->session_count + q->keys[i]);
}

static void merge_all(struct partition *x, bool realtime)
{
	const struct history *h = x->h;
	uint32_t clock = h->session_count + (uint32_t)atoms_count(&h->keys);
	merge_relations(x, clock + 1);
	for (uint32_t t = 0; t < h->txn_count; t++) {
		uint32_t set = root(x, h->txns[t].session);
		bool binds = h->txns[t].status == ALIBI_COMMIT;
		guard_tick(x->guard);
		if (!takes_part(x, t))
			continue;
		if (realtime && h->txns[t].has & BOTH_TIMES)
			set = merge(x, set, clock);
		for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
			guard_tick(x->guard);
			const struct query *q = query_at(h, op);
			if (q && (binds || q->open))
				set = merge(x, set, clock + 1 + asked_by(h, q));
			else if ((binds || op_writes(h->ops[op])) && !q)
				set = merge(x, set, h->session_count + op_key(h->ops[op]));
		}
	}
}

/* Numbered in the order in which the history shows them. */
static uint32_t component_of(struct partition *x, uint32_t txn)
{
	uint32_t *component = &x->component[root(x, x->h->txns[txn].session)];
	if (*component == ID_NONE) {
		*component = (uint32_t)x->sizes.count;
		vec_push(x->pool, &x->sizes, 0);
	}
	return *component;
}

static void count_components(struct partition *x, struct parts *p)
{
	for (uint32_t t = 0; t < x->h->txn_count; t++) {
		guard_tick(x->guard);
		if (!takes_part(x, t))
			continue;
		uint32_t component = component_of(x, t), size = ++x->sizes.items[component];
		p->largest = size > p->largest ? size : p->largest;
		p->slots++;
	}
	p->components = (uint32_t)x->sizes.count;
}

/* ---- parts ---- */

/* By component, its part: large ones have one of their own, small ones are gathered.
 * Then parts are numbered by their sizes. */
static void gather(struct partition *x, struct parts *p)
{
	uint32_t least = p->slots / PARTS + 1, gathering = ID_NONE;
	VEC(struct keyed) made = {0};
	x->part_of = pool_array(x->pool, x->sizes.count + 1, sizeof *x->part_of);
	for (uint32_t c = 0; c < x->sizes.count; c++) {
		bool small = x->sizes.items[c] < least;
		uint32_t part = small && gathering != ID_NONE ? gathering : (uint32_t)made.count;
		guard_tick(x->guard);
		if (part == made.count)
			vec_push(x->pool, &made, ((struct keyed){UINT64_MAX, part}));
		made.items[part].key -= x->sizes.items[c];
		if (small)
			gathering = UINT64_MAX - made.items[part].key < least ? part : ID_NONE;
		x->part_of[c] = part;
	}
	radix_sort(x->pool, made.items, made.count);
	uint32_t *place = pool_array(x->pool, made.count + 1, sizeof *place);
	for (uint32_t i = 0; i < made.count; i++)
		place[made.items[i].item] = i;
	p->count = made.count ? (uint32_t)made.count : 1;
	for (uint32_t c = 0; c < x->sizes.count; c++)
		x->part_of[c] = place[x->part_of[c]];
}

struct ranges {
	uint32_t *first, *items; /* by part */
};

/* The items of each part, in their order; number, if not NULL, gets the place of each in
 * its part. */
static struct ranges make_ranges(struct pool *pool, uint32_t parts, const uint32_t *part_of,
                                 size_t count, uint32_t *number)
{
	struct ranges r = {.first = pool_zarray(pool, (size_t)parts + 2, sizeof *r.first),
	                   .items = pool_array(pool, count + 1, sizeof *r.items)};
	for (size_t i = 0; i < count; i++, guard_tick(pool_guard(pool)))
		if (part_of[i] != ID_NONE)
			r.first[part_of[i] + 2]++;
	for (uint32_t part = 2; part < parts + 2; part++)
		r.first[part] += r.first[part - 1];
	for (uint32_t i = 0; i < count; i++, guard_tick(pool_guard(pool)))
		if (part_of[i] != ID_NONE)
			r.items[r.first[part_of[i] + 1]++] = i;
	for (uint32_t part = 0; number && part < parts; part++)
		for (uint32_t i = r.first[part]; i < r.first[part + 1];
		     i++, guard_tick(pool_guard(pool)))
			number[r.items[i]] = i - r.first[part];
	return r;
}

/* Of a session or a key; ID_NONE: nobody who takes part has to do with it. */
static uint32_t part_of_set(struct partition *x, uint32_t node)
{
	uint32_t component = x->component[root(x, node)];
	return component == ID_NONE ? ID_NONE : x->part_of[component];
}

static void fill(struct partition *x, struct parts *p, struct pool *pool)
{
	const struct history *h = x->h;
	size_t keys = atoms_count(&h->keys);
	size_t most = keys > h->txn_count ? keys : h->txn_count;
	uint32_t *of = pool_array(x->pool, most + 1, sizeof *of); /* sessions have transactions */
	p->components_in = pool_zarray(pool, p->count, sizeof *p->components_in);
	for (uint32_t c = 0; c < p->components; c++)
		p->components_in[x->part_of[c]]++;
	p->slot_of = pool_array(pool, (size_t)h->txn_count + 1, sizeof *p->slot_of);
	for (uint32_t t = 0; t < h->txn_count; t++, guard_tick(x->guard)) {
		p->slot_of[t] = ID_NONE;
		of[t] = takes_part(x, t) ? part_of_set(x, h->txns[t].session) : ID_NONE;
	}
	struct ranges r = make_ranges(pool, p->count, of, h->txn_count, p->slot_of);
	p->txn_first = r.first;
	p->txns = r.items;
	for (uint32_t s = 0; s < h->session_count; s++, guard_tick(x->guard))
		of[s] = part_of_set(x, s);
	r = make_ranges(pool, p->count, of, h->session_count, NULL);
	p->session_first = r.first;
	p->sessions = r.items;
	for (uint32_t key = 0; key < keys; key++, guard_tick(x->guard)) {
		uint32_t part = part_of_set(x, h->session_count + key);
		of[key] = part == ID_NONE ? 0 : part;
	}
	p->number_of = pool_array(pool, keys + 1, sizeof *p->number_of);
	r = make_ranges(pool, p->count, of, keys, p->number_of);
	p->key_first = r.first;
	p->keys = r.items;
}

static struct parts *make(struct pool *pool, const struct history *h, bool apart, bool realtime)
{
	struct parts *p = pool_zalloc(pool, sizeof *p);
	struct partition x = {.pool = pool_child(pool), .guard = pool_guard(pool), .h = h};
	size_t relations = h->queries ? (size_t)h->queries->relation_count + 1 : 0;
	size_t sets = (size_t)h->session_count + atoms_count(&h->keys) + 1 + relations;
	guard_stage(x.guard, "looking for independent components", 0);
	p->h = h;
	find_asked(&x);
	find_useful(&x);
	x.above = pool_array(x.pool, sets, sizeof *x.above);
	x.component = pool_array(x.pool, sets, sizeof *x.component);
	for (uint32_t i = 0; i < sets; i++, guard_tick(x.guard)) {
		x.above[i] = apart ? i : 0;
		x.component[i] = ID_NONE;
	}
	if (apart)
		merge_all(&x, realtime);
	count_components(&x, p);
	gather(&x, p);
	fill(&x, p, pool);
	pool_release(x.pool);
	return p;
}

struct parts *parts_apart(struct pool *pool, const struct history *h, bool realtime)
{
	return make(pool, h, true, realtime);
}

struct parts *parts_whole(struct pool *pool, const struct history *h)
{
	return make(pool, h, false, false);
}
