/* marking: see marking.h. */
#include "stream/rounds/marking.h"

#include "base/guard.h"

/* ---- the users of each key ---- */

/* All reads, including pending ones. */
static void list_reads(struct marking *m, const struct gc *g)
{
	const struct problem *p = m->p;
	size_t count = 0, at = 0;
	m->read_first = pool_array(m->pool, (size_t)p->slots + 1, sizeof(uint32_t));
	m->reads = pool_array(m->pool, p->reads.count + g->pending_count + 1, sizeof(uint32_t));
	for (uint32_t slot = 0; slot < p->slots; slot++) {
		uint32_t txn = p->txn_of[slot];
		m->read_first[slot] = (uint32_t)count;
		for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++)
			m->reads[count++] = p->reads.items[i].key;
		while (at < g->pending_count && g->pending[at].txn < txn)
			at++;
		for (; at < g->pending_count && g->pending[at].txn == txn; at++)
			m->reads[count++] = g->pending[at].key;
		guard_tick(m->guard);
	}
	m->read_first[p->slots] = (uint32_t)count;
}

/* Groups of users, as clocks.h has them of writers. */
static void list_users(struct marking *m)
{
	const struct problem *p = m->p;
	size_t room = p->writes.count + m->read_first[p->slots], count = 0;
	struct keyed *uses = pool_array(m->pool, room + 1, sizeof *uses);
	for (uint32_t i = 0; i < p->slots; i++) {
		uint32_t slot = m->writers->slot_at[i];
		guard_tick(m->guard);
		for (uint32_t w = p->write_first[slot]; w < p->write_first[slot + 1]; w++)
			uses[count++] = (struct keyed){p->writes.items[w].key, slot};
		for (uint32_t r = m->read_first[slot]; r < m->read_first[slot + 1]; r++)
			uses[count++] = (struct keyed){m->reads[r], slot};
	}
	m->users = (struct clocks){.p = p,
	                           .pool = m->pool,
	                           .chain_of = m->writers->chain_of,
	                           .index_of = m->writers->index_of};
	clocks_group(&m->users, uses, count);
	pool_free(m->pool, uses);
}

void marking_init(struct marking *m, struct pool *pool, struct problem *p,
                  const struct clocks *writers, const struct gc *g)
{
	*m = (struct marking){.pool = pool, .guard = pool_guard(pool), .p = p, .writers = writers};
	m->live_from = pool_array(pool, (size_t)m->writers->chains + 1, sizeof *m->live_from);
	for (uint32_t i = 0; i < m->writers->chains; i++)
		m->live_from[i] = m->writers->chain_first[i + 1] - m->writers->chain_first[i];
	list_reads(m, g);
	list_users(m);
}

/* ---- marking ---- */

void marking_add(struct marking *m, uint32_t chain, uint32_t index)
{
	const struct clocks *c = m->writers;
	while (m->live_from[chain] > index)
		vec_push(m->pool, &m->unvisited,
		         c->slot_at[c->chain_first[chain] + --m->live_from[chain]]);
}

/* The users of a key that are not known to precede. */
static void mark_users(struct marking *m, const struct clocks *users, uint32_t key,
                       const uint32_t *past)
{
	for (uint32_t i = users->groups_first[key]; i < users->groups_first[key + 1]; i++) {
		const struct group *g = &users->groups.items[i];
		guard_tick(m->guard);
		if (past[g->chain] >= m->live_from[g->chain])
			continue;
		const struct writer *u = clocks_from(users, g, past[g->chain]);
		if (u < users->writers + g->end)
			marking_add(m, g->chain, u->index);
	}
}

void marking_reach(struct marking *m)
{
	const struct problem *p = m->p;
	while (m->unvisited.count) {
		uint32_t slot = m->unvisited.items[--m->unvisited.count];
		const uint32_t *past = marking_past(m, slot);
		const uint32_t *future = clocks_future(m->writers, (node_id){slot});
		for (uint32_t c = 0; c < m->writers->chains; c++)
			marking_add(m, c, future[c]);
		for (uint32_t w = p->write_first[slot]; w < p->write_first[slot + 1]; w++)
			mark_users(m, &m->users, p->writes.items[w].key, past);
		for (uint32_t r = m->read_first[slot]; r < m->read_first[slot + 1]; r++)
			mark_users(m, m->writers, m->reads[r], past);
	}
}
