/* repair: see repair.h. */
#include "order/repair.h"

#include "base/guard.h"
#include "base/radix.h"

#include <string.h>

/* `other` stands between the writer (NODE_NONE: the initial version) and the read. */
struct obstacle {
	node_id writer, other, read;
};

struct inserted {
	node_id from, to;
};

struct repairs {
	struct pool *pool;
	struct topology *t;
	uint32_t *writer; /* by key: the last one on the way */
	VEC(struct obstacle) obstacles;
	VEC(struct keyed) nearest; /* obstacles by how far away the nearer end is */
	VEC(struct inserted) edges;
};

static uint32_t distance(const struct repairs *r, node_id a, node_id b)
{
	return r->t->place[b.index] - r->t->place[a.index];
}

static uint32_t move_of(const struct repairs *r, const struct obstacle *o)
{
	uint32_t behind = distance(r, o->other, o->read);
	if (same_node(o->writer, NODE_NONE))
		return behind;
	uint32_t before = distance(r, o->writer, o->other);
	return before < behind ? before : behind;
}

static void note(struct repairs *r, uint32_t slot, const struct external_read *w)
{
	const struct problem *p = r->t->p;
	uint32_t other = r->writer[w->key], writer = first_candidate(p, slot, w);
	if (candidate_count(w) + w->initial != 1 || w->opaque_writer || other == writer ||
	    other == ID_NONE)
		return;
	struct obstacle o = {version_node(p, writer), write_node(p, other), read_node(p, slot)};
	vec_push(r->pool, &r->nearest,
	         ((struct keyed){move_of(r, &o), (uint32_t)r->obstacles.count}));
	vec_push(r->pool, &r->obstacles, o);
}

/* Goes along the order. */
static void find_obstacles(struct repairs *r)
{
	const struct problem *p = r->t->p;
	memset(r->writer, 0xff, ((size_t)p->keys + 1) * sizeof *r->writer);
	r->obstacles.count = r->nearest.count = 0;
	for (uint32_t at = 0; at < p->nodes; at++) {
		node_id node = r->t->node_at[at];
		guard_tick(r->t->guard);
		if (!is_event(p, node))
			continue;
		uint32_t slot = slot_of_node(p, node);
		for (uint32_t i = p->read_first[slot];
		     reads_at(p, node) && i < p->read_first[slot + 1]; i++)
			note(r, slot, &p->reads.items[i]);
		for (uint32_t i = p->write_first[slot];
		     writes_at(p, node) && i < p->write_first[slot + 1]; i++)
			r->writer[p->writes.items[i].key] = slot;
	}
	radix_sort(r->pool, r->nearest.items, r->nearest.count);
}

static bool insert(struct repairs *r, node_id from, node_id to)
{
	if (!topology_insert(r->t, from, to, 0))
		return false;
	vec_push(r->pool, &r->edges, ((struct inserted){from, to}));
	return true;
}

static void move(struct repairs *r, const struct obstacle *o)
{
	const uint32_t *place = r->t->place;
	bool initial = same_node(o->writer, NODE_NONE);
	if (place[o->other.index] > place[o->read.index] ||
	    (!initial && place[o->other.index] < place[o->writer.index]))
		return; /* another move did it */
	bool before = !initial && distance(r, o->writer, o->other) < distance(r, o->other, o->read);
	if (before && insert(r, o->other, o->writer))
		return;
	if (!insert(r, o->read, o->other) && !before && !initial)
		insert(r, o->other, o->writer);
}

void repair(struct pool *pool, struct topology *t)
{
	struct pool *own = pool_child(pool);
	struct repairs r = {.pool = own, .t = t};
	size_t before = SIZE_MAX;
	r.writer = pool_array(own, (size_t)t->p->keys + 1, sizeof *r.writer);
	for (find_obstacles(&r); r.obstacles.count < before - before / 8; find_obstacles(&r)) {
		before = r.obstacles.count;
		for (size_t i = 0; i < r.nearest.count; i++)
			move(&r, &r.obstacles.items[r.nearest.items[i].item]);
	}
	for (; r.edges.count; r.edges.count--) {
		struct inserted e = r.edges.items[r.edges.count - 1];
		topology_remove(t, e.from, e.to);
	}
	pool_release(own);
}
