/* topology: see topology.h. */
#include "order/topology.h"

#include "base/guard.h"
#include "base/numbers.h"
#include "order/first_order.h"

#include <assert.h>
#include <string.h>

/* Any cycle among the nodes that have no place: each has a predecessor
 * among them, so walking backward comes around. */
static void find_known_cycle(struct topology *t)
{
	const struct problem *p = t->p;
	node_id node = {0};
	while (t->place[node.index] != ID_NONE)
		node.index++;
	for (t->mark_now++; t->mark[node.index] != t->mark_now;) {
		t->mark[node.index] = t->mark_now;
		guard_tick(t->guard);
		uint32_t i = p->before_first[node.index];
		while (t->place[p->before[i].index] != ID_NONE)
			i++;
		t->parent[p->before[i].index].node = node; /* the way forward */
		node = p->before[i];
	}
	node_id first = node;
	do {
		node_id next = t->parent[node.index].node;
		uint32_t i = p->after_first[node.index];
		while (!same_node(p->after[i], next))
			i++;
		vec_push(t->pool, &t->cycle, ((struct path_step){node, ID_NONE, p->after_why[i]}));
		node = next;
	} while (!same_node(node, first));
}

bool topology_init(struct topology *t, struct pool *pool, const struct problem *p,
                   const uint64_t *hint)
{
	size_t n = (size_t)p->nodes + 1;
	*t = (struct topology){.pool = pool, .guard = pool_guard(pool), .p = p};
	t->place = pool_array(pool, n, sizeof *t->place);
	t->node_at = pool_array(pool, n, sizeof *t->node_at);
	t->out = pool_array(pool, n, sizeof *t->out);
	t->in = pool_array(pool, n, sizeof *t->in);
	memset(t->out, 0xff, n * sizeof *t->out);
	memset(t->in, 0xff, n * sizeof *t->in);
	t->mark = pool_zarray(pool, n, sizeof *t->mark);
	t->parent = pool_array(pool, n, sizeof *t->parent);
	if (!first_order(pool, p, hint, t->place, t->node_at)) {
		find_known_cycle(t);
		return false;
	}
	assert(p->nodes > VALIDATE_NODES || topology_validate(t));
	return true;
}

/* ---- paths ---- */

static void reach(struct topology *t, struct path_step step, node_id to, const uint32_t *place,
                  uint32_t last)
{
	guard_tick(t->guard);
	if (t->mark[to.index] == t->mark_now || place[to.index] > last)
		return;
	t->mark[to.index] = t->mark_now;
	t->parent[to.index] = step;
	vec_push(t->pool, &t->stack, to);
}

/* The path from `from` to `to` that the latest search found. */
static void trace(struct topology *t, node_id from, node_id to, path_vec *path)
{
	size_t count = 0;
	for (node_id v = to; !same_node(v, from); v = t->parent[v.index].node)
		count++;
	vec_reserve(t->pool, path, count);
	path->count = count;
	for (node_id v = to; !same_node(v, from); v = t->parent[v.index].node)
		path->items[--count] = t->parent[v.index];
}

static void start_from(struct topology *t, node_id from)
{
	t->stack.count = 0;
	t->mark[from.index] = ++t->mark_now;
	vec_push(t->pool, &t->stack, from);
}

bool topology_path(struct topology *t, node_id from, node_id to, uint32_t earlier, path_vec *path)
{
	const struct problem *p = t->p;
	start_from(t, from);
	while (t->mark[to.index] != t->mark_now) {
		if (!t->stack.count)
			return false;
		node_id v = t->stack.items[--t->stack.count];
		guard_tick(t->guard);
		for (uint32_t i = p->after_first[v.index]; i < p->after_first[v.index + 1]; i++) {
			uint32_t derived = why_derived(p, p->after_why[i]);
			if (derived == ID_NONE || derived < earlier)
				reach(t, (struct path_step){v, ID_NONE, p->after_why[i]},
				      p->after[i], p->place, p->place[to.index]);
		}
	}
	trace(t, from, to, path);
	return true;
}

/* Fills ahead with what `from` reaches up to the place of `target`; true: target itself. */
static bool look_ahead(struct topology *t, node_id from, node_id target)
{
	const struct problem *p = t->p;
	uint32_t last = t->place[target.index];
	t->ahead.count = 0;
	start_from(t, from);
	while (t->stack.count) {
		node_id v = t->stack.items[--t->stack.count];
		guard_tick(t->guard);
		if (same_node(v, target))
			return true;
		vec_push(t->pool, &t->ahead, v);
		for (uint32_t i = p->after_first[v.index]; i < p->after_first[v.index + 1]; i++)
			reach(t, (struct path_step){v, ID_NONE, p->after_why[i]}, p->after[i],
			      t->place, last);
		for (uint32_t e = t->out[v.index]; e != ID_NONE; e = t->edges.items[e].next)
			reach(t, (struct path_step){v, t->edges.items[e].label, WHY_HISTORY},
			      t->edges.items[e].node, t->place, last);
	}
	return false;
}

/* ---- edges that come and go ---- */

static void reach_back(struct topology *t, node_id from, uint32_t first)
{
	if (t->mark[from.index] == t->mark_now || t->place[from.index] < first)
		return;
	t->mark[from.index] = t->mark_now;
	vec_push(t->pool, &t->stack, from);
}

/* Fills behind with what reaches `to` from places not before first. */
static void look_behind(struct topology *t, node_id to, uint32_t first)
{
	const struct problem *p = t->p;
	t->behind.count = 0;
	start_from(t, to);
	while (t->stack.count) {
		node_id v = t->stack.items[--t->stack.count];
		guard_tick(t->guard);
		vec_push(t->pool, &t->behind, v);
		for (uint32_t i = p->before_first[v.index]; i < p->before_first[v.index + 1]; i++)
			reach_back(t, p->before[i], first);
		for (uint32_t e = t->in [v.index]; e != ID_NONE; e = t->edges.items[e].next)
			reach_back(t, t->edges.items[e].node, first);
	}
}

/* Sorts nodes by their places, which are added to t->places. */
static void sort_by_place(struct topology *t, node_id *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vec_push(t->pool, &t->places, t->place[nodes[i].index]);
	const uint32_t *sorted = t->places.items + t->places.count - count;
	numbers_sort(t->places.items + t->places.count - count, count);
	for (size_t i = 0; i < count; i++)
		nodes[i] = t->node_at[sorted[i]];
}

static void put(struct topology *t, node_id node, uint32_t place)
{
	t->place[node.index] = place;
	t->node_at[place] = node;
}

/* All that is behind comes before all that is ahead, in the places they have. */
static void rearrange(struct topology *t)
{
	size_t at = 0;
	t->places.count = 0;
	sort_by_place(t, t->behind.items, t->behind.count);
	sort_by_place(t, t->ahead.items, t->ahead.count);
	numbers_sort(t->places.items, t->places.count);
	for (size_t i = 0; i < t->behind.count; i++)
		put(t, t->behind.items[i], t->places.items[at++]);
	for (size_t i = 0; i < t->ahead.count; i++)
		put(t, t->ahead.items[i], t->places.items[at++]);
}

bool topology_insert(struct topology *t, node_id from, node_id to, uint32_t label)
{
	assert(from.index < t->p->nodes && to.index < t->p->nodes && !same_node(from, to));
	assert(label != ID_NONE);
	if (t->place[from.index] > t->place[to.index]) {
		if (look_ahead(t, to, from)) {
			trace(t, to, from, &t->cycle);
			vec_push(t->pool, &t->cycle,
			         ((struct path_step){from, label, WHY_HISTORY}));
			return false;
		}
		look_behind(t, from, t->place[to.index]);
		rearrange(t);
	}
	uint32_t edge = (uint32_t)t->edges.count;
	vec_push(t->pool, &t->edges, ((struct inserted_edge){to, label, t->out[from.index]}));
	vec_push(t->pool, &t->edges, ((struct inserted_edge){from, label, t->in[to.index]}));
	t->out[from.index] = edge;
	t->in[to.index] = edge + 1;
	return true;
}

void topology_remove(struct topology *t, node_id from, node_id to)
{
	assert(t->edges.count >= 2 && t->out[from.index] == t->edges.count - 2);
	assert(t->in[to.index] == t->edges.count - 1);
	t->in[to.index] = t->edges.items[t->edges.count - 1].next;
	t->out[from.index] = t->edges.items[t->edges.count - 2].next;
	t->edges.count -= 2;
}

bool topology_validate(const struct topology *t)
{
	const struct problem *p = t->p;
	bool ok = true;
	for (uint32_t v = 0; v < p->nodes; v++) {
		ok = ok && t->place[v] < p->nodes && t->node_at[t->place[v]].index == v;
		for (uint32_t i = p->after_first[v]; ok && i < p->after_first[v + 1]; i++)
			ok = t->place[v] < t->place[p->after[i].index];
		for (uint32_t e = t->out[v]; ok && e != ID_NONE; e = t->edges.items[e].next)
			ok = e % 2 == 0 && t->place[v] < t->place[t->edges.items[e].node.index] &&
			     t->edges.items[e + 1].node.index == v;
	}
	return ok;
}
