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

/* A transaction continues the chain of one that is known to come before it, if no other does yet:
 * of its session, which stands first among the edges of a node, or the longest one. No transaction
 * of its session comes after an unknown one, so it leaves the chain to others. */
static void cover(struct clocks *c, uint32_t *tail, bool longest)
{
	const struct problem *p = c->p;
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
			uint32_t other = slot_of_node(p, p->before[j]);
			if (!writes_at(p, p->before[j]) || tail[c->chain_of[other]] != other)
				continue;
			if (before == ID_NONE || c->index_of[other] > c->index_of[before])
				before = other;
			if (!longest)
				break;
		}
		c->chain_of[slot] = before == ID_NONE ? c->chains++ : c->chain_of[before];
		c->index_of[slot] = before == ID_NONE ? 0 : c->index_of[before] + 1;
		tail[c->chain_of[slot]] = slot;
	}
}

/* Renumbers the chains, the longest first, and forgets all but the first `most`. */
static void keep_longest(struct clocks *c, const uint32_t *tail, uint32_t most)
{
	struct keyed *chains = pool_array(c->pool, (size_t)c->chains + 1, sizeof *chains);
	uint32_t *number = pool_array(c->pool, (size_t)c->chains + 1, sizeof *number);
	for (uint32_t i = 0; i < c->chains; i++)
		chains[i] = (struct keyed){UINT32_MAX - c->index_of[tail[i]], i};
	radix_sort(c->pool, chains, c->chains);
	for (uint32_t i = 0; i < c->chains; i++)
		number[chains[i].item] = i < most ? i : ID_NONE;
	for (uint32_t slot = 0; slot < c->p->slots; slot++)
		c->chain_of[slot] = number[c->chain_of[slot]];
	c->chains = most;
	pool_free(c->pool, chains);
	pool_free(c->pool, number);
}

void clocks_make_chains(struct clocks *c, uint32_t most)
{
	uint32_t *tail = pool_array(c->pool, (size_t)c->p->slots + 1, sizeof *tail);
	cover(c, tail, false);
	if (c->chains > most) {
		cover(c, tail, true);
		if (c->chains > most)
			keep_longest(c, tail, most);
	}
	c->length = pool_resize(c->pool, c->length, ((size_t)c->chains + 1) * sizeof *c->length);
	memset(c->length, 0, ((size_t)c->chains + 1) * sizeof *c->length);
	for (uint32_t slot = 0; slot < c->p->slots; slot++)
		if (c->chain_of[slot] != ID_NONE)
			c->length[c->chain_of[slot]]++;
	pool_free(c->pool, tail);
}

static void list_chains(struct clocks *c)
{
	uint32_t slots = c->p->slots;
	c->chain_first = pool_zarray(c->pool, (size_t)c->chains + 2, sizeof *c->chain_first);
	c->slot_at = pool_array(c->pool, (size_t)slots + 1, sizeof *c->slot_at);
	for (uint32_t slot = 0; slot < slots; slot++)
		c->chain_first[c->chain_of[slot] + 1]++;
	for (uint32_t chain = 0; chain < c->chains; chain++)
		c->chain_first[chain + 1] += c->chain_first[chain];
	for (uint32_t slot = 0; slot < slots; slot++)
		c->slot_at[c->chain_first[c->chain_of[slot]] + c->index_of[slot]] = slot;
}

void clocks_index_writers(struct clocks *c)
{
	const struct problem *p = c->p;
	size_t count = 0;
	struct keyed *uses = pool_array(c->pool, p->writes.count + 1, sizeof *uses);
	list_chains(c);
	for (uint32_t i = 0; i < p->slots; i++) {
		uint32_t slot = c->slot_at[i];
		for (uint32_t w = p->write_first[slot]; w < p->write_first[slot + 1];
		     w++, guard_tick(c->guard))
			uses[count++] = (struct keyed){p->writes.items[w].key, slot};
	}
	clocks_group(c, uses, count);
	pool_free(c->pool, uses);
}

void clocks_group(struct clocks *c, struct keyed *uses, size_t count)
{
	size_t keys = (size_t)c->p->keys + 2;
	c->groups_first = pool_zarray(c->pool, keys, sizeof *c->groups_first);
	c->writers = pool_array(c->pool, count + 1, sizeof *c->writers);
	radix_sort(c->pool, uses, count);
	for (uint32_t i = 0, end; i < count; i = end) {
		uint32_t chain = c->chain_of[uses[i].item];
		for (end = i; end < count && uses[end].key == uses[i].key &&
		              c->chain_of[uses[end].item] == chain;
		     end++)
			c->writers[end] =
			        (struct writer){c->index_of[uses[end].item], uses[end].item};
		c->groups_first[uses[i].key + 1]++;
		vec_push(c->pool, &c->groups, ((struct group){chain, i, end}));
	}
	for (size_t k = 1; k < keys; k++)
		c->groups_first[k] += c->groups_first[k - 1];
}

/* ---- sweeps ---- */

/* Takes the later past, or the earlier future, of each chain. */
static void join(uint32_t *restrict now, const uint32_t *restrict row, size_t n, bool future)
{
	for (size_t i = 0; i < n && future; i++)
		now[i] = row[i] < now[i] ? row[i] : now[i];
	for (size_t i = 0; i < n && !future; i++)
		now[i] = row[i] > now[i] ? row[i] : now[i];
}

/* A row is joined from those of the predecessors (past) or the successors (future). */
static void sweep(struct clocks *c, uint32_t *rows, bool future)
{
	const struct problem *p = c->p;
	const uint32_t *first = future ? p->after_first : p->before_first;
	const node_id *from = future ? p->after : p->before;
	size_t n = c->chains;
	for (uint32_t at = 0; at < p->nodes; at++) {
		node_id node = c->order[future ? p->nodes - 1 - at : at];
		uint32_t *row = rows + node.index * n;
		if (future)
			memcpy(row, c->length, n * sizeof *row);
		else
			memset(row, 0, n * sizeof *row);
		for (uint32_t j = first[node.index]; j < first[node.index + 1];
		     j++, guard_tick(c->guard))
			join(row, rows + from[j].index * n, n, future);
		if (!writes_at(p, node))
			continue;
		uint32_t slot = slot_of_node(p, node);
		if (c->chain_of[slot] != ID_NONE)
			row[c->chain_of[slot]] = c->index_of[slot] + !future;
	}
}

void clocks_sweep_past(struct clocks *c)
{
	size_t bytes = ((size_t)c->p->nodes + 1) * c->chains * sizeof *c->past;
	c->past = pool_resize(c->pool, c->past, bytes);
	sweep(c, c->past, false);
}

void clocks_sweep_future(struct clocks *c)
{
	size_t bytes = ((size_t)c->p->nodes + 1) * c->chains * sizeof *c->future;
	c->future = pool_resize(c->pool, c->future, bytes);
	sweep(c, c->future, true);
}

/* The sign of a difference is its highest bit; without branches the loop is vectorised. */
bool clocks_before(const struct clocks *c, node_id a, node_id b)
{
	const uint32_t *future = clocks_future(c, a), *past = clocks_past(c, b);
	uint32_t differences = 0;
	for (uint32_t i = 0; i < c->chains; i++)
		differences |= future[i] - past[i];
	return differences >> 31;
}

const struct writer *clocks_from(const struct clocks *c, const struct group *g, uint32_t index)
{
	const struct writer *at;
	bisect(at, c->writers + g->first, c->writers + g->end, at->index < index);
	return at;
}

bool clocks_validate(const struct clocks *c)
{
	const struct problem *p = c->p;
	uint32_t *place = pool_array(c->pool, (size_t)p->nodes + 1, sizeof *place);
	bool ok = true;
	memset(place, 0xff, p->nodes * sizeof *place);
	for (uint32_t i = 0; i < p->nodes; i++)
		place[c->order[i].index] = i;
	for (uint32_t v = 0; ok && v < p->nodes; v++) {
		ok = place[v] != ID_NONE;
		for (uint32_t i = p->after_first[v]; ok && i < p->after_first[v + 1]; i++) {
			size_t from = (size_t)v * c->chains,
			       to = p->after[i].index * (size_t)c->chains;
			ok = place[v] < place[p->after[i].index];
			for (uint32_t n = 0; ok && n < c->chains; n++)
				ok = (!c->past || c->past[from + n] <= c->past[to + n]) &&
				     (!c->future || c->future[from + n] <= c->future[to + n]);
		}
	}
	pool_free(c->pool, place);
	return ok;
}
