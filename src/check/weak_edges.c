/* weak_edges: see weak_edges.h. */
#include "check/weak_edges.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "order/first_order.h"
#include "verify/claims.h"

#include <assert.h>
#include <string.h>

enum { ROUNDS_MOST = 10 }; /* of backward edges, before all edges are made */

static void add_edge(struct weak_edges *e, uint32_t from, uint32_t to, uint32_t why)
{
	if (!e->backward_only || e->place[from] > e->place[to])
		vec_push(e->p->pool, &e->list, ((struct edge){{from}, {to}, why}));
}

/* The writer wrote the key of the read and is visible to its reader. */
static void add_visible(struct weak_edges *e, uint32_t read, uint32_t writer)
{
	uint32_t chosen = e->reads->list.items[read].writer;
	if (chosen == writer || e->reads->list.items[read].choice == ID_NONE)
		return;
	if (chosen != ID_NONE)
		add_edge(e, writer, chosen, weak_reason(read, CLAIM_SEEN));
	else if (e->overlooked.count < WEAK_REFUTED_MAX)
		vec_push(e->pool, &e->overlooked, ((struct overlooked_writer){read, writer}));
}

/* The writers of each key, as they stand in the order; by key, the first of them. */
static const uint32_t *writers_first(struct weak_edges *e)
{
	const struct problem *p = e->p;
	if (e->writers_first)
		return e->writers_first;
	size_t keys = atoms_count(&p->h->keys) + 2;
	uint32_t *first = pool_zarray(e->pool, keys, sizeof *first);
	if (!e->writers)
		e->writers = pool_array(e->pool, p->writes.count + 1, sizeof *e->writers);
	for (size_t i = 0; i < p->writes.count; i++)
		first[p->writes.items[i].key + 2]++;
	for (size_t k = 2; k < keys; k++)
		first[k] += first[k - 1];
	for (uint32_t at = 0; at < p->slots; at++) {
		uint32_t slot = e->node_at[at].index;
		guard_tick(e->guard);
		for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++)
			e->writers[first[p->writes.items[i].key + 1]++] = slot;
	}
	return e->writers_first = first;
}

/* Of the writers of the key, the first whose place is behind this one. */
static uint32_t writer_behind(struct weak_edges *e, uint32_t key, uint32_t place)
{
	const uint32_t *first = writers_first(e);
	uint32_t at;
	bisect(at, first[key], first[key + 1], e->place[e->writers[at]] <= place);
	return at;
}

static bool writes_key(struct weak_edges *e, uint32_t slot, uint32_t key)
{
	uint32_t behind = writer_behind(e, key, e->place[slot]);
	return behind > e->writers_first[key] && e->writers[behind - 1] == slot;
}

/* ---- read committed and read atomic: the writers that the reader reads from ---- */

/* The reads of the current reader, linked by key, the last one first. Reads are numbered
 * within the reader, from 1; 0: none. */
struct reads_by_key {
	uint32_t *reader, *last; /* by key: the reader + 1, its last read of the key */
	uint32_t *before;        /* by read: the one before it of the same key */
	size_t before_size;
	uint32_t *visible;    /* by slot: the last reader to which it was visible, + 1 */
	uint64_t once, again; /* bit_of() the keys that it reads; of two reads or more */
};

/* One of 64 for each key. Most writers write none of the reader's other keys, and these bits say
 * so without a look at their writes. */
static uint64_t bit_of(uint32_t key)
{
	return (uint64_t)1 << key % 64;
}

static void note_written(struct weak_edges *e)
{
	const struct problem *p = e->p;
	e->written = pool_zarray(e->pool, (size_t)p->slots + 1, sizeof *e->written);
	for (uint32_t slot = 0, i = 0; slot < p->slots; slot++)
		for (; i < p->write_first[slot + 1]; i++, guard_tick(e->guard))
			e->written[slot] |= bit_of(p->writes.items[i].key);
}

static void link_reads(const struct weak_edges *e, struct reads_by_key *m, uint32_t reader)
{
	const struct weak_reads *r = e->reads;
	uint32_t first = r->first[reader], count = r->first[reader + 1] - first;
	if (count > m->before_size) {
		m->before_size = 2 * (size_t)count;
		m->before =
		        pool_resize(e->pool, m->before, (m->before_size + 1) * sizeof *m->before);
	}
	m->once = m->again = 0;
	for (uint32_t i = 1; i <= count; i++) {
		uint32_t key = r->list.items[first + i - 1].key;
		m->again |= m->once & bit_of(key);
		m->once |= bit_of(key);
		m->before[i] = m->reader[key] == reader + 1 ? m->last[key] : 0;
		m->reader[key] = reader + 1;
		m->last[key] = i;
	}
}

/* The writer is visible to the reader, from this read on. */
static void add_direct_writer(struct weak_edges *e, const struct reads_by_key *m, uint32_t reader,
                              uint32_t from, uint32_t writer)
{
	const struct problem *p = e->p;
	uint32_t first = e->reads->first[reader], end = e->reads->first[reader + 1];
	uint32_t writes = p->write_first[writer + 1] - p->write_first[writer];
	if (writes > 8 + end - from) {
		for (uint32_t i = from; i < end; i++) {
			guard_tick(e->guard);
			if (writes_key(e, writer, e->reads->list.items[i].key))
				add_visible(e, i, writer);
		}
		return;
	}
	for (uint32_t i = p->write_first[writer]; i < p->write_first[writer + 1]; i++) {
		uint32_t key = p->writes.items[i].key;
		uint32_t read = m->reader[key] == reader + 1 ? m->last[key] : 0;
		guard_tick(e->guard);
		for (; read && first + read - 1 >= from; read = m->before[read])
			add_visible(e, first + read - 1, writer);
	}
}

static void add_direct(struct weak_edges *e)
{
	const struct weak_reads *r = e->reads;
	bool earlier = e->rules.visible == VISIBLE_EARLIER;
	size_t keys = atoms_count(&e->p->h->keys) + 1;
	if (!e->written)
		note_written(e);
	struct reads_by_key m = {
	        .reader = pool_zarray(e->pool, keys, sizeof *m.reader),
	        .last = pool_array(e->pool, keys, sizeof *m.last),
	        .visible = pool_zarray(e->pool, (size_t)e->p->slots + 1, sizeof *m.visible)};
	for (uint32_t reader = 0; reader < e->p->slots; reader++) {
		uint32_t first = r->first[reader], end = r->first[reader + 1];
		if (end - first < 2)
			continue;
		link_reads(e, &m, reader);
		for (uint32_t i = first; i < end; i++) {
			uint32_t writer = r->list.items[i].writer;
			uint64_t others = m.again | (m.once & ~bit_of(r->list.items[i].key));
			if (writer == ID_NONE || !(e->written[writer] & others) ||
			    m.visible[writer] == reader + 1)
				continue;
			m.visible[writer] = reader + 1;
			add_direct_writer(e, &m, reader, earlier ? i + 1 : first, writer);
		}
	}
	pool_free(e->pool, m.reader);
	pool_free(e->pool, m.last);
	pool_free(e->pool, m.before);
	pool_free(e->pool, m.visible);
}

/* ---- causal: the writers in the reader's causal past ---- */

/* Visible writers stand before the reader. So only those between the chosen writer and the
 * reader can give a backward edge, and mostly there are none. False: they are too many to go
 * through. */
static bool add_between(struct weak_edges *e, uint32_t read)
{
	const struct clocks *c = &e->clocks;
	const struct weak_read *r = &e->reads->list.items[read];
	const uint32_t *past = c->past + (size_t)r->reader * c->chains;
	uint32_t first = r->writer == ID_NONE ? writers_first(e)[r->key]
	                                      : writer_behind(e, r->key, e->place[r->writer]);
	uint32_t end = e->writers_first[r->key + 1];
	uint32_t most = first + c->groups_first[r->key + 1] - c->groups_first[r->key];
	for (uint32_t i = first; i < end && e->place[e->writers[i]] < e->place[r->reader]; i++) {
		uint32_t slot = e->writers[i];
		guard_tick(e->guard);
		if (i == most)
			return false;
		if (past[c->chain_of[slot]] > c->index_of[slot])
			add_visible(e, read, slot);
	}
	return true;
}

/* Of each chain the last visible writer of the key, unless the chosen writer sees it, too. */
static void add_last_of_chains(struct weak_edges *e, uint32_t read)
{
	const struct clocks *c = &e->clocks;
	const struct weak_read *r = &e->reads->list.items[read];
	const uint32_t *past = c->past + (size_t)r->reader * c->chains, *past_of_writer = NULL;
	if (r->writer != ID_NONE)
		past_of_writer = c->past + (size_t)r->writer * c->chains;
	for (uint32_t i = c->groups_first[r->key]; i < c->groups_first[r->key + 1]; i++) {
		const struct group *g = &c->groups.items[i];
		uint32_t limit = g->chain == c->chain_of[r->reader] ? c->index_of[r->reader]
		                                                    : past[g->chain];
		guard_tick(e->guard);
		if (past_of_writer && limit <= past_of_writer[g->chain])
			continue;
		const struct writer *behind = clocks_from(c, g, limit);
		if (behind > c->writers + g->first)
			add_visible(e, read, behind[-1].slot);
	}
}

static void add_causal(struct weak_edges *e)
{
	assert(e->clocks.past);
	for (uint32_t read = 0; read < e->reads->list.count; read++)
		if (!e->backward_only || !add_between(e, read))
			add_last_of_chains(e, read);
}

/* ---- lists ---- */

/* A list's appenders commit one after another, and all others of its key after them. */
static void add_list(struct weak_edges *e, uint32_t read, uint32_t *listed)
{
	const struct weak_read *r = &e->reads->list.items[read];
	uint32_t why = weak_reason(read, CLAIM_LIST);
	size_t count;
	const uint32_t *writers = weak_read_writers(e->reads, r, &count);
	for (size_t i = 0; i < count; i++) {
		listed[writers[i]] = read + 1;
		if (i)
			add_edge(e, writers[i - 1], writers[i], why);
	}
	const uint32_t *first = writers_first(e);
	for (uint32_t i = first[r->key]; i < first[r->key + 1] && count; i++) {
		guard_tick(e->guard);
		if (listed[e->writers[i]] != read + 1)
			add_edge(e, writers[count - 1], e->writers[i], why);
	}
}

static bool is_prefix(const struct weak_edges *e, uint32_t read, uint32_t of)
{
	size_t count, length;
	const uint32_t *shorter = weak_read_writers(e->reads, &e->reads->list.items[read], &count);
	const uint32_t *longer = weak_read_writers(e->reads, &e->reads->list.items[of], &length);
	return count <= length && (!count || !memcmp(shorter, longer, count * sizeof *shorter));
}

/* The longest list of a key implies the edges of all its prefixes. The first list that is
 * no prefix makes a cycle with it. */
static void add_lists(struct weak_edges *e)
{
	const struct problem *p = e->p;
	const struct weak_reads *r = e->reads;
	size_t keys = atoms_count(&p->h->keys) + 1, count;
	uint32_t *longest = pool_zarray(e->pool, keys, sizeof *longest); /* read + 1 */
	uint32_t *other = pool_zarray(e->pool, keys, sizeof *other);
	size_t *most = pool_zarray(e->pool, keys, sizeof *most);
	uint32_t *listed = pool_zarray(e->pool, (size_t)p->slots + 1, sizeof *listed);
	for (uint32_t i = 0; i < r->list.count; i++) {
		uint32_t key = r->list.items[i].key;
		guard_tick(e->guard);
		if (!p->h->key_is_list[key])
			continue;
		weak_read_writers(r, &r->list.items[i], &count);
		if (!longest[key] || count > most[key]) {
			longest[key] = i + 1;
			most[key] = count;
		}
	}
	for (uint32_t i = 0; i < r->list.count; i++) {
		uint32_t key = r->list.items[i].key;
		if (longest[key] && !other[key] && !is_prefix(e, i, longest[key] - 1))
			other[key] = i + 1;
	}
	for (uint32_t key = 0; key + 1 < keys; key++) {
		if (longest[key])
			add_list(e, longest[key] - 1, listed);
		if (other[key])
			add_list(e, other[key] - 1, listed);
	}
	pool_free(e->pool, longest);
	pool_free(e->pool, other);
	pool_free(e->pool, most);
	pool_free(e->pool, listed);
}

/* ---- a pass ---- */

/* Sorts the edges; false: they have a cycle, and the order stays as it is. */
static bool sort(struct weak_edges *e)
{
	size_t n = (size_t)e->p->slots + 1;
	uint32_t *place = pool_array(e->pool, n, sizeof *place);
	node_id *node_at = pool_array(e->pool, n, sizeof *node_at);
	known_set(e->p, &e->list);
	if (!e->hint)
		e->hint = first_order_hint(e->pool, e->p);
	bool sorted = first_order(e->pool, e->p, e->hint, place, node_at),
	     keep = e->place && !sorted;
	pool_free(e->pool, keep ? place : e->place);
	pool_free(e->pool, keep ? node_at : e->node_at);
	if (keep)
		return false;
	e->place = place;
	e->node_at = node_at;
	pool_free(e->pool, e->writers_first);
	e->writers_first = NULL;
	return sorted;
}

bool weak_edges_begin(struct weak_edges *e)
{
	const struct weak_reads *r = e->reads;
	e->guard = pool_guard(e->pool);
	if (e->p->rules.session)
		known_sessions(e->p, &e->list);
	for (uint32_t i = 0; i < r->list.count; i++) {
		const struct weak_read *read = &r->list.items[i];
		guard_tick(e->guard);
		if (read->writer != ID_NONE)
			add_edge(e, read->writer, read->reader, weak_reason(i, CLAIM_READ));
	}
	return sort(e);
}

static void make_clocks(struct weak_edges *e)
{
	struct clocks *c = &e->clocks;
	clocks_init(c, e->pool, e->p);
	memcpy(c->order, e->node_at, e->p->slots * sizeof *c->order);
	clocks_make_chains(c, UINT32_MAX);
	clocks_index_writers(c);
	clocks_sweep_past(c);
}

static void add_session_writer(void *data, uint32_t read, uint32_t writer)
{
	add_visible(data, read, writer);
}

static void add_forced(struct weak_edges *e)
{
	if (e->rules.visible == VISIBLE_CAUSAL)
		add_causal(e);
	else
		add_direct(e);
	if (e->rules.visible == VISIBLE_DIRECT && !e->rules.no_session)
		weak_reads_of_sessions(e->reads, e->pool, add_session_writer, e);
	if (e->p->list_reads.count)
		add_lists(e);
}

bool weak_edges_force(struct weak_edges *e)
{
	if (e->rules.visible == VISIBLE_CAUSAL && !e->clocks.past)
		make_clocks(e);
	e->backward_only = false;
	add_forced(e);
	return !e->overlooked.count && sort(e);
}

bool weak_edges_order(struct weak_edges *e)
{
	size_t visible = e->list.count;
	if (e->rules.visible == VISIBLE_CAUSAL)
		make_clocks(e);
	e->backward_only = true;
	for (int round = 0; round < ROUNDS_MOST; round++) {
		size_t known = e->list.count;
		add_forced(e);
		if (e->overlooked.count)
			return false;
		if (e->list.count == known)
			return true;
		if (!sort(e))
			break;
	}
	e->list.count = visible;
	return weak_edges_force(e);
}
