/* topology: see topology.h. */
#include "order/topology.h"

#include "base/guard.h"
#include "base/numbers.h"
#include "order/guess.h"

#include <assert.h>

/* Any cycle among the nodes that have no place: each has a predecessor
 * among them, so walking backward comes around. */
static void find_known_cycle(struct topology *t)
{
	const struct problem *p = t->p;
	uint32_t node = 0;
	while (t->place[node] != ID_NONE)
		node++;
	for (t->mark_now++; t->mark[node] != t->mark_now;) {
		t->mark[node] = t->mark_now;
		guard_tick(t->guard);
		uint32_t i = p->before_first[node];
		while (t->place[p->before[i]] != ID_NONE)
			i++;
		t->parent[p->before[i]] = node; /* the way forward */
		node = p->before[i];
	}
	uint32_t first = node;
	do {
		uint32_t next = t->parent[node], i = p->after_first[node];
		while (p->after[i] != next)
			i++;
		vec_push(t->pool, &t->cycle, ((struct cycle_step){node, ID_NONE, p->after_why[i]}));
		node = next;
	} while (node != first);
}

bool topology_init(struct topology *t, struct pool *pool, const struct problem *p,
                   const uint64_t *hint)
{
	size_t n = (size_t)p->nodes + 1;
	*t = (struct topology){.pool = pool, .guard = pool_guard(pool), .p = p};
	t->place = pool_array(pool, n, sizeof *t->place);
	t->node_at = pool_array(pool, n, sizeof *t->node_at);
	t->out = pool_zarray(pool, n, sizeof *t->out);
	t->in = pool_zarray(pool, n, sizeof *t->in);
	t->mark = pool_zarray(pool, n, sizeof *t->mark);
	t->parent = pool_array(pool, n, sizeof *t->parent);
	t->parent_label = pool_array(pool, n, sizeof *t->parent_label);
	t->parent_why = pool_array(pool, n, sizeof *t->parent_why);
	if (guess_order(pool, p, hint, t->place, t->node_at))
		return true;
	find_known_cycle(t);
	return false;
}

/* ---- edges that come and go ---- */

static void reach(struct topology *t, uint32_t from, uint32_t to, uint32_t label, uint32_t why,
                  uint32_t last)
{
	guard_tick(t->guard);
	if (t->mark[to] == t->mark_now || t->place[to] > last)
		return;
	t->mark[to] = t->mark_now;
	t->parent[to] = from;
	t->parent_label[to] = label;
	t->parent_why[to] = why;
	vec_push(t->pool, &t->stack, to);
}

/* What `from` reaches up to the place of `target`; true: target itself. */
static bool look_ahead(struct topology *t, uint32_t from, uint32_t target)
{
	const struct problem *p = t->p;
	uint32_t last = t->place[target];
	t->stack.count = t->ahead.count = 0;
	t->mark[from] = ++t->mark_now;
	vec_push(t->pool, &t->stack, from);
	while (t->stack.count) {
		uint32_t v = t->stack.items[--t->stack.count];
		guard_tick(t->guard);
		if (v == target)
			return true;
		vec_push(t->pool, &t->ahead, v);
		for (uint32_t i = p->after_first[v]; i < p->after_first[v + 1]; i++)
			reach(t, v, p->after[i], ID_NONE, p->after_why[i], last);
		for (uint32_t e = t->out[v]; e; e = t->edges.items[e - 1].next)
			reach(t, v, t->edges.items[e - 1].node, t->edges.items[e - 1].label,
			      WHY_HISTORY, last);
	}
	return false;
}

static void look_behind(struct topology *t, uint32_t from, uint32_t first)
{
	const struct problem *p = t->p;
	t->stack.count = t->behind.count = 0;
	t->mark[from] = ++t->mark_now;
	vec_push(t->pool, &t->stack, from);
	while (t->stack.count) {
		uint32_t v = t->stack.items[--t->stack.count];
		guard_tick(t->guard);
		vec_push(t->pool, &t->behind, v);
		for (uint32_t i = p->before_first[v]; i < p->before_first[v + 1]; i++) {
			uint32_t u = p->before[i];
			if (t->mark[u] != t->mark_now && t->place[u] >= first) {
				t->mark[u] = t->mark_now;
				vec_push(t->pool, &t->stack, u);
			}
		}
		for (uint32_t e = t->in[v]; e; e = t->edges.items[e - 1].next) {
			uint32_t u = t->edges.items[e - 1].node;
			if (t->mark[u] != t->mark_now && t->place[u] >= first) {
				t->mark[u] = t->mark_now;
				vec_push(t->pool, &t->stack, u);
			}
		}
	}
}

/* Nodes become their places, sorted, and the places are added to t->places. */
static void to_places(struct topology *t, uint32_t *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		nodes[i] = t->place[nodes[i]];
		vec_push(t->pool, &t->places, nodes[i]);
	}
	numbers_sort(nodes, count);
	for (size_t i = 0; i < count; i++)
		nodes[i] = t->node_at[nodes[i]];
}

/* All that is behind comes before all that is ahead, in the places they have. */
static void rearrange(struct topology *t)
{
	size_t at = 0;
	t->places.count = 0;
	to_places(t, t->behind.items, t->behind.count);
	to_places(t, t->ahead.items, t->ahead.count);
	numbers_sort(t->places.items, t->places.count);
	for (size_t i = 0; i < t->behind.count; i++, at++)
		t->place[t->behind.items[i]] = t->places.items[at];
	for (size_t i = 0; i < t->ahead.count; i++, at++)
		t->place[t->ahead.items[i]] = t->places.items[at];
	for (size_t i = 0; i < t->behind.count; i++)
		t->node_at[t->place[t->behind.items[i]]] = t->behind.items[i];
	for (size_t i = 0; i < t->ahead.count; i++)
		t->node_at[t->place[t->ahead.items[i]]] = t->ahead.items[i];
}

/* The path that look_ahead() found from `to` to `from`, and the edge itself. */
static void hand_out_cycle(struct topology *t, uint32_t from, uint32_t to, uint32_t label)
{
	t->cycle.count = 0;
	for (uint32_t v = from; v != to; v = t->parent[v])
		vec_push(t->pool, &t->cycle,
		         ((struct cycle_step){t->parent[v], t->parent_label[v], t->parent_why[v]}));
	for (size_t i = 0, j = t->cycle.count; i + 1 < j; i++) {
		struct cycle_step swap = t->cycle.items[i];
		t->cycle.items[i] = t->cycle.items[--j];
		t->cycle.items[j] = swap;
	}
	vec_push(t->pool, &t->cycle, ((struct cycle_step){from, label, WHY_HISTORY}));
}

bool topology_insert(struct topology *t, uint32_t from, uint32_t to, uint32_t label)
{
	assert(from != to);
	if (t->place[from] > t->place[to]) {
		if (look_ahead(t, to, from)) {
			hand_out_cycle(t, from, to, label);
			return false;
		}
		look_behind(t, from, t->place[to]);
		rearrange(t);
	}
	vec_push(t->pool, &t->edges, ((struct guessed_edge){to, label, t->out[from]}));
	t->out[from] = (uint32_t)t->edges.count;
	vec_push(t->pool, &t->edges, ((struct guessed_edge){from, label, t->in[to]}));
	t->in[to] = (uint32_t)t->edges.count;
	return true;
}

void topology_remove(struct topology *t, uint32_t from, uint32_t to)
{
	assert(t->in[to] == t->edges.count && t->out[from] == t->edges.count - 1);
	t->in[to] = t->edges.items[t->edges.count - 1].next;
	t->out[from] = t->edges.items[t->edges.count - 2].next;
	t->edges.count -= 2;
}
