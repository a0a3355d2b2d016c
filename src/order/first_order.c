/* first_order: see first_order.h. */
#include "order/first_order.h"

#include "base/guard.h"
#include "base/numbers.h"
#include "base/radix.h"
#include "order/linearize.h"

/* The last candidate before the slot, in the order of the file; or ID_NONE. */
static uint32_t candidate_before(const struct problem *p, const struct external_read *w,
                                 uint32_t slot)
{
	if (!w->count)
		return ID_NONE;
	size_t before = numbers_find(p->candidates + w->first, w->count, slot);
	return before ? p->candidates[w->first + before - 1] : ID_NONE;
}

/* If transactions commit in the order of the file, a snapshot taken as early as possible
 * explains what any later one does: after the writers of what was read and, where writers may
 * not overlap, after earlier writers of the same keys. */
static void early_starts(struct pool *pool, const struct problem *p, uint64_t *hint)
{
	uint32_t *next = pool_zarray(pool, (size_t)p->keys + 1, sizeof *next); /* by key */
	for (uint32_t slot = 0; slot < p->slots; slot++) {
		uint32_t earliest = 0; /* slots before this one come before its start */
		for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++) {
			uint32_t before = candidate_before(p, &p->reads.items[i], slot);
			guard_tick(pool_guard(pool));
			if (before != ID_NONE && before >= earliest)
				earliest = before + 1;
		}
		for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++) {
			uint32_t key = p->writes.items[i].key;
			guard_tick(pool_guard(pool));
			if (p->rules.noconflict && next[key] > earliest)
				earliest = next[key];
			next[key] = slot + 1;
		}
		hint[read_node(p, slot).index] = 2 * (uint64_t)earliest;
	}
	pool_free(pool, next);
}

/* Is the file sorted by session? */
static bool by_session(const struct problem *p)
{
	uint32_t changes = 0;
	for (uint32_t slot = 1; slot < p->slots; slot++)
		changes += p->h->txns[p->txn_of[slot]].session !=
		           p->h->txns[p->txn_of[slot - 1]].session;
	return changes < p->session_count && p->session_count < p->slots / 2;
}

/* The place in the file, or how far along its session a transaction is. */
static void hint_by_place(struct pool *pool, const struct problem *p, bool by_file, uint64_t *hint)
{
	const struct history *h = p->h;
	for (uint32_t s = 0; s < p->session_count; s++) {
		uint32_t session = p->sessions[s], first = h->session_first[session],
		         end = h->session_first[session + 1];
		for (uint32_t i = first; i < end; i++) {
			uint32_t slot = p->slot_of[h->session_txns[i]];
			guard_tick(pool_guard(pool));
			if (slot == ID_NONE)
				continue;
			uint64_t along = ((uint64_t)(i - first) << 32) / (end - first);
			uint64_t place = by_file ? slot : along;
			hint[read_node(p, slot).index] = 2 * place;
			if (p->rules.snapshot)
				hint[write_node(p, slot).index] = 2 * place + 1;
		}
	}
}

/* The time when a transaction ended; if it has a snapshot, that was taken when it began.
 * False: not all have times. */
static bool hint_by_times(const struct problem *p, uint64_t *hint)
{
	const struct history *h = p->h;
	bool all = h->times;
	for (uint32_t slot = 0; all && slot < p->slots; slot++) {
		uint32_t txn = p->txn_of[slot];
		struct client_times t = h->times[txn];
		all = h->txns[txn].has & ALIBI_HAS_BEGIN;
		hint[read_node(p, slot).index] = radix_key(t.begin);
		hint[write_node(p, slot).index] =
		        radix_key(h->txns[txn].has & ALIBI_HAS_END ? t.end : t.begin);
	}
	return all;
}

/* Histories are mostly recorded about in the order of events; then the place in
 * the file is a good hint. In files sorted by session it is not, or if many known edges
 * go backward in them: then the clients' clocks do better, and if there are none, how far along
 * its session a transaction is. */
uint64_t *first_order_hint(struct pool *pool, const struct problem *p)
{
	const struct history *h = p->h;
	uint64_t *hint = pool_array(pool, (size_t)p->nodes + 1, sizeof *hint);
	uint64_t backward = 0, total = 0;
	for (uint32_t v = 0; v < event_nodes(p); v++)
		for (uint32_t i = p->after_first[v]; i < p->after_first[v + 1]; i++) {
			guard_tick(pool_guard(pool));
			total++;
			backward += p->after[i].index < v;
		}
	bool by_file = backward * 50 <= total && !by_session(p);
	if (by_file || !hint_by_times(p, hint))
		hint_by_place(pool, p, by_file, hint);
	if (by_file && p->rules.snapshot && !h->queries)
		early_starts(pool, p, hint);
	linearize(pool, p, hint);
	for (uint32_t v = event_nodes(p); v < p->nodes; v++) /* time points: as early as possible */
		hint[v] = 0;
	return hint;
}

/* A heap of nodes that may come next; the one with the least hint is taken. */
struct ready {
	const uint64_t *hint;
	node_id *items;
	size_t count;
};

static bool sooner(const struct ready *r, node_id a, node_id b)
{
	uint64_t x = r->hint[a.index], y = r->hint[b.index];
	return x != y ? x < y : a.index < b.index;
}

static void ready_put(struct ready *r, node_id node)
{
	size_t i = r->count++;
	for (; i && sooner(r, node, r->items[(i - 1) / 2]); i = (i - 1) / 2)
		r->items[i] = r->items[(i - 1) / 2];
	r->items[i] = node;
}

static node_id ready_take(struct ready *r)
{
	node_id top = r->items[0], node = r->items[--r->count];
	size_t i = 0, child;
	while ((child = 2 * i + 1) < r->count) {
		if (child + 1 < r->count && sooner(r, r->items[child + 1], r->items[child]))
			child++;
		if (!sooner(r, r->items[child], node))
			break;
		r->items[i] = r->items[child];
		i = child;
	}
	r->items[i] = node;
	return top;
}

bool first_order(struct pool *pool, const struct problem *p, const uint64_t *hint, uint32_t *place,
                 node_id *node_at)
{
	uint32_t *waiting = pool_array(pool, (size_t)p->nodes + 1, sizeof *waiting), placed = 0;
	struct ready r = {.hint = hint};
	r.items = pool_array(pool, (size_t)p->nodes + 1, sizeof *r.items);
	for (uint32_t v = 0; v < p->nodes; v++) {
		place[v] = ID_NONE;
		waiting[v] = p->before_first[v + 1] - p->before_first[v];
		if (!waiting[v])
			ready_put(&r, (node_id){v});
	}
	while (r.count) {
		node_id v = ready_take(&r);
		place[v.index] = placed;
		node_at[placed++] = v;
		for (uint32_t i = p->after_first[v.index]; i < p->after_first[v.index + 1];
		     i++, guard_tick(pool_guard(pool)))
			if (!--waiting[p->after[i].index])
				ready_put(&r, p->after[i]);
	}
	pool_free(pool, waiting);
	pool_free(pool, r.items);
	return placed == p->nodes;
}
