/* frozen: see frozen.h. */
#include "stream/frozen.h"

#include "base/guard.h"
#include "base/radix.h"
#include "stream/remnants.h"

#include <string.h>

/* ---- who uses what ---- */

static void list_chains(struct staying *y)
{
	const struct clocks *c = y->writers;
	y->chain_first = pool_zarray(y->pool, (size_t)c->chains + 2, sizeof(uint32_t));
	y->slot_at = pool_array(y->pool, (size_t)y->p->slots + 1, sizeof(uint32_t));
	y->cut = pool_zarray(y->pool, (size_t)c->chains + 1, sizeof(uint32_t));
	for (uint32_t slot = 0; slot < y->p->slots; slot++)
		y->cut[c->chain_of[slot]]++;
	for (uint32_t i = 0; i < c->chains; i++)
		y->chain_first[i + 1] = y->chain_first[i] + y->cut[i];
	for (uint32_t slot = 0; slot < y->p->slots; slot++)
		y->slot_at[y->chain_first[c->chain_of[slot]] + c->index_of[slot]] = slot;
}

/* All reads, those that are not judged too. */
static void list_reads(struct staying *y, const struct letting_go *l)
{
	const struct problem *p = y->p;
	size_t count = 0, at = 0;
	y->read_first = pool_array(y->pool, (size_t)p->slots + 1, sizeof(uint32_t));
	y->reads = pool_array(y->pool, p->reads.count + l->pending_count + 1, sizeof(uint32_t));
	for (uint32_t slot = 0; slot < p->slots; slot++) {
		uint32_t txn = p->txn_of[slot];
		y->read_first[slot] = (uint32_t)count;
		for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++)
			y->reads[count++] = p->reads.items[i].key;
		while (at < l->pending_count && l->pending[at].txn < txn)
			at++;
		for (; at < l->pending_count && l->pending[at].txn == txn; at++)
			y->reads[count++] = l->pending[at].key;
		guard_tick(y->guard);
	}
	y->read_first[p->slots] = (uint32_t)count;
}

/* Who reads or writes a key, by key, chain and place. */
static void list_users(struct staying *y)
{
	const struct problem *p = y->p;
	const struct clocks *c = y->writers;
	size_t room = p->writes.count + y->read_first[p->slots], count = 0;
	struct keyed *sorted = pool_array(y->pool, room + 1, sizeof *sorted);
	for (uint32_t i = 0; i < p->slots; i++) {
		uint32_t slot = y->slot_at[i];
		guard_tick(y->guard);
		for (uint32_t w = p->write_first[slot]; w < p->write_first[slot + 1]; w++)
			sorted[count++] = (struct keyed){p->writes.items[w].key, slot};
		for (uint32_t r = y->read_first[slot]; r < y->read_first[slot + 1]; r++)
			sorted[count++] = (struct keyed){y->reads[r], slot};
	}
	radix_sort(y->pool, sorted, count);
	struct clocks *u = &y->users;
	u->groups_first = pool_zarray(y->pool, (size_t)p->keys + 2, sizeof(uint32_t));
	u->writers = pool_array(y->pool, count + 1, sizeof *u->writers);
	uint32_t key = 0, chain = UINT32_MAX;
	for (size_t i = 0; i < count; i++) {
		uint32_t slot = sorted[i].item;
		u->writers[i] = (struct writer){c->index_of[slot], slot};
		guard_tick(y->guard);
		for (; key < sorted[i].key; chain = UINT32_MAX)
			u->groups_first[++key] = (uint32_t)u->groups.count;
		if (c->chain_of[slot] != chain) {
			chain = c->chain_of[slot];
			vec_push(y->pool, &u->groups,
			         ((struct group){chain, (uint32_t)i, (uint32_t)i}));
		}
		u->groups.items[u->groups.count - 1].end = (uint32_t)i + 1;
	}
	while (key <= p->keys)
		u->groups_first[++key] = (uint32_t)u->groups.count;
	pool_free(y->pool, sorted);
}

/* ---- who stays ---- */

void staying_add(struct staying *y, uint32_t chain, uint32_t index)
{
	while (y->cut[chain] > index)
		vec_push(y->pool, &y->fresh, y->slot_at[y->chain_first[chain] + --y->cut[chain]]);
}

/* Those who use the key and are not known to be before. */
static void spread(struct staying *y, const struct clocks *users, uint32_t key,
                   const uint32_t *past)
{
	for (uint32_t i = users->groups_first[key]; i < users->groups_first[key + 1]; i++) {
		const struct group *g = &users->groups.items[i];
		guard_tick(y->guard);
		if (past[g->chain] >= y->cut[g->chain])
			continue;
		const struct writer *u = clocks_from(users, g, past[g->chain]);
		if (u < users->writers + g->end)
			staying_add(y, g->chain, u->index);
	}
}

/* All that can be reached from those who stay. */
static void reach(struct staying *y)
{
	const struct problem *p = y->p;
	while (y->fresh.count) {
		uint32_t slot = y->fresh.items[--y->fresh.count];
		const uint32_t *past = staying_past(y, slot),
		               *future = saturation_future(y->s, slot);
		for (uint32_t c = 0; c < y->writers->chains; c++)
			staying_add(y, c, future[c]);
		for (uint32_t w = p->write_first[slot]; w < p->write_first[slot + 1]; w++)
			spread(y, &y->users, p->writes.items[w].key, past);
		for (uint32_t r = y->read_first[slot]; r < y->read_first[slot + 1]; r++)
			spread(y, y->writers, y->reads[r], past);
	}
}

/* Somebody of unknown outcome who comes before a frozen one did take effect, and comes
 * before all that is still to come, too. last_frozen: by chain, the place + 1. */
static void seed(struct staying *y, const struct letting_go *l)
{
	const struct clocks *c = y->writers;
	uint32_t *last_frozen = pool_zarray(y->pool, (size_t)c->chains + 1, sizeof(uint32_t));
	for (uint32_t slot = 0; slot < y->p->slots; slot++) {
		uint32_t *last = &last_frozen[c->chain_of[slot]], place = c->index_of[slot] + 1;
		if (l->frozen[y->p->txn_of[slot]] && *last < place)
			*last = place;
	}
	for (uint32_t slot = 0; slot < y->p->slots; slot++) {
		uint32_t txn = y->p->txn_of[slot];
		bool frozen = l->frozen[txn];
		const uint32_t *future = saturation_future(y->s, slot);
		bool unknown = l->h->txns[txn].status == ALIBI_UNKNOWN_STATUS;
		for (uint32_t i = 0; unknown && !frozen && i < c->chains; i++)
			frozen = future[i] < last_frozen[i];
		if (!frozen)
			staying_add(y, c->chain_of[slot], c->index_of[slot]);
		guard_tick(y->guard);
	}
}

static size_t nothing_more(void *data, struct saturation *s)
{
	(void)data;
	(void)s;
	return 0;
}

void let_go(struct pool *pool, struct letting_go *l)
{
	const struct history *h = l->h;
	struct problem p;
	uint64_t derived = 0;
	struct saturate_more none = {nothing_more, NULL};
	size_t keys = atoms_count(&h->keys);
	l->goes = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *l->goes);
	l->takes_part = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *l->takes_part);
	l->last = pool_array(pool, keys + 1, sizeof *l->last);
	memset(l->last, 0xff, (keys + 1) * sizeof *l->last);
	problem_build(&p, pool, (struct component){components_whole(pool, h), 0}, l->rules);
	for (uint32_t slot = 0; slot < p.slots; slot++)
		l->takes_part[p.txn_of[slot]] = true;
	struct saturation *s =
	        p.impossible == POSSIBLE && p.slots ? saturate(&p, &derived, &none) : NULL;
	if (!s)
		return;
	struct staying y = {.pool = pool, .guard = pool_guard(pool), .p = &p, .s = s};
	y.writers = saturation_clocks(s);
	list_chains(&y);
	list_reads(&y, l);
	list_users(&y);
	seed(&y, l);
	do
		reach(&y);
	while (!remnants_find(&y, l));
	for (uint32_t slot = 0; slot < p.slots; slot++)
		l->goes[p.txn_of[slot]] = staying_goes(&y, slot);
}
