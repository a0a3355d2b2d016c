/* saturate: see saturate.h. */
#include "order/saturate.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "order/clocks.h"
#include "order/first_order.h"
#include "order/known.h"

#include <assert.h>
#include <string.h>

enum {
	CHAINS = 32,       /* one row of clocks fills two cache lines */
	NEIGHBOURS = 8,    /* writers of the key that a read is compared with, on each side */
	SLOTS_PER_EDGE = 4 /* a round that derives fewer edges is the last one */
};

struct saturation {
	struct problem *p;
	struct pool *pool;
	struct guard *guard;
	struct clocks clocks;
	uint32_t *place;                   /* of the clocks' order */
	uint32_t *writers_first, *writers; /* by key: slots, by place */
	size_t round;                      /* how much was derived before this round */
};

/* ---- what is known ---- */

void saturation_derive(struct saturation *s, struct derived d)
{
	d.earlier = (uint32_t)s->round;
	vec_push(s->p->pool, &s->p->derived, d);
}

static bool has(const node_id *nodes, uint32_t first, uint32_t end, node_id node)
{
	while (first < end && !same_node(nodes[first], node))
		first++;
	return first < end;
}

static bool has_edge(const struct problem *p, node_id a, node_id b)
{
	uint32_t after = p->after_first[a.index], after_end = p->after_first[a.index + 1];
	uint32_t before = p->before_first[b.index], before_end = p->before_first[b.index + 1];
	return after_end - after < before_end - before ? has(p->after, after, after_end, b)
	                                               : has(p->before, before, before_end, a);
}

/* By an edge, or by the chains. */
static bool is_known(const struct saturation *s, node_id a, node_id b)
{
	guard_tick(s->guard);
	return s->place[a.index] < s->place[b.index] &&
	       (clocks_before(&s->clocks, a, b) || has_edge(s->p, a, b));
}

bool saturation_before(const struct saturation *s, uint32_t slot, node_id node)
{
	return is_known(s, write_node(s->p, slot), node);
}

bool saturation_after(const struct saturation *s, uint32_t slot, node_id node)
{
	return is_known(s, node, write_node(s->p, slot));
}

/* ---- what follows ---- */

/* A read of the version of its one candidate; writer ID_NONE: the initial one. */
struct sure_read {
	uint32_t slot, writer, op;
	node_id read, write;
};

static void derive(struct saturation *s, const struct sure_read *r, node_id from, node_id to,
                   uint32_t other)
{
	saturation_derive(s, (struct derived){from, to, r->op, other, 0, ID_NONE});
}

/* The other writer is before what was read. */
static void derive_before(struct saturation *s, const struct sure_read *r, uint32_t other)
{
	derive(s, r, write_node(s->p, other), r->write, other);
}

/* It is after the read. */
static void derive_after(struct saturation *s, const struct sure_read *r, uint32_t other)
{
	derive(s, r, r->read, write_node(s->p, other), other);
}

/* From the read back to what it read; returns where that is, or where it gave up. */
static uint32_t look_between(struct saturation *s, const struct sure_read *r, uint32_t first,
                             uint32_t at)
{
	bool initial = r->writer == ID_NONE;
	for (uint32_t left = NEIGHBOURS; at > first && s->writers[at - 1] != r->writer; at--) {
		uint32_t other = s->writers[at - 1];
		if (other == r->slot)
			continue;
		if (!initial && !left--)
			break;
		if (!initial && saturation_before(s, other, r->read))
			derive_before(s, r, other);
		else if (initial || saturation_after(s, other, r->write))
			derive_after(s, r, other);
	}
	return at;
}

/* From what was read back, up to one that is known to be before it. */
static void look_before(struct saturation *s, const struct sure_read *r, uint32_t first,
                        uint32_t at)
{
	for (uint32_t left = NEIGHBOURS; at > first && left; at--, left--) {
		uint32_t other = s->writers[at - 1];
		if (other == r->slot)
			continue;
		if (saturation_before(s, other, r->write))
			break;
		if (saturation_before(s, other, r->read))
			derive_before(s, r, other);
	}
}

/* From the read on, up to one that is known to be after it. */
static void look_after(struct saturation *s, const struct sure_read *r, uint32_t at, uint32_t end)
{
	for (uint32_t left = NEIGHBOURS; at < end && left; at++, left--) {
		uint32_t other = s->writers[at];
		if (other == r->slot)
			continue;
		if (saturation_after(s, other, r->read))
			break;
		if (r->writer == ID_NONE || saturation_after(s, other, r->write))
			derive_after(s, r, other);
	}
}

static void look_at_read(struct saturation *s, uint32_t slot, const struct external_read *w)
{
	const struct problem *p = s->p;
	uint32_t first = s->writers_first[w->key], end = s->writers_first[w->key + 1], behind;
	if (candidate_count(w) + w->initial != 1 || w->opaque_writer)
		return;
	struct sure_read r = {.slot = slot,
	                      .writer = first_candidate(p, slot, w),
	                      .op = w->op,
	                      .read = read_node(p, slot)};
	r.write = version_node(p, r.writer);
	bisect(behind, first, end,
	       s->place[write_node(p, s->writers[behind]).index] < s->place[r.read.index]);
	uint32_t at = look_between(s, &r, first, behind);
	if (at > first && s->writers[at - 1] == r.writer)
		look_before(s, &r, first, at - 1);
	look_after(s, &r, behind, end);
}

/* How many edges were derived in this round. */
static size_t look_at_all(struct saturation *s)
{
	const struct problem *p = s->p;
	for (uint32_t slot = 0; slot < p->slots; slot++)
		for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++)
			look_at_read(s, slot, &p->reads.items[i]);
	return p->derived.count - s->round;
}

/* ---- rounds ---- */

/* The writers of each key, as they stand in the order. */
static void index_writers(struct saturation *s)
{
	const struct problem *p = s->p;
	uint32_t *first = s->writers_first;
	memset(first, 0, ((size_t)p->keys + 2) * sizeof *first);
	for (size_t i = 0; i < p->writes.count; i++)
		first[p->writes.items[i].key + 2]++;
	for (size_t k = 2; k < (size_t)p->keys + 2; k++)
		first[k] += first[k - 1];
	for (uint32_t at = 0; at < p->nodes; at++) {
		node_id node = s->clocks.order[at];
		guard_tick(s->guard);
		if (!writes_at(p, node))
			continue;
		uint32_t slot = slot_of_node(p, node);
		for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++)
			s->writers[first[p->writes.items[i].key + 1]++] = slot;
	}
}

/* Where an event stands in each chain says where it stands in all. */
static void estimate_places(const struct saturation *s, uint64_t *hint)
{
	const struct clocks *c = &s->clocks;
	for (uint32_t v = 0; v < event_nodes(s->p); v++) {
		const uint32_t *past = clocks_past(c, (node_id){v});
		const uint32_t *future = clocks_future(c, (node_id){v});
		guard_tick(s->guard);
		hint[v] = 0;
		for (uint32_t i = 0; i < c->chains; i++)
			hint[v] += (uint64_t)past[i] + future[i];
	}
}

/* Sorts by the hint, and by what is known; false: that has a cycle. */
static bool sort(struct saturation *s, const uint64_t *hint)
{
	struct problem *p = s->p;
	uint32_t *place = pool_array(p->pool, (size_t)p->nodes + 1, sizeof *place);
	if (!first_order(s->pool, p, hint, place, s->clocks.order)) {
		pool_free(p->pool, place);
		return false;
	}
	pool_free(p->pool, p->place);
	p->place = s->place = place;
	return true;
}

/* Round after round; true: little more follows, and there is no cycle. */
static bool saturate_all(struct saturation *s, uint64_t *hint, uint64_t *count,
                         const struct saturate_more *more)
{
	struct problem *p = s->p;
	struct clocks *c = &s->clocks;
	while (sort(s, hint)) {
		s->round = p->derived.count;
		clocks_make_chains(c, CHAINS);
		clocks_sweep_past(c);
		clocks_sweep_future(c);
		assert(p->nodes > VALIDATE_NODES || saturation_validate(s));
		estimate_places(s, hint);
		index_writers(s);
		size_t found = look_at_all(s), inferred = 0;
		bool few = found * SLOTS_PER_EDGE < p->slots;
		if (few && more)
			inferred = more->look(more->data, s);
		*count += found + inferred;
		known_add_derived(p, s->round);
		if (few && !inferred)
			return true;
	}
	return false;
}

struct saturation *saturate(struct problem *p, uint64_t *hint, uint64_t *count,
                            const struct saturate_more *more)
{
	struct pool *own = pool_child(p->pool);
	struct saturation *s = pool_zalloc(own, sizeof *s);
	*s = (struct saturation){.p = p, .pool = own, .guard = pool_guard(p->pool)};
	guard_stage(s->guard, "saturating", 0);
	clocks_init(&s->clocks, own, p);
	s->writers_first = pool_array(own, (size_t)p->keys + 2, sizeof *s->writers_first);
	s->writers = pool_array(own, p->writes.count + 1, sizeof *s->writers);
	if (saturate_all(s, hint, count, more) && more)
		return s;
	pool_release(own);
	return NULL;
}

bool saturation_validate(const struct saturation *s)
{
	const struct clocks *c = &s->clocks;
	bool ok = clocks_validate(c);
	for (uint32_t v = 0; ok && v < s->p->nodes; v++)
		for (uint32_t i = 0; ok && i < c->chains; i++) {
			uint32_t past = clocks_past(c, (node_id){v})[i];
			ok = !past || past - 1 <= clocks_future(c, (node_id){v})[i];
		}
	return ok;
}
