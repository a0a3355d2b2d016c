/* residual: see residual.h. */
#include "stream/rounds/residual.h"

#include "base/guard.h"
#include "base/radix.h"
#include "order/known.h"

#include <string.h>

/* ---- the last writer of a key ---- */

static bool is_before(const struct marking *m, const struct writer *a, const struct writer *b)
{
	return marking_past(m, b->slot)[m->writers->chain_of[a->slot]] > a->index;
}

/* The last removable writer in one chain, or NULL. */
static const struct writer *last_in(const struct marking *m, const struct group *chain)
{
	const struct writer *live = clocks_from(m->writers, chain, m->live_from[chain->chain]);
	return live > m->writers->writers + chain->first ? live - 1 : NULL;
}

/* The last removable writer of a key: the maximal one of the last in each chain, which `lasts` has
 * room for. ID_NONE: there is none, or there are several, and their writes are residual. */
static uint32_t find_last(struct marking *m, struct gc *g, uint32_t key,
                          const struct writer **lasts)
{
	const struct clocks *c = m->writers;
	const struct writer *last = NULL;
	size_t before = g->residuals.count, count = 0;
	for (uint32_t i = c->groups_first[key]; i < c->groups_first[key + 1]; i++) {
		const struct writer *a = last_in(m, &c->groups.items[i]);
		guard_tick(m->guard);
		if (a)
			lasts[count++] = a;
		if (a && (!last || !is_before(m, a, last)))
			last = a;
	}
	for (size_t i = 0; i < count; i++, guard_tick(m->guard)) {
		bool maximal = lasts[i] == last || !is_before(m, lasts[i], last);
		for (size_t j = 0; maximal && j < count; j++, guard_tick(m->guard))
			maximal = i == j || !is_before(m, lasts[i], lasts[j]);
		if (maximal)
			vec_push(m->pool, &g->residuals,
			         ((struct access){m->p->txn_of[lasts[i]->slot], key}));
	}
	if (g->residuals.count != before + 1)
		return ID_NONE;
	return g->residuals.items[--g->residuals.count].txn;
}

/* ---- condition 1: reads are ordered ---- */

static void add_edge(struct marking *m, uint32_t from, uint32_t to)
{
	vec_push(m->p->pool, &m->p->derived, ((struct derived){.from = {from}, .to = {to}}));
}

/* The writer that was read, in the order that was found; ID_NONE: the initial version. */
static uint32_t writer_of(const struct marking *m, const struct gc *g, uint32_t slot,
                          const struct external_read *read)
{
	const struct problem *p = m->p;
	uint32_t found = ID_NONE, until = g->place[p->txn_of[slot]];
	for (uint32_t i = read->first; i < read->first + read->count; i++) {
		uint32_t candidate = p->candidates[i], place = g->place[p->txn_of[candidate]];
		guard_tick(m->guard);
		if (candidate != slot && place < until &&
		    (found == ID_NONE || place > g->place[p->txn_of[found]]))
			found = candidate;
	}
	return found;
}

/* Orders a read against the writers in one chain whose order is not known, and, if it has several
 * candidate writers, against the last one that is known to precede it. */
static void order_chain(struct marking *m, const struct gc *g, uint32_t slot, uint32_t writer,
                        const struct group *chain, bool several)
{
	const struct problem *p = m->p;
	uint32_t low = marking_past(m, slot)[chain->chain], place = g->place[p->txn_of[slot]];
	uint32_t high = clocks_future(m->writers, (node_id){slot})[chain->chain];
	const struct writer *first = m->writers->writers + chain->first;
	const struct writer *end = m->writers->writers + chain->end, *u;
	high = high < m->live_from[chain->chain] ? high : m->live_from[chain->chain];
	if (low >= high && !several)
		return;
	for (u = clocks_from(m->writers, chain, low); u < end && u->index < high; u++) {
		guard_tick(m->guard);
		if (place < g->place[p->txn_of[u->slot]])
			add_edge(m, slot, u->slot);
		else
			add_edge(m, u->slot, u->slot == writer ? slot : writer);
	}
	u = clocks_from(m->writers, chain, low);
	if (u > first && u[-1].slot == slot)
		u--;
	if (several && u > first && u[-1].slot != writer)
		add_edge(m, u[-1].slot, writer);
}

static void order_reads(struct marking *m, const struct gc *g)
{
	struct problem *p = m->p;
	const struct clocks *c = m->writers;
	size_t before = p->derived.count;
	for (uint32_t slot = 0; slot < p->slots; slot++) {
		if (!marking_removable(m, slot))
			continue;
		for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++) {
			const struct external_read *read = &p->reads.items[i];
			uint32_t writer = writer_of(m, g, slot, read);
			bool several = read->count - read->includes_reader + read->initial > 1;
			for (uint32_t j = c->groups_first[read->key];
			     j < c->groups_first[read->key + 1]; j++)
				order_chain(m, g, slot, writer, &c->groups.items[j], several);
		}
	}
	known_add_derived(p, before);
}

/* ---- condition 2: groups have no cycle ---- */

struct grouping {
	struct marking *m;
	uint32_t *parent;   /* by slot: union-find; ID_NONE: in no group */
	uint32_t *next;     /* by slot: in its group, a ring */
	uint32_t *members;  /* by group: how many, … */
	uint32_t *ready;    /* … and how many have no predecessor left */
	uint32_t *indegree; /* by node: predecessors that are not sorted yet */
	bool *sorted;       /* by node */
	uint32_t *followed; /* by node: where a walk went + 1 */
	VEC(uint32_t) stack;
	bool any_broken;
};

static uint32_t group_of(const struct grouping *x, uint32_t slot)
{
	while (x->parent[slot] != slot)
		slot = x->parent[slot] = x->parent[x->parent[slot]];
	return slot;
}

static bool is_grouped(const struct grouping *x, uint32_t node)
{
	return node < x->m->p->slots && x->parent[node] != ID_NONE;
}

static void make_groups(struct grouping *x, const struct gc *g)
{
	size_t slots = x->m->p->slots;
	struct pool *pool = x->m->pool;
	x->parent = pool_array(pool, slots + 1, sizeof(uint32_t));
	x->next = pool_array(pool, slots + 1, sizeof(uint32_t));
	x->members = pool_zarray(pool, slots + 1, sizeof(uint32_t));
	x->ready = pool_zarray(pool, slots + 1, sizeof(uint32_t));
	memset(x->parent, 0xff, (slots + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < g->residuals.count; i++) {
		uint32_t slot = problem_slot(x->m->p, g->residuals.items[i].txn);
		if (x->parent[slot] == ID_NONE) {
			x->parent[slot] = x->next[slot] = slot;
			x->members[slot] = 1;
		}
	}
	for (size_t i = 1; i < g->residuals.count; i++) {
		const struct access *a = &g->residuals.items[i - 1], *b = a + 1;
		uint32_t u = group_of(x, problem_slot(x->m->p, a->txn)), after;
		uint32_t v = group_of(x, problem_slot(x->m->p, b->txn));
		if (a->key != b->key || u == v)
			continue;
		x->parent[u] = v;
		x->members[v] += x->members[u];
		after = x->next[u]; /* joins two rings */
		x->next[u] = x->next[v];
		x->next[v] = after;
	}
}

/* The node has no predecessor left. A group is sorted when that is true of all its members. */
static void make_ready(struct grouping *x, uint32_t node)
{
	uint32_t member = node;
	bool grouped = is_grouped(x, node);
	if (grouped) {
		uint32_t group = group_of(x, node);
		if (++x->ready[group] < x->members[group])
			return;
	}
	do {
		vec_push(x->m->pool, &x->stack, member);
		x->sorted[member] = true;
		member = grouped ? x->next[member] : node;
	} while (member != node);
}

static void sort_ready(struct grouping *x)
{
	const struct problem *p = x->m->p;
	while (x->stack.count) {
		uint32_t v = x->stack.items[--x->stack.count];
		for (uint32_t i = p->after_first[v]; i < p->after_first[v + 1];
		     i++, guard_tick(x->m->guard))
			if (!--x->indegree[p->after[i].index])
				make_ready(x, p->after[i].index);
	}
}

/* An unsorted predecessor of the node, or of a member of its group. */
static uint32_t waits_for(const struct grouping *x, uint32_t node)
{
	const struct problem *p = x->m->p;
	while (!x->indegree[node])
		node = x->next[node];
	for (uint32_t i = p->before_first[node]; i < p->before_first[node + 1]; i++)
		if (!x->sorted[p->before[i].index])
			return p->before[i].index;
	return node;
}

/* Its members stay live. */
static void break_group(struct grouping *x, uint32_t slot)
{
	const struct clocks *c = x->m->writers;
	uint32_t member = slot, next;
	do {
		next = x->next[member];
		x->parent[member] = ID_NONE;
		marking_add(x->m, c->chain_of[member], c->index_of[member]);
		if (!x->indegree[member] && !x->sorted[member])
			make_ready(x, member);
		member = next;
	} while (member != slot);
	x->any_broken = true;
}

/* Follows wait-for edges until a cycle. There is a group on it, because the edges alone have no
 * cycle. */
static void break_cycle(struct grouping *x, uint32_t node)
{
	bool any = false;
	memset(x->followed, 0, ((size_t)x->m->p->nodes + 1) * sizeof *x->followed);
	for (uint32_t to; !x->followed[node]; node = to) {
		to = waits_for(x, node);
		x->followed[node] = to + 1;
	}
	for (uint32_t first = node, to; !any || node != first; node = to) {
		to = x->followed[node] - 1;
		any |= is_grouped(x, node);
		if (is_grouped(x, node))
			break_group(x, node);
	}
}

/* True: any order of each group is consistent with the edges. */
static bool groups_are_free(struct grouping *x)
{
	const struct problem *p = x->m->p;
	struct pool *pool = x->m->pool;
	x->indegree = pool_array(pool, (size_t)p->nodes + 1, sizeof(uint32_t));
	x->sorted = pool_zarray(pool, (size_t)p->nodes + 1, sizeof(bool));
	x->followed = pool_array(pool, (size_t)p->nodes + 1, sizeof(uint32_t));
	for (uint32_t v = 0; v < p->nodes; v++)
		x->indegree[v] = p->before_first[v + 1] - p->before_first[v];
	for (uint32_t v = 0; v < p->nodes; v++)
		if (p->before_first[v + 1] == p->before_first[v])
			make_ready(x, v);
	sort_ready(x);
	for (uint32_t v = 0; v < p->nodes; v++)
		while (!x->sorted[v]) {
			break_cycle(x, v);
			sort_ready(x);
		}
	return !x->any_broken;
}

/* Residual writes by group. */
static void sort_residuals(const struct grouping *x, struct gc *g)
{
	struct pool *pool = x->m->pool;
	size_t count = g->residuals.count;
	struct keyed *sorted = pool_array(pool, count + 1, sizeof *sorted);
	struct access *writes = pool_array(pool, count + 1, sizeof *writes);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot = problem_slot(x->m->p, g->residuals.items[i].txn);
		sorted[i] = (struct keyed){(uint64_t)group_of(x, slot) << 32 | slot, i};
		writes[i] = g->residuals.items[i];
	}
	radix_sort(pool, sorted, count);
	for (size_t i = 0; i < count; i++) {
		if (i && sorted[i].key >> 32 != sorted[i - 1].key >> 32)
			vec_push(pool, &g->group_ends, i);
		g->residuals.items[i] = writes[sorted[i].item];
	}
	vec_push(pool, &g->group_ends, count);
}

void residual_find(struct marking *m, struct gc *g)
{
	const struct writer **lasts =
	        pool_array(m->pool, (size_t)m->writers->chains + 1, sizeof *lasts);
	for (bool ordered = false;; ordered = true) {
		struct grouping x = {.m = m};
		marking_reach(m);
		g->residuals.count = 0;
		for (uint32_t key = 0; m->writers->groups.count && key < m->p->keys; key++)
			g->last[key] = find_last(m, g, key, lasts);
		if (!g->residuals.count)
			return;
		if (!ordered)
			order_reads(m, g);
		make_groups(&x, g);
		if (groups_are_free(&x)) {
			sort_residuals(&x, g);
			return;
		}
	}
}
