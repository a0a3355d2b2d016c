/* gc: see gc.h. */
#include "stream/rounds/gc.h"

#include "base/guard.h"
#include "order/first_order.h"
#include "order/saturate.h"
#include "stream/rounds/marking.h"
#include "stream/rounds/residual.h"

#include <string.h>

enum { CHAINS_MAX = 1024, CLOCK_BYTES_MAX = 1 << 30 };

/* A transaction of unknown outcome that precedes one behind the watermark took effect, and
 * precedes all future transactions, too. last_behind: by chain, its place + 1. */
static void mark_roots(struct marking *m, const struct gc *g)
{
	const struct clocks *c = m->writers;
	uint32_t *last_behind = pool_zarray(m->pool, (size_t)c->chains + 1, sizeof(uint32_t));
	for (uint32_t slot = 0; slot < m->p->slots; slot++) {
		uint32_t *last = &last_behind[c->chain_of[slot]], place = c->index_of[slot] + 1;
		if (g->behind[m->p->txn_of[slot]] && *last < place)
			*last = place;
	}
	for (uint32_t slot = 0; slot < m->p->slots; slot++) {
		uint32_t txn = m->p->txn_of[slot];
		bool behind = g->behind[txn];
		const uint32_t *future = clocks_future(m->writers, (node_id){slot});
		bool unknown = g->h->txns[txn].status == ALIBI_UNKNOWN_STATUS;
		for (uint32_t i = 0; unknown && !behind && i < c->chains; i++)
			behind = future[i] < last_behind[i];
		if (!behind)
			marking_add(m, c->chain_of[slot], c->index_of[slot]);
		guard_tick(m->guard);
	}
}

/* Clocks of all chains, after a saturation. False: there are too many for that, or a cycle. */
static bool know_all(struct pool *pool, struct problem *p, struct clocks *c)
{
	uint64_t derived = 0;
	saturate(p, first_order_hint(pool, p), &derived, NULL);
	clocks_init(c, pool, p);
	if (!clocks_sort(c))
		return false;
	clocks_make_chains(c, UINT32_MAX);
	if (c->chains > CHAINS_MAX ||
	    ((size_t)p->nodes + 1) * c->chains * sizeof *c->past > CLOCK_BYTES_MAX)
		return false;
	clocks_index_writers(c);
	clocks_sweep_past(c);
	clocks_sweep_future(c);
	return true;
}

void gc_find(struct pool *pool, struct gc *g)
{
	const struct history *h = g->h;
	struct problem p;
	struct marking m;
	struct clocks clocks;
	size_t keys = atoms_count(&h->keys);
	g->removable = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *g->removable);
	g->takes_part = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *g->takes_part);
	g->last = pool_array(pool, keys + 1, sizeof *g->last);
	memset(g->last, 0xff, (keys + 1) * sizeof *g->last);
	problem_build(&p, pool, (struct component){components_whole(pool, h), 0}, g->rules);
	for (uint32_t slot = 0; slot < p.slots; slot++)
		g->takes_part[p.txn_of[slot]] = true;
	if (p.impossible != POSSIBLE || !p.slots || !know_all(pool, &p, &clocks))
		return;
	marking_init(&m, pool, &p, &clocks, g);
	mark_roots(&m, g);
	residual_find(&m, g);
	for (uint32_t slot = 0; slot < p.slots; slot++)
		g->removable[p.txn_of[slot]] = marking_removable(&m, slot);
}
