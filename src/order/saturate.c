/* saturate: see saturate.h. */
#include "order/saturate.h"

#include "base/guard.h"
#include "order/clocks.h"
#include "order/known.h"

#include <assert.h>
#include <string.h>

enum { CHAINS_MAX = 1024, CLOCK_BYTES_MAX = 1 << 30 };

struct saturation {
	struct problem *p;
	struct pool *pool;
	struct guard *guard;
	struct clocks clocks;
	bool *later, *earlier; /* by node: an edge that was just derived leads to it, or from it */
	size_t round;          /* how much was derived before this round */
};

/* ---- what follows ---- */

void saturation_derive(struct saturation *s, struct derived d)
{
	d.earlier = (uint32_t)s->round;
	vec_push(s->p->pool, &s->p->derived, d);
}

bool saturation_before(const struct saturation *s, uint32_t slot, node_id node)
{
	const struct clocks *c = &s->clocks;
	return clocks_past(c, node)[c->chain_of[slot]] > c->index_of[slot];
}

bool saturation_after(const struct saturation *s, uint32_t slot, node_id node)
{
	const struct clocks *c = &s->clocks;
	return clocks_future(c, node)[c->chain_of[slot]] <= c->index_of[slot];
}

const struct clocks *saturation_clocks(const struct saturation *s)
{
	return &s->clocks;
}

struct sure_read {
	uint32_t slot, writer; /* writer ID_NONE: the initial version */
	uint32_t op;
	node_id read, write;
	const uint32_t *read_past, *read_future;   /* clocks of the read … */
	const uint32_t *write_past, *write_future; /* … and of what it read */
};

static void derive(struct saturation *s, const struct sure_read *r, node_id from, node_id to,
                   uint32_t other)
{
	saturation_derive(s, (struct derived){from, to, r->op, other, 0, ID_NONE});
}

/* The last writer of the chain that is before the read is before what was read. */
static void look_before(struct saturation *s, const struct sure_read *r, const struct group *g)
{
	const struct writer *low = s->clocks.writers + g->first;
	const struct writer *u = clocks_from(&s->clocks, g, r->read_past[g->chain]);
	if (u > low && u[-1].slot == r->slot) /* its own write comes after its read */
		u--;
	uint32_t last = u > low ? u[-1].slot : r->writer;
	if (last == r->writer)
		return;
	if (r->writer == ID_NONE)
		derive(s, r, r->read, write_node(s->p, last), last);
	else if (r->write_past[g->chain] <= u[-1].index)
		derive(s, r, write_node(s->p, last), r->write, last);
}

/* The first writer of the chain that is after what was read is after the read. */
static void look_after(struct saturation *s, const struct sure_read *r, const struct group *g)
{
	const struct writer *high = s->clocks.writers + g->end;
	uint32_t first = r->writer == ID_NONE ? 0 : r->write_future[g->chain];
	const struct writer *u = clocks_from(&s->clocks, g, first);
	while (u < high && (u->slot == r->writer || u->slot == r->slot))
		u++;
	if (u < high && r->read_future[g->chain] > u->index)
		derive(s, r, r->read, write_node(s->p, u->slot), u->slot);
}

/* Chains of which the read knows no more than what it read are passed over. */
static void look_at_groups(struct saturation *s, const struct sure_read *r, uint32_t key,
                           bool before, bool after)
{
	bool initial = r->writer == ID_NONE;
	const struct group *g = s->clocks.groups.items + s->clocks.groups_first[key];
	const struct group *end = s->clocks.groups.items + s->clocks.groups_first[key + 1];
	for (; g < end; g++) {
		guard_tick(s->guard);
		if (before && (initial || r->read_past[g->chain] > r->write_past[g->chain]))
			look_before(s, r, g);
		if (after && (initial || r->read_future[g->chain] > r->write_future[g->chain]))
			look_after(s, r, g);
	}
}

static void look_at_read(struct saturation *s, uint32_t slot, const struct external_read *w)
{
	const struct problem *p = s->p;
	const struct clocks *c = &s->clocks;
	if (candidate_count(w) + w->initial != 1 || w->opaque_writer)
		return;
	struct sure_read r = {.slot = slot,
	                      .writer = first_candidate(p, slot, w),
	                      .op = w->op,
	                      .read = read_node(p, slot)};
	if (r.writer != ID_NONE) {
		r.write = write_node(p, r.writer);
		r.write_past = clocks_past(c, r.write);
		r.write_future = clocks_future(c, r.write);
	}
	r.read_past = clocks_past(c, r.read);
	r.read_future = clocks_future(c, r.read);
	bool before = c->past_changed[r.read.index];
	bool after = r.writer == ID_NONE || c->future_changed[r.write.index];
	if (c->groups.count && (before || after)) /* there are writers */
		look_at_groups(s, &r, w->key, before, after);
}

/* How many edges were derived in this round. */
static size_t look_at_all(struct saturation *s)
{
	const struct problem *p = s->p;
	size_t before = p->derived.count;
	for (uint32_t slot = 0; slot < p->slots; slot++)
		for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++)
			look_at_read(s, slot, &p->reads.items[i]);
	return p->derived.count - before;
}

/* What was derived since then leads somewhere. */
static void touch(struct saturation *s, size_t from)
{
	const struct problem *p = s->p;
	memset(s->later, 0, p->nodes * sizeof *s->later);
	memset(s->earlier, 0, p->nodes * sizeof *s->earlier);
	for (size_t i = from; i < p->derived.count; i++) {
		s->later[p->derived.items[i].to.index] = true;
		s->earlier[p->derived.items[i].from.index] = true;
	}
}

/* Round after round; true: nothing more follows, and there is no cycle. */
static bool saturate_all(struct saturation *s, uint64_t *count, const struct saturate_more *more)
{
	struct problem *p = s->p;
	struct clocks *c = &s->clocks;
	size_t n = (size_t)p->nodes + 1;
	clocks_index_writers(c);
	p->place = pool_array(p->pool, n, sizeof *p->place);
	s->later = pool_array(s->pool, n, sizeof *s->later);
	s->earlier = pool_array(s->pool, n, sizeof *s->earlier);
	for (bool first = true; first || clocks_sort(c); first = false) {
		touch(s, s->round);
		s->round = p->derived.count;
		for (uint32_t i = 0; i < p->nodes; i++)
			p->place[c->order[i].index] = i;
		clocks_sweep_past(c, first ? NULL : s->later);
		clocks_sweep_future(c, first ? NULL : s->earlier);
		assert(p->nodes > VALIDATE_NODES || saturation_validate(s));
		size_t found = look_at_all(s);
		if (!found && more)
			found = more->look(more->data, s);
		if (!found)
			return true;
		*count += found;
		known_add_derived(p, s->round);
	}
	return false;
}

struct saturation *saturate(struct problem *p, uint64_t *count, const struct saturate_more *more)
{
	struct pool *own = pool_child(p->pool);
	struct saturation *s = pool_zalloc(own, sizeof *s);
	struct clocks *c = &s->clocks;
	*s = (struct saturation){.p = p, .pool = own, .guard = pool_guard(p->pool)};
	guard_stage(s->guard, "saturating", 0);
	clocks_init(c, s->pool, p);
	bool sorted = clocks_sort(c);
	if (sorted)
		clocks_make_chains(c);
	bool done = sorted && c->chains <= CHAINS_MAX &&
	            ((size_t)p->nodes + 1) * c->chains * sizeof *c->past <= CLOCK_BYTES_MAX &&
	            saturate_all(s, count, more);
	if (done && more)
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
