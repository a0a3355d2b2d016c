/* remnants: see remnants.h. */
#include "stream/remnants.h"

#include "base/guard.h"
#include "base/radix.h"
#include "order/known.h"

#include <string.h>

#define NO_GROUP UINT32_MAX

/* ---- who was last ---- */

static bool is_before(const struct staying *y, const struct writer *a, const struct writer *b)
{
	return staying_past(y, b->slot)[y->writers->chain_of[a->slot]] > a->index;
}

/* In one chain: the last writer who goes, or NULL. */
static const struct writer *last_in(const struct staying *y, const struct group *g)
{
	const struct writer *u = clocks_from(y->writers, g, y->cut[g->chain]);
	return u > y->writers->writers + g->first ? u - 1 : NULL;
}

static void add_remnants(struct staying *y, struct letting_go *l, uint32_t key,
                         const struct group *first, const struct group *end)
{
	const struct writer *a, *b;
	for (const struct group *g = first; g < end; g++) {
		bool may_be_last = (a = last_in(y, g)) != NULL;
		for (const struct group *o = first; may_be_last && o < end;
		     o++, guard_tick(y->guard))
			may_be_last = o == g || !(b = last_in(y, o)) || !is_before(y, a, b);
		if (may_be_last)
			vec_push(y->pool, &l->remnants, ((struct use){a->slot, key}));
	}
}

/* Who wrote the key last of those who go; NO_TXN: nobody, or those may have whom it adds. */
static uint32_t find_last(struct staying *y, struct letting_go *l, uint32_t key)
{
	const struct clocks *c = y->writers;
	if (c->groups_first[key] == c->groups_first[key + 1])
		return NO_TXN;
	const struct group *first = c->groups.items + c->groups_first[key];
	const struct group *end = c->groups.items + c->groups_first[key + 1];
	const struct writer *last = NULL, *other;
	bool certain = true;
	for (const struct group *g = first; g < end; g++, guard_tick(y->guard))
		if ((other = last_in(y, g)) && (!last || !is_before(y, other, last)))
			last = other;
	for (const struct group *g = first; g < end; g++, guard_tick(y->guard))
		certain &= !(other = last_in(y, g)) || (last && is_before(y, other, last));
	if (!certain)
		add_remnants(y, l, key, first, end);
	return last && certain ? y->p->txn_of[last->slot] : NO_TXN;
}

/* ---- what reads settle ---- */

static void add_edge(struct staying *y, uint32_t from, uint32_t to)
{
	vec_push(y->p->pool, &y->p->derived, ((struct derived){.from = from, .to = to}));
}

/* The slot from which it read, by the order that was found; ID_NONE: the initial version. */
static uint32_t writer_of(const struct staying *y, const struct letting_go *l, uint32_t slot,
                          const struct external_read *w)
{
	const struct problem *p = y->p;
	uint32_t found = ID_NONE, until = l->place[p->txn_of[slot]];
	for (uint32_t i = w->first; i < w->first + w->count; i++) {
		uint32_t candidate = p->candidates[i], place = l->place[p->txn_of[candidate]];
		guard_tick(y->guard);
		if (candidate != slot && place < until &&
		    (found == ID_NONE || place > l->place[p->txn_of[found]]))
			found = candidate;
	}
	return found;
}

/* Of a read, all writers in one chain whose order is not known, and, if it could have
 * read from several, the last that is known to be before. */
static void settle_chain(struct staying *y, const struct letting_go *l, uint32_t slot,
                         uint32_t writer, const struct group *g, bool several)
{
	const struct problem *p = y->p;
	uint32_t low = staying_past(y, slot)[g->chain], place = l->place[p->txn_of[slot]];
	uint32_t high = saturation_future(y->s, slot)[g->chain];
	const struct writer *first = y->writers->writers + g->first;
	const struct writer *end = y->writers->writers + g->end, *u;
	high = high < y->cut[g->chain] ? high : y->cut[g->chain];
	if (low >= high && !several)
		return;
	for (u = clocks_from(y->writers, g, low); u < end && u->index < high; u++) {
		guard_tick(y->guard);
		if (place < l->place[p->txn_of[u->slot]])
			add_edge(y, slot, u->slot);
		else
			add_edge(y, u->slot, u->slot == writer ? slot : writer);
	}
	u = clocks_from(y->writers, g, low);
	if (u > first && u[-1].slot == slot)
		u--;
	if (several && u > first && u[-1].slot != writer)
		add_edge(y, u[-1].slot, writer);
}

static void settle_reads(struct staying *y, const struct letting_go *l)
{
	struct problem *p = y->p;
	const struct clocks *c = y->writers;
	size_t before = p->derived.count;
	for (uint32_t slot = 0; slot < p->slots; slot++) {
		if (!staying_goes(y, slot))
			continue;
		for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++) {
			const struct external_read *w = &p->reads.items[i];
			uint32_t writer = writer_of(y, l, slot, w);
			bool several = w->count - w->includes_reader + w->initial > 1;
			for (uint32_t g = c->groups_first[w->key]; g < c->groups_first[w->key + 1];
			     g++)
				settle_chain(y, l, slot, writer, &c->groups.items[g], several);
		}
	}
	known_add_derived(p, before);
	y->settled = true;
}

/* ---- groups ---- */

struct grouping {
	struct staying *y;
	uint32_t *above;   /* by slot: another of its group, or itself; NO_GROUP: in none */
	uint32_t *next;    /* by slot: in its group, in a circle */
	uint32_t *members; /* by group: how many … */
	uint32_t *ready;   /* … of them have nobody before them any more */
	uint32_t *waiting; /* by node: for so many others */
	bool *done;        /* by node */
	uint32_t *towards; /* by node: where a walk went + 1 */
	VEC(uint32_t) stack;
	bool any_broken;
};

static uint32_t group_of(const struct grouping *x, uint32_t slot)
{
	while (x->above[slot] != slot)
		slot = x->above[slot] = x->above[x->above[slot]];
	return slot;
}

static bool is_grouped(const struct grouping *x, uint32_t node)
{
	return node < x->y->p->slots && x->above[node] != NO_GROUP;
}

static void make_groups(struct grouping *x, const struct letting_go *l)
{
	size_t slots = x->y->p->slots;
	struct pool *pool = x->y->pool;
	x->above = pool_array(pool, slots + 1, sizeof(uint32_t));
	x->next = pool_array(pool, slots + 1, sizeof(uint32_t));
	x->members = pool_zarray(pool, slots + 1, sizeof(uint32_t));
	x->ready = pool_zarray(pool, slots + 1, sizeof(uint32_t));
	memset(x->above, 0xff, (slots + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < l->remnants.count; i++) {
		uint32_t slot = l->remnants.items[i].txn;
		if (x->above[slot] == NO_GROUP) {
			x->above[slot] = x->next[slot] = slot;
			x->members[slot] = 1;
		}
	}
	for (size_t i = 1; i < l->remnants.count; i++) {
		const struct use *a = &l->remnants.items[i - 1], *b = a + 1;
		uint32_t u = group_of(x, a->txn), v = group_of(x, b->txn), after;
		if (a->key != b->key || u == v)
			continue;
		x->above[u] = v;
		x->members[v] += x->members[u];
		after = x->next[u]; /* two circles become one */
		x->next[u] = x->next[v];
		x->next[v] = after;
	}
}

/* Nobody is before this node any more; those behind it may be next. A group waits for all
 * of its members. */
static void release(struct grouping *x, uint32_t node)
{
	uint32_t member = node;
	bool grouped = is_grouped(x, node);
	if (grouped) {
		uint32_t group = group_of(x, node);
		if (++x->ready[group] < x->members[group])
			return;
	}
	do {
		vec_push(x->y->pool, &x->stack, member);
		x->done[member] = true;
		member = grouped ? x->next[member] : node;
	} while (member != node);
}

static void sort_on(struct grouping *x)
{
	const struct problem *p = x->y->p;
	while (x->stack.count) {
		uint32_t v = x->stack.items[--x->stack.count];
		for (uint32_t i = p->after_first[v]; i < p->after_first[v + 1];
		     i++, guard_tick(x->y->guard))
			if (!--x->waiting[p->after[i]])
				release(x, p->after[i]);
	}
}

/* Somebody for whom the node waits: before it, or in its group. */
static uint32_t waits_for(const struct grouping *x, uint32_t node)
{
	const struct problem *p = x->y->p;
	while (!x->waiting[node])
		node = x->next[node];
	for (uint32_t i = p->before_first[node]; i < p->before_first[node + 1]; i++)
		if (!x->done[p->before[i]])
			return p->before[i];
	return node;
}

/* Members that have nobody before them are released one by one. */
static void break_up(struct grouping *x, uint32_t slot)
{
	uint32_t member = slot, next;
	do {
		next = x->next[member];
		x->above[member] = NO_GROUP;
		staying_add(x->y, x->y->writers->chain_of[member], x->y->writers->index_of[member]);
		if (!x->waiting[member] && !x->done[member])
			release(x, member);
		member = next;
	} while (member != slot);
	x->any_broken = true;
}

/* From somebody who waits back to whom he waits for, until that is a circle. There is a
 * group on it, because the edges alone have no cycle. */
static void break_cycle(struct grouping *x, uint32_t node)
{
	bool any = false;
	memset(x->towards, 0, ((size_t)x->y->p->nodes + 1) * sizeof *x->towards);
	for (uint32_t to; !x->towards[node]; node = to) {
		to = waits_for(x, node);
		x->towards[node] = to + 1;
	}
	for (uint32_t first = node, to; !any || node != first; node = to) {
		to = x->towards[node] - 1;
		any |= is_grouped(x, node);
		if (is_grouped(x, node))
			break_up(x, node);
	}
}

/* True: any order of each group goes with the edges. */
static bool groups_are_free(struct grouping *x)
{
	const struct problem *p = x->y->p;
	struct pool *pool = x->y->pool;
	x->waiting = pool_array(pool, (size_t)p->nodes + 1, sizeof(uint32_t));
	x->done = pool_zarray(pool, (size_t)p->nodes + 1, sizeof(bool));
	x->towards = pool_array(pool, (size_t)p->nodes + 1, sizeof(uint32_t));
	for (uint32_t v = 0; v < p->nodes; v++)
		x->waiting[v] = p->before_first[v + 1] - p->before_first[v];
	for (uint32_t v = 0; v < p->nodes; v++)
		if (p->before_first[v + 1] == p->before_first[v])
			release(x, v);
	sort_on(x);
	for (uint32_t v = 0; v < p->nodes; v++)
		while (!x->done[v]) {
			break_cycle(x, v);
			sort_on(x);
		}
	return !x->any_broken;
}

/* Remnants by group, and transactions instead of slots. */
static void hand_out(const struct grouping *x, struct letting_go *l)
{
	struct pool *pool = x->y->pool;
	size_t count = l->remnants.count;
	struct keyed *sorted = pool_array(pool, count + 1, sizeof *sorted);
	struct use *uses = pool_array(pool, count + 1, sizeof *uses);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot = l->remnants.items[i].txn;
		sorted[i] = (struct keyed){(uint64_t)group_of(x, slot) << 32 | slot, i};
		uses[i] = (struct use){x->y->p->txn_of[slot], l->remnants.items[i].key};
	}
	radix_sort(pool, sorted, count);
	for (size_t i = 0; i < count; i++) {
		if (i && sorted[i].key >> 32 != sorted[i - 1].key >> 32)
			vec_push(pool, &l->group_ends, i);
		l->remnants.items[i] = uses[sorted[i].item];
	}
	vec_push(pool, &l->group_ends, count);
}

bool remnants_find(struct staying *y, struct letting_go *l)
{
	struct grouping x = {.y = y};
	l->remnants.count = 0;
	for (uint32_t key = 0; y->writers->groups.count && key < y->p->keys; key++)
		l->last[key] = find_last(y, l, key);
	if (!l->remnants.count)
		return true;
	if (!y->settled)
		settle_reads(y, l);
	make_groups(&x, l);
	if (!groups_are_free(&x))
		return false;
	hand_out(&x, l);
	return true;
}
