/* clocks: see clocks.h. */
#include "order/clocks.h"

#include "base/bisect.h"
#include "base/guard.h"

#include <string.h>

void clocks_init(struct clocks *c, struct pool *pool, const struct problem *p)
{
	*c = (struct clocks){.p = p, .pool = pool, .guard = pool_guard(pool)};
	c->order = pool_array(pool, (size_t)p->nodes + 1, sizeof *c->order);
	c->chain_of = pool_array(pool, (size_t)p->slots + 1, sizeof *c->chain_of);
	c->index_of = pool_array(pool, (size_t)p->slots + 1, sizeof *c->index_of);
}

bool clocks_sort(struct clocks *c)
{
	const struct problem *p = c->p;
	uint32_t *waiting = pool_array(c->pool, (size_t)p->nodes + 1, sizeof *waiting);
	uint32_t head = 0, tail = 0;
	for (uint32_t v = 0; v < p->nodes; v++) {
		waiting[v] = p->before_first[v + 1] - p->before_first[v];
		if (!waiting[v])
			c->order[tail++] = (node_id){v};
	}
	while (head < tail) {
		uint32_t v = c->order[head++].index;
		for (uint32_t i = p->after_first[v]; i < p->after_first[v + 1];
		     i++, guard_tick(c->guard))
			if (!--waiting[p->after[i].index])
				c->order[tail++] = p->after[i];
	}
	pool_free(c->pool, waiting);
	return tail == p->nodes;
}

bool clocks_replace_row(uint32_t *row, const uint32_t *now, uint32_t columns)
{
	if (!memcmp(row, now, columns * sizeof *row))
		return false;
	memcpy(row, now, columns * sizeof *row);
	return true;
}

/* Session order stands first among the edges of a node. An unknown transaction is
 * before nobody in its session, so it leaves the chain to others. */
void clocks_make_chains(struct clocks *c)
{
	const struct problem *p = c->p;
	uint32_t *tail = pool_array(c->pool, (size_t)p->slots + 1, sizeof *tail);
	c->chains = 0;
	for (uint32_t i = 0; i < p->nodes; i++) {
		node_id node = c->order[i];
		uint32_t before = ID_NONE;
		guard_tick(c->guard);
		if (!writes_at(p, node))
			continue;
		uint32_t slot = slot_of_node(p, node), read = read_node(p, slot).index;
		bool known = p->h->txns[p->txn_of[slot]].status == ALIBI_COMMIT;
		for (uint32_t j = p->before_first[read]; known && j < p->before_first[read + 1];
		     j++) {
			if (!writes_at(p, p->before[j]))
				continue;
			before = slot_of_node(p, p->before[j]);
			if (tail[c->chain_of[before]] == before)
				break;
			before = ID_NONE;
		}
		c->chain_of[slot] = before == ID_NONE ? c->chains++ : c->chain_of[before];
		c->index_of[slot] = before == ID_NONE ? 0 : c->index_of[before] + 1;
		tail[c->chain_of[slot]] = slot;
	}
	pool_free(c->pool, tail);
}

/* Writers counted by key, filled in the order of chains and places in them; where
 * the chain changes, a group begins. */
void clocks_index_writers(struct clocks *c)
{
	const struct problem *p = c->p;
	size_t keys = (size_t)p->keys + 2;
	uint32_t *first = pool_zarray(c->pool, keys, sizeof *first);
	c->groups_first = pool_zarray(c->pool, keys, sizeof *c->groups_first);
	c->writers = pool_array(c->pool, p->writes.count + 1, sizeof *c->writers);
	for (size_t i = 0; i < p->writes.count; i++, guard_tick(c->guard))
		first[p->writes.items[i].key + 2]++;
	for (size_t k = 2; k < keys; k++)
		first[k] += first[k - 1];
	uint32_t *by_chain = pool_zarray(c->pool, (size_t)c->chains + 2, sizeof *by_chain);
	uint32_t *slots = pool_array(c->pool, (size_t)p->slots + 1, sizeof *slots);
	for (uint32_t slot = 0; slot < p->slots; slot++)
		by_chain[c->chain_of[slot] + 1]++;
	for (uint32_t chain = 0; chain < c->chains; chain++)
		by_chain[chain + 1] += by_chain[chain];
	for (uint32_t slot = 0; slot < p->slots; slot++)
		slots[by_chain[c->chain_of[slot]] + c->index_of[slot]] = slot;
	for (uint32_t i = 0; i < p->slots; i++) {
		uint32_t slot = slots[i];
		for (uint32_t w = p->write_first[slot]; w < p->write_first[slot + 1];
		     w++, guard_tick(c->guard))
			c->writers[first[p->writes.items[w].key + 1]++] =
			        (struct writer){c->index_of[slot], slot};
	}
	for (size_t k = 0; k + 2 < keys; k++) {
		c->groups_first[k] = (uint32_t)c->groups.count;
		for (uint32_t i = first[k], end; i < first[k + 1]; i = end) {
			uint32_t chain = c->chain_of[c->writers[i].slot];
			for (end = i + 1;
			     end < first[k + 1] && c->chain_of[c->writers[end].slot] == chain;)
				end++;
			vec_push(c->pool, &c->groups, ((struct group){chain, i, end}));
		}
	}
	c->groups_first[keys - 2] = (uint32_t)c->groups.count;
	pool_free(c->pool, first);
	pool_free(c->pool, by_chain);
	pool_free(c->pool, slots);
}

void clocks_sweep_past(struct clocks *c, const bool *touched)
{
	const struct problem *p = c->p;
	uint32_t n = c->chains, *now = pool_array(c->pool, (size_t)n + 1, sizeof *now);
	for (uint32_t at = 0; at < p->nodes; at++) {
		uint32_t v = c->order[at].index;
		bool due = !touched || touched[v];
		guard_tick(c->guard);
		for (uint32_t j = p->before_first[v]; j < p->before_first[v + 1] && !due; j++)
			due = c->past_changed[p->before[j].index];
		c->past_changed[v] = false;
		if (!due)
			continue;
		memset(now, 0, n * sizeof *now);
		for (uint32_t j = p->before_first[v]; j < p->before_first[v + 1]; j++) {
			const uint32_t *row = c->past + (size_t)p->before[j].index * n;
			guard_tick(c->guard);
			for (uint32_t i = 0; i < n; i++)
				now[i] = row[i] > now[i] ? row[i] : now[i];
		}
		if (writes_at(p, c->order[at])) {
			uint32_t slot = slot_of_node(p, c->order[at]);
			now[c->chain_of[slot]] = c->index_of[slot] + 1;
		}
		c->past_changed[v] = clocks_replace_row(c->past + (size_t)v * n, now, n);
	}
	pool_free(c->pool, now);
}

const struct writer *clocks_from(const struct clocks *c, const struct group *g, uint32_t index)
{
	const struct writer *at;
	bisect(at, c->writers + g->first, c->writers + g->end, at->index < index);
	return at;
}
