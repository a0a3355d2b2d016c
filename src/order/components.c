/* components: see components.h. */
#include "order/components.h"

#include "base/guard.h"
#include "base/radix.h"

#include <assert.h>

enum { GATHERED = 64 }; /* components of about equal size, if all connected ones are small */

struct partition {
	struct pool *pool; /* for what is not needed afterwards */
	struct guard *guard;
	const struct history *h;
	bool *useful;     /* by transaction: unknown, but included */
	uint32_t *parent; /* sets: sessions, keys, the clock, relations; a root is its own parent */
	bool *queried;    /* by relation, then for all keys: a query that counts is about it */
	uint32_t *connected;    /* by root: number of its connected component */
	VEC(uint32_t) sizes;    /* by connected component */
	uint32_t *component_of; /* by connected component */
};

/* ---- which transactions are included ---- */

static uint64_t key_and_value(struct op o)
{
	return radix_pair(op_key(o), o.value);
}

/* The index in `queried` of what a query is about. */
static uint32_t queried_by(const struct history *h, const struct query *q)
{
	return q->relation == ID_NONE ? h->queries->relation_count : q->relation;
}

static void find_queried(struct partition *x)
{
	const struct history *h = x->h;
	if (!h->queries)
		return;
	x->queried =
	        pool_zarray(x->pool, (size_t)h->queries->relation_count + 1, sizeof *x->queried);
	for (uint32_t i = 0, t = 0; i < h->queries->list.count; i++, guard_tick(x->guard)) {
		const struct query *q = &h->queries->list.items[i];
		while (h->txns[t + 1].first_op <= q->op)
			t++;
		x->queried[queried_by(h, q)] |=
		        h->txns[t].status == ALIBI_COMMIT ||
		        (q->opaque && h->txns[t].status == ALIBI_UNKNOWN_STATUS);
	}
}

static bool is_queried(const struct partition *x, uint32_t key)
{
	const struct queries *q = x->h->queries;
	return x->queried && (x->queried[q->relation_count] ||
	                      (q->relation_of[key] != ID_NONE && x->queried[q->relation_of[key]]));
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
			                (op_writes(o) && is_queried(x, op_key(o))) ||
			                (is_query(h, op) && query_at(h, op)->opaque);
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

static bool is_included(const struct partition *x, uint32_t txn)
{
	return x->h->txns[txn].status == ALIBI_COMMIT || x->useful[txn];
}

/* ---- sets ---- */

static uint32_t root(struct partition *x, uint32_t node)
{
	while (x->parent[node] != node)
		node = x->parent[node] = x->parent[x->parent[node]];
	return node;
}

static uint32_t merge(struct partition *x, uint32_t a, uint32_t b)
{
	return x->parent[root(x, b)] = root(x, a);
}

/* Joins the keys of each relation that is queried. */
static void merge_relations(struct partition *x, uint32_t first)
{
	const struct queries *q = x->h->queries;
	for (uint32_t r = 0; x->queried && r <= q->relation_count; r++)
		for (uint32_t i = q->first[r]; x->queried[r] && i < q->first[r + 1];
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
		bool committed = h->txns[t].status == ALIBI_COMMIT;
		guard_tick(x->guard);
		if (!is_included(x, t))
			continue;
		if (realtime && h->txns[t].has & BOTH_TIMES)
			set = merge(x, set, clock);
		for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
			guard_tick(x->guard);
			const struct query *q = query_at(h, op);
			if (q && (committed || q->opaque))
				set = merge(x, set, clock + 1 + queried_by(h, q));
			else if ((committed || op_writes(h->ops[op])) && !q)
				set = merge(x, set, h->session_count + op_key(h->ops[op]));
		}
	}
}

/* ---- connected components ---- */

/* Numbered in the order in which the history shows them. */
static void count_connected(struct partition *x, struct components *c)
{
	for (uint32_t t = 0; t < x->h->txn_count; t++) {
		guard_tick(x->guard);
		if (!is_included(x, t))
			continue;
		uint32_t *number = &x->connected[root(x, x->h->txns[t].session)];
		if (*number == ID_NONE) {
			*number = (uint32_t)x->sizes.count;
			vec_push(x->pool, &x->sizes, 0);
		}
		uint32_t size = ++x->sizes.items[*number];
		c->largest = size > c->largest ? size : c->largest;
		c->slots++;
	}
	c->connected = (uint32_t)x->sizes.count;
}

/* Large ones are a component each, small ones are gathered. Then components are numbered by
 * their sizes. */
static void gather(struct partition *x, struct components *c)
{
	uint32_t least = c->slots / GATHERED + 1, gathering = ID_NONE;
	VEC(struct keyed) made = {0};
	x->component_of = pool_array(x->pool, x->sizes.count + 1, sizeof *x->component_of);
	for (uint32_t i = 0; i < x->sizes.count; i++) {
		bool small = x->sizes.items[i] < least;
		uint32_t to = small && gathering != ID_NONE ? gathering : (uint32_t)made.count;
		guard_tick(x->guard);
		if (to == made.count)
			vec_push(x->pool, &made, ((struct keyed){UINT64_MAX, to}));
		made.items[to].key -= x->sizes.items[i];
		if (small)
			gathering = UINT64_MAX - made.items[to].key < least ? to : ID_NONE;
		x->component_of[i] = to;
	}
	radix_sort(x->pool, made.items, made.count);
	uint32_t *place = pool_array(x->pool, made.count + 1, sizeof *place);
	for (uint32_t i = 0; i < made.count; i++)
		place[made.items[i].item] = i;
	c->count = made.count ? (uint32_t)made.count : 1;
	for (uint32_t i = 0; i < x->sizes.count; i++)
		x->component_of[i] = place[x->component_of[i]];
}

/* Sorts items by their component (ID_NONE: in none); number, if not NULL, gets the number of
 * each in its component. */
static struct component_items sort_items(struct pool *pool, uint32_t components, const uint32_t *of,
                                         size_t count, uint32_t *number)
{
	struct component_items s = {pool_zarray(pool, (size_t)components + 2, sizeof *s.first),
	                            pool_array(pool, count + 1, sizeof *s.items)};
	for (size_t i = 0; i < count; i++, guard_tick(pool_guard(pool)))
		if (of[i] != ID_NONE)
			s.first[of[i] + 2]++;
	for (uint32_t c = 2; c < components + 2; c++)
		s.first[c] += s.first[c - 1];
	for (uint32_t i = 0; i < count; i++, guard_tick(pool_guard(pool)))
		if (of[i] != ID_NONE)
			s.items[s.first[of[i] + 1]++] = i;
	for (uint32_t c = 0; number && c < components; c++)
		for (uint32_t i = s.first[c]; i < s.first[c + 1]; i++, guard_tick(pool_guard(pool)))
			number[s.items[i]] = i - s.first[c];
	return s;
}

/* Of a session or a key; ID_NONE: no included transaction uses it. */
static uint32_t component_of_set(struct partition *x, uint32_t set)
{
	uint32_t connected = x->connected[root(x, set)];
	return connected == ID_NONE ? ID_NONE : x->component_of[connected];
}

static void fill(struct partition *x, struct components *c, struct pool *pool)
{
	const struct history *h = x->h;
	size_t keys = atoms_count(&h->keys);
	size_t most = keys > h->txn_count ? keys : h->txn_count;
	uint32_t *of = pool_array(x->pool, most + 1, sizeof *of); /* sessions have transactions */
	c->connected_in = pool_zarray(pool, c->count, sizeof *c->connected_in);
	for (uint32_t i = 0; i < c->connected; i++)
		c->connected_in[x->component_of[i]]++;
	c->slot_of = pool_array(pool, (size_t)h->txn_count + 1, sizeof *c->slot_of);
	for (uint32_t t = 0; t < h->txn_count; t++, guard_tick(x->guard)) {
		c->slot_of[t] = ID_NONE;
		of[t] = is_included(x, t) ? component_of_set(x, h->txns[t].session) : ID_NONE;
	}
	c->txns = sort_items(pool, c->count, of, h->txn_count, c->slot_of);
	for (uint32_t s = 0; s < h->session_count; s++, guard_tick(x->guard))
		of[s] = component_of_set(x, s);
	c->sessions = sort_items(pool, c->count, of, h->session_count, NULL);
	for (uint32_t key = 0; key < keys; key++, guard_tick(x->guard)) {
		uint32_t component = component_of_set(x, h->session_count + key);
		of[key] = component == ID_NONE ? 0 : component;
	}
	c->number_of = pool_array(pool, keys + 1, sizeof *c->number_of);
	c->keys = sort_items(pool, c->count, of, keys, c->number_of);
}

static struct components *make(struct pool *pool, const struct history *h, bool apart,
                               bool realtime)
{
	struct components *c = pool_zalloc(pool, sizeof *c);
	struct partition x = {.pool = pool_child(pool), .guard = pool_guard(pool), .h = h};
	size_t relations = h->queries ? (size_t)h->queries->relation_count + 1 : 0;
	size_t sets = (size_t)h->session_count + atoms_count(&h->keys) + 1 + relations;
	guard_stage(x.guard, "looking for independent components", 0);
	c->h = h;
	find_queried(&x);
	find_useful(&x);
	x.parent = pool_array(x.pool, sets, sizeof *x.parent);
	x.connected = pool_array(x.pool, sets, sizeof *x.connected);
	for (uint32_t i = 0; i < sets; i++, guard_tick(x.guard)) {
		x.parent[i] = apart ? i : 0;
		x.connected[i] = ID_NONE;
	}
	if (apart)
		merge_all(&x, realtime);
	count_connected(&x, c);
	gather(&x, c);
	fill(&x, c, pool);
	pool_release(x.pool);
	return c;
}

struct components *components_find(struct pool *pool, const struct history *h, bool realtime)
{
	return make(pool, h, true, realtime);
}

struct components *components_whole(struct pool *pool, const struct history *h)
{
	return make(pool, h, false, false);
}
