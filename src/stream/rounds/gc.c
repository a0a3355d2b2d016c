/* gc: see gc.h. */
#include "stream/rounds/gc.h"

#include "base/guard.h"
#include "stream/rounds/marking.h"
#include "stream/rounds/residual.h"

#include <string.h>

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

static size_t nothing_more(void *data, struct saturation *s)
{
	(void)data;
	(void)s;
	return 0;
}

void gc_find(struct pool *pool, struct gc *g)
{
	const struct history *h = g->h;
	struct problem p;
	struct marking m;
	uint64_t derived = 0;
	struct saturate_more none = {nothing_more, NULL};
	size_t keys = atoms_count(&h->keys);
	g->removable = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *g->removable);
	g->takes_part = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *g->takes_part);
	g->last = pool_array(pool, keys + 1, sizeof *g->last);
	memset(g->last, 0xff, (keys + 1) * sizeof *g->last);
	problem_build(&p, pool, (struct component){components_whole(pool, h), 0}, g->rules);
	for (uint32_t slot = 0; slot < p.slots; slot++)
		g->takes_part[p.txn_of[slot]] = true;
	struct saturation *s =
	        p.impossible == POSSIBLE && p.slots ? saturate(&p, &derived, &none) : NULL;
	if (!s)
		return;
	marking_init(&m, pool, &p, s, g);
	mark_roots(&m, g);
	residual_find(&m, g);
	for (uint32_t slot = 0; slot < p.slots; slot++)
		g->removable[p.txn_of[slot]] = marking_removable(&m, slot);
}
