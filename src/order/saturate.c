/* saturate: see saturate.h. */
#include "order/saturate.h"

#include "base/guard.h"
#include "order/known.h"

#include <assert.h>
#include <string.h>

enum { CHAINS_MAX = 1024, CLOCK_BYTES_MAX = 1 << 30 };

/* A writer of a key: its place in its chain, its slot. */
struct writer {
	uint32_t index, slot;
};

/* The writers of a key in one chain. */
struct group {
	uint32_t chain, first, end; /* in writers */
};

struct saturation {
	struct problem *p;
	struct pool *pool;
	struct guard *guard;
	uint32_t chains;
	uint32_t *chain_of, *index_of; /* by slot */
	uint32_t *past, *future;       /* rows by node, columns by chain */
	bool *past_changed, *future_changed;
	uint32_t *order; /* nodes, topologically sorted */
	size_t round;    /* how much was derived before this round */

	uint32_t *groups_first; /* by key: its groups */
	VEC(struct group) groups;
	struct writer *writers; /* by key, chain, index */
};

/* ---- chains ---- */

/* An unknown transaction is not before later ones of its session: its own chain. */
static bool make_chains(struct saturation *s)
{
	struct problem *p = s->p;
	const struct history *h = p->h;
	if (!p->rules.session || h->session_count > CHAINS_MAX)
		return false;
	s->chain_of = pool_array(s->pool, (size_t)p->slots + 1, sizeof *s->chain_of);
	s->index_of = pool_array(s->pool, (size_t)p->slots + 1, sizeof *s->index_of);
	for (uint32_t session = 0; session < h->session_count; session++) {
		uint32_t chain = s->chains++, index = 0;
		for (uint32_t i = h->session_first[session]; i < h->session_first[session + 1];
		     i++) {
			uint32_t slot = p->slot_of[h->session_txns[i]];
			if (slot == NO_SLOT)
				continue;
			bool alone = h->txns[h->session_txns[i]].status != ALIBI_COMMIT;
			s->chain_of[slot] = alone ? s->chains++ : chain;
			s->index_of[slot] = alone ? 0 : index++;
		}
		if (s->chains > CHAINS_MAX)
			return false;
	}
	return (uint64_t)p->nodes * s->chains * sizeof *s->past <= CLOCK_BYTES_MAX;
}

/* Writers counted by key, filled in the order of chains and places in them; where
 * the chain changes, a group begins. */
static void index_writers(struct saturation *s)
{
	struct problem *p = s->p;
	size_t keys = atoms_count(&p->h->keys) + 2;
	uint32_t *first = pool_zarray(s->pool, keys, sizeof *first);
	s->groups_first = pool_zarray(s->pool, keys, sizeof *s->groups_first);
	s->writers = pool_array(s->pool, p->writes.count + 1, sizeof *s->writers);
	for (size_t i = 0; i < p->writes.count; i++)
		first[p->writes.items[i].key + 2]++;
	for (size_t k = 2; k < keys; k++)
		first[k] += first[k - 1];
	uint32_t *by_chain = pool_zarray(s->pool, (size_t)s->chains + 2, sizeof *by_chain);
	uint32_t *slots = pool_array(s->pool, (size_t)p->slots + 1, sizeof *slots);
	for (uint32_t slot = 0; slot < p->slots; slot++)
		by_chain[s->chain_of[slot] + 1]++;
	for (uint32_t c = 0; c < s->chains; c++)
		by_chain[c + 1] += by_chain[c];
	for (uint32_t slot = 0; slot < p->slots; slot++)
		slots[by_chain[s->chain_of[slot]] + s->index_of[slot]] = slot;
	for (uint32_t i = 0; i < p->slots; i++) {
		uint32_t slot = slots[i];
		for (uint32_t w = p->write_first[slot]; w < p->write_first[slot + 1]; w++)
			s->writers[first[p->writes.items[w].key + 1]++] =
			        (struct writer){s->index_of[slot], slot};
	}
	for (size_t k = 0; k + 2 < keys; k++) {
		s->groups_first[k] = (uint32_t)s->groups.count;
		for (uint32_t i = first[k], end; i < first[k + 1]; i = end) {
			uint32_t chain = s->chain_of[s->writers[i].slot];
			for (end = i + 1;
			     end < first[k + 1] && s->chain_of[s->writers[end].slot] == chain;)
				end++;
			vec_push(s->pool, &s->groups, ((struct group){chain, i, end}));
		}
	}
	s->groups_first[keys - 2] = (uint32_t)s->groups.count;
	pool_free(s->pool, first);
	pool_free(s->pool, by_chain);
	pool_free(s->pool, slots);
}

/* ---- clocks ---- */

static bool sort_nodes(struct saturation *s)
{
	const struct problem *p = s->p;
	uint32_t *waiting = pool_array(s->pool, (size_t)p->nodes + 1, sizeof *waiting);
	uint32_t head = 0, tail = 0;
	for (uint32_t v = 0; v < p->nodes; v++) {
		waiting[v] = p->before_first[v + 1] - p->before_first[v];
		if (!waiting[v])
			s->order[tail++] = v;
	}
	while (head < tail) {
		uint32_t v = s->order[head++];
		guard_tick(s->guard);
		for (uint32_t i = p->after_first[v]; i < p->after_first[v + 1]; i++)
			if (!--waiting[p->after[i]])
				s->order[tail++] = p->after[i];
	}
	pool_free(s->pool, waiting);
	return tail == p->nodes;
}

static bool writes_here(const struct problem *p, uint32_t node)
{
	return node < event_nodes(p) && node == write_node(p, slot_of_node(p, node));
}

static bool replace_row(uint32_t *row, const uint32_t *now, uint32_t columns)
{
	if (!memcmp(row, now, columns * sizeof *row))
		return false;
	memcpy(row, now, columns * sizeof *row);
	return true;
}

/* How many writes of each chain come before a node, itself included. */
static void sweep_past(struct saturation *s)
{
	const struct problem *p = s->p;
	uint32_t n = s->chains, *now = pool_array(s->pool, (size_t)n + 1, sizeof *now);
	for (uint32_t i = 0; i < p->nodes; i++) {
		uint32_t v = s->order[i];
		memset(now, 0, n * sizeof *now);
		for (uint32_t j = p->before_first[v]; j < p->before_first[v + 1]; j++) {
			const uint32_t *row = s->past + (size_t)p->before[j] * n;
			guard_tick(s->guard);
			for (uint32_t c = 0; c < n; c++)
				now[c] = row[c] > now[c] ? row[c] : now[c];
		}
		if (writes_here(p, v)) {
			uint32_t slot = slot_of_node(p, v);
			now[s->chain_of[slot]] = s->index_of[slot] + 1;
		}
		s->past_changed[v] = replace_row(s->past + (size_t)v * n, now, n);
	}
	pool_free(s->pool, now);
}

/* The first write of each chain that comes after a node, itself included. */
static void sweep_future(struct saturation *s)
{
	const struct problem *p = s->p;
	uint32_t n = s->chains, *now = pool_array(s->pool, (size_t)n + 1, sizeof *now);
	for (uint32_t i = p->nodes; i-- > 0;) {
		uint32_t v = s->order[i];
		memset(now, 0xff, n * sizeof *now);
		for (uint32_t j = p->after_first[v]; j < p->after_first[v + 1]; j++) {
			const uint32_t *row = s->future + (size_t)p->after[j] * n;
			guard_tick(s->guard);
			for (uint32_t c = 0; c < n; c++)
				now[c] = row[c] < now[c] ? row[c] : now[c];
		}
		if (writes_here(p, v)) {
			uint32_t slot = slot_of_node(p, v);
			now[s->chain_of[slot]] = s->index_of[slot];
		}
		s->future_changed[v] = replace_row(s->future + (size_t)v * n, now, n);
	}
	pool_free(s->pool, now);
}

/* ---- what follows ---- */

static void derive(struct saturation *s, uint32_t from, uint32_t to, uint32_t op, uint32_t other)
{
	vec_push(s->p->pool, &s->p->derived,
	         ((struct derived){from, to, op, other, (uint32_t)s->round}));
}

/* In one chain's writers of the key: the first whose place is at least index. */
static const struct writer *from_index(const struct writer *low, const struct writer *high,
                                       uint32_t index)
{
	while (low < high) {
		const struct writer *middle = low + (high - low) / 2;
		if (middle->index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct reader {
	uint32_t slot, writer; /* writer NO_SLOT: the initial version */
	uint32_t op;
	uint32_t read, write;                      /* nodes */
	const uint32_t *read_past, *read_future;   /* clocks of the read … */
	const uint32_t *write_past, *write_future; /* … and of what it read */
};

/* The last writer of the chain that is before the read is before what was read. */
static void look_before(struct saturation *s, const struct reader *r, const struct group *g)
{
	const struct writer *low = s->writers + g->first, *high = s->writers + g->end;
	const struct writer *u = from_index(low, high, r->read_past[g->chain]);
	if (u > low && u[-1].slot == r->slot) /* its own write comes after its read */
		u--;
	uint32_t last = u > low ? u[-1].slot : r->writer;
	if (last == r->writer)
		return;
	if (r->writer == NO_SLOT)
		derive(s, r->read, write_node(s->p, last), r->op, last);
	else if (r->write_past[g->chain] <= u[-1].index)
		derive(s, write_node(s->p, last), r->write, r->op, last);
}

/* The first writer of the chain that is after what was read is after the read. */
static void look_after(struct saturation *s, const struct reader *r, const struct group *g)
{
	const struct writer *low = s->writers + g->first, *high = s->writers + g->end;
	uint32_t first = r->writer == NO_SLOT ? 0 : r->write_future[g->chain];
	const struct writer *u = from_index(low, high, first);
	while (u < high && (u->slot == r->writer || u->slot == r->slot))
		u++;
	if (u < high && r->read_future[g->chain] > u->index)
		derive(s, r->read, write_node(s->p, u->slot), r->op, u->slot);
}

/* Chains of which the read knows no more than what it read are passed over. */
static void look_at_groups(struct saturation *s, const struct reader *r, uint32_t key, bool before,
                           bool after)
{
	bool initial = r->writer == NO_SLOT;
	const struct group *g = s->groups.items + s->groups_first[key];
	const struct group *end = s->groups.items + s->groups_first[key + 1];
	for (; g < end; g++) {
		guard_tick(s->guard);
		if (before && (initial || r->read_past[g->chain] > r->write_past[g->chain]))
			look_before(s, r, g);
		if (after && (initial || r->read_future[g->chain] > r->write_future[g->chain]))
			look_after(s, r, g);
	}
}

static void look_at_read(struct saturation *s, uint32_t slot, const struct want *w)
{
	const struct problem *p = s->p;
	struct reader r = {
	        .slot = slot, .writer = NO_SLOT, .op = w->op, .read = read_node(p, slot)};
	uint32_t candidates = w->count - w->itself;
	size_t n = s->chains;
	if (candidates + w->initial != 1)
		return;
	if (candidates) {
		r.writer = p->candidates[w->first];
		if (r.writer == slot)
			r.writer = p->candidates[w->first + 1];
		r.write = write_node(p, r.writer);
		r.write_past = s->past + r.write * n;
		r.write_future = s->future + r.write * n;
	}
	r.read_past = s->past + r.read * n;
	r.read_future = s->future + r.read * n;
	bool before = s->past_changed[r.read];
	bool after = !candidates || s->future_changed[r.write];
	if (before || after)
		look_at_groups(s, &r, w->key, before, after);
}

/* How many edges were derived in this round. */
static size_t look_at_all(struct saturation *s)
{
	const struct problem *p = s->p;
	size_t before = p->derived.count;
	for (uint32_t slot = 0; slot < p->slots; slot++)
		for (uint32_t i = p->want_first[slot]; i < p->want_first[slot + 1]; i++)
			look_at_read(s, slot, &p->wants.items[i]);
	return p->derived.count - before;
}

void saturate(struct problem *p)
{
	struct saturation s = {.p = p, .pool = pool_child(p->pool), .guard = pool_guard(p->pool)};
	size_t n = (size_t)p->nodes + 1;
	guard_stage(s.guard, "saturating", 0);
	if (make_chains(&s)) {
		index_writers(&s);
		s.past = pool_zarray(s.pool, n * s.chains, sizeof *s.past);
		s.future = pool_array(s.pool, n * s.chains, sizeof *s.future);
		memset(s.future, 0xff, n * s.chains * sizeof *s.future);
		s.past_changed = pool_zarray(s.pool, n, sizeof *s.past_changed);
		s.future_changed = pool_zarray(s.pool, n, sizeof *s.future_changed);
		s.order = pool_array(s.pool, n, sizeof *s.order);
		p->place = pool_array(p->pool, n, sizeof *p->place);
		while (sort_nodes(&s)) {
			s.round = p->derived.count;
			for (uint32_t i = 0; i < p->nodes; i++)
				p->place[s.order[i]] = i;
			sweep_past(&s);
			sweep_future(&s);
			if (!look_at_all(&s))
				break;
			known_add_derived(p, s.round);
		}
	}
	pool_release(s.pool);
}
