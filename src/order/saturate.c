/* saturate: see saturate.h. */
#include "order/saturate.h"

#include "base/guard.h"
#include "order/known.h"

#include <assert.h>
#include <string.h>

enum { CHAINS_MAX = 1024, CLOCK_BYTES_MAX = 1 << 30, NEVER = UINT32_MAX };

/* A writer of a key: its chain, its place there, its slot. */
struct chained {
	uint32_t chain, index, slot;
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

	uint32_t *writers_first; /* by key */
	struct chained *writers; /* by key, chain, index */
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

/* Counted by key, filled in the order of chains and places in them. */
static void index_writers(struct saturation *s)
{
	struct problem *p = s->p;
	size_t keys = atoms_count(&p->h->keys) + 2;
	s->writers_first = pool_zarray(s->pool, keys, sizeof *s->writers_first);
	s->writers = pool_array(s->pool, p->writes.count + 1, sizeof *s->writers);
	for (size_t i = 0; i < p->writes.count; i++)
		s->writers_first[p->writes.items[i].key + 2]++;
	for (size_t k = 2; k < keys; k++)
		s->writers_first[k] += s->writers_first[k - 1];
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
			s->writers[s->writers_first[p->writes.items[w].key + 1]++] =
			        (struct chained){s->chain_of[slot], s->index_of[slot], slot};
	}
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
static const struct chained *from_index(const struct chained *low, const struct chained *high,
                                        uint32_t index)
{
	while (low < high) {
		const struct chained *middle = low + (high - low) / 2;
		if (middle->index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct reader {
	uint32_t slot, writer; /* writer NO_SLOT: the initial version */
	uint32_t key, op;
	bool before, after; /* which rule is to be looked at */
};

/* One chain's writers of the key that was read. */
static void look_at_chain(struct saturation *s, const struct reader *r, const struct chained *low,
                          const struct chained *high)
{
	const struct problem *p = s->p;
	uint32_t chain = low->chain, n = s->chains;
	uint32_t read = read_node(p, r->slot);
	bool initial = r->writer == NO_SLOT;
	uint32_t write = initial ? 0 : write_node(p, r->writer);
	if (r->before) {
		const struct chained *u = from_index(low, high, s->past[(size_t)read * n + chain]);
		if (u > low && u[-1].slot == r->slot) /* its own write comes after its read */
			u--;
		uint32_t last = u > low ? u[-1].slot : r->writer;
		if (last != r->writer && initial)
			derive(s, read, write_node(p, last), r->op, last);
		else if (last != r->writer && s->past[(size_t)write * n + chain] <= u[-1].index)
			derive(s, write_node(p, last), write, r->op, last);
	}
	if (r->after) {
		uint32_t first = initial ? 0 : s->future[(size_t)write * n + chain];
		const struct chained *u = from_index(low, high, first);
		while (u < high && (u->slot == r->writer || u->slot == r->slot))
			u++;
		if (u < high && s->future[(size_t)read * n + chain] > u->index)
			derive(s, read, write_node(p, u->slot), r->op, u->slot);
	}
}

static void look_at_read(struct saturation *s, uint32_t slot, const struct want *w)
{
	const struct problem *p = s->p;
	struct reader r = {.slot = slot, .writer = NO_SLOT, .key = w->key, .op = w->op};
	uint32_t candidates = w->count - w->itself;
	if (candidates + w->initial != 1)
		return;
	if (candidates) {
		r.writer = p->candidates[w->first];
		if (r.writer == slot)
			r.writer = p->candidates[w->first + 1];
	}
	r.before = s->past_changed[read_node(p, slot)];
	r.after = r.writer == NO_SLOT || s->future_changed[write_node(p, r.writer)];
	if (!r.before && !r.after)
		return;
	const struct chained *low = s->writers + s->writers_first[w->key];
	const struct chained *end = s->writers + s->writers_first[w->key + 1], *high;
	for (; low < end; low = high) {
		guard_tick(s->guard);
		for (high = low + 1; high < end && high->chain == low->chain;)
			high++;
		look_at_chain(s, &r, low, high);
	}
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
