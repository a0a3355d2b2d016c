/* known: see known.h. */
#include "order/known.h"

#include "base/guard.h"
#include "base/numbers.h"
#include "base/radix.h"

#include <string.h>

/* ---- lists ---- */

/* All appends, by key and element; item: slot. */
struct append_index {
	struct keyed *items;
	size_t count;
	uint32_t *listed; /* by slot: the read of the last list that it is among the writers of */
};

static struct append_index index_appends(struct problem *p)
{
	struct append_index x = {.count = p->appends.count};
	x.items = pool_array(p->pool, x.count + 1, sizeof *x.items);
	x.listed = pool_array(p->pool, (size_t)p->slots + 1, sizeof *x.listed);
	memset(x.listed, 0xff, ((size_t)p->slots + 1) * sizeof *x.listed);
	for (uint32_t slot = 0, i = 0; slot < p->slots; slot++)
		for (; i < p->append_first[slot + 1]; i++) {
			guard_tick(pool_guard(p->pool));
			struct final_write a = p->appends.items[i];
			x.items[i] = (struct keyed){radix_pair(a.key, a.value), slot};
		}
	radix_sort(p->pool, x.items, x.count);
	for (size_t i = 1; i < x.count; i++, guard_tick(pool_guard(p->pool)))
		if (x.items[i - 1].key == x.items[i].key)
			p->repeats[x.items[i].key >> 32] = true;
	return x;
}

static uint32_t appender(const struct append_index *x, uint32_t key, uint32_t element)
{
	uint64_t wanted = radix_pair(key, element);
	size_t at = radix_find(x->items, x->count, wanted);
	return at < x->count && x->items[at].key == wanted ? x->items[at].item : ID_NONE;
}

size_t known_appended(const struct problem *p, uint32_t slot, uint32_t key, uint32_t element)
{
	size_t count = 0;
	for (uint32_t i = p->append_first[slot]; i < p->append_first[slot + 1]; i++)
		count += p->appends.items[i].key == key && p->appends.items[i].value == element;
	return count;
}

size_t known_block(const struct problem *p, uint32_t slot, uint32_t key, const uint32_t *items,
                   size_t count, uint32_t *wrong)
{
	size_t matched = 0;
	*wrong = ID_NONE;
	for (uint32_t i = p->append_first[slot]; i < p->append_first[slot + 1]; i++) {
		if (p->appends.items[i].key != key)
			continue;
		if (matched == count || items[matched] != p->appends.items[i].value) {
			*wrong = p->appends.items[i].value;
			break;
		}
		matched++;
	}
	return matched;
}

static bool known_list(struct problem *p, const struct append_index *x, uint32_t reader,
                       struct external_list_read *w)
{
	size_t length, block;
	uint32_t named, wrong;
	const uint32_t *items = atoms_items(&p->h->values, p->h->ops[w->op].value, &length);
	w->first_writer = (uint32_t)p->list_writers.count;
	for (size_t at = 0; at < w->count; at += block) {
		uint32_t slot = appender(x, w->key, items[at]);
		guard_tick(pool_guard(p->pool));
		if (slot == ID_NONE || slot == reader || x->listed[slot] == w->op)
			return problem_impossible(p, IMPOSSIBLE_WRITER, w->op, ID_NONE);
		x->listed[slot] = w->op;
		block = known_block(p, slot, w->key, items + at, w->count - at, &wrong);
		if (wrong != ID_NONE)
			return problem_impossible(p, IMPOSSIBLE_WRITER, w->op, ID_NONE);
		vec_push(p->pool, &p->list_writers, slot);
	}
	w->writers = (uint32_t)p->list_writers.count - w->first_writer;
	if (length == w->count && history_read_from(p->h, w->op, &named)) {
		uint32_t last =
		        w->writers ? p->txn_of[p->list_writers.items[p->list_writers.count - 1]]
		                   : ID_NONE;
		if (named != last)
			return problem_impossible(p, IMPOSSIBLE_WRITER, w->op, ID_NONE);
	}
	return true;
}

/* How often others than the reader appended it. */
static size_t appends_of(const struct problem *p, const struct append_index *x, uint32_t reader,
                         uint32_t key, uint32_t element)
{
	uint64_t wanted = radix_pair(key, element);
	return radix_find(x->items, x->count, wanted + 1) - radix_find(x->items, x->count, wanted) -
	       known_appended(p, reader, key, element);
}

/* On a list whose elements repeat, the writers are found by the search. An
 * element that was not appended as often as it was read is impossible there too. */
static bool known_elements(struct problem *p, const struct append_index *x, uint32_t reader,
                           const struct external_list_read *w)
{
	size_t length;
	const uint32_t *items = atoms_items(&p->h->values, p->h->ops[w->op].value, &length);
	uint32_t *sorted = pool_array(p->pool, (size_t)w->count + 1, sizeof *sorted);
	for (size_t i = 0; i < w->count; i++)
		sorted[i] = items[i];
	numbers_sort(sorted, w->count);
	for (size_t i = 0, end; i < w->count && p->impossible == POSSIBLE; i = end) {
		guard_tick(pool_guard(p->pool));
		for (end = i; end < w->count && sorted[end] == sorted[i];)
			end++;
		if (end - i > appends_of(p, x, reader, w->key, sorted[i]))
			problem_impossible(p, IMPOSSIBLE_COUNT, w->op, sorted[i]);
	}
	pool_free(p->pool, sorted);
	return p->impossible == POSSIBLE;
}

bool known_lists(struct problem *p)
{
	p->repeats = pool_zarray(p->pool, (size_t)p->keys + 1, sizeof *p->repeats);
	if (!p->list_reads.count && !p->appends.count)
		return true;
	struct append_index x = index_appends(p);
	for (uint32_t slot = 0, i = 0; slot < p->slots; slot++)
		for (; i < p->list_read_first[slot + 1]; i++) {
			struct external_list_read *w = &p->list_reads.items[i];
			if (p->repeats[w->key] ? !known_elements(p, &x, slot, w)
			                       : !known_list(p, &x, slot, w))
				return false;
		}
	pool_free(p->pool, x.items);
	pool_free(p->pool, x.listed);
	return true;
}

/* ---- edges ---- */

struct edges {
	struct problem *p;
	edge_vec list;
};

static void add(struct edges *e, node_id from, node_id to, uint32_t why)
{
	guard_tick(pool_guard(e->p->pool));
	vec_push(e->p->pool, &e->list, ((struct edge){from, to, why}));
}

/* A transaction whose outcome is unknown comes after those before it in its
 * session; none has to come after it. */
void known_sessions(const struct problem *p, edge_vec *edges)
{
	const struct history *h = p->h;
	for (uint32_t i = 0; i < p->session_count; i++) {
		uint32_t session = p->sessions[i], before = ID_NONE;
		for (uint32_t j = h->session_first[session]; j < h->session_first[session + 1];
		     j++) {
			uint32_t txn = h->session_txns[j], slot = p->slot_of[txn];
			guard_tick(pool_guard(p->pool));
			if (slot == ID_NONE)
				continue;
			if (before != ID_NONE)
				vec_push(p->pool, edges,
				         ((struct edge){write_node(p, before), read_node(p, slot),
				                        WHY_HISTORY}));
			if (h->txns[txn].status == ALIBI_COMMIT)
				before = slot;
		}
	}
}

struct begins {
	struct keyed *items; /* slots by begin */
	uint32_t *place;     /* by slot: where it stands there, or ID_NONE */
	uint32_t count;
};

static node_id time_point(const struct problem *p, uint32_t i)
{
	return (node_id){event_nodes(p) + i};
}

/* What slot comes before, because it ended before that began: time point `from` and
 * all later ones. A clock that went back may have put its own begin among them, and
 * nothing comes before itself: then those up to there are named one by one. */
static void add_after_end(struct edges *e, const struct begins *b, uint32_t slot, uint32_t from)
{
	struct problem *p = e->p;
	uint32_t own = b->place[slot];
	if (own != ID_NONE && own >= from) {
		for (; from < own; from++)
			add(e, write_node(p, slot), read_node(p, b->items[from].item), WHY_HISTORY);
		from = own + 1;
	}
	if (from < b->count)
		add(e, write_node(p, slot), time_point(p, from), WHY_HISTORY);
}

static struct begins sort_begins(struct problem *p)
{
	const struct history *h = p->h;
	struct begins b = {0};
	b.items = pool_array(p->pool, (size_t)p->slots + 1, sizeof *b.items);
	b.place = pool_array(p->pool, (size_t)p->slots + 1, sizeof *b.place);
	for (uint32_t slot = 0; slot < p->slots; slot++) {
		b.place[slot] = ID_NONE;
		if (h->txns[p->txn_of[slot]].has & ALIBI_HAS_BEGIN)
			b.items[b.count++] =
			        (struct keyed){radix_key(h->times[p->txn_of[slot]].begin), slot};
	}
	radix_sort(p->pool, b.items, b.count);
	for (uint32_t i = 0; i < b.count; i++)
		b.place[b.items[i].item] = i;
	return b;
}

/* The i-th transaction to begin has time point i, which comes before it;
 * transactions that end before its begin come before the time point. */
static void add_realtime(struct edges *e)
{
	struct problem *p = e->p;
	const struct history *h = p->h;
	struct begins b = sort_begins(p);
	p->nodes = event_nodes(p) + b.count;
	for (uint32_t i = 0; i < b.count; i++) {
		add(e, time_point(p, i), read_node(p, b.items[i].item), WHY_HISTORY);
		if (i)
			add(e, time_point(p, i - 1), time_point(p, i), WHY_HISTORY);
	}
	for (uint32_t slot = 0; slot < p->slots; slot++) {
		const struct txn *t = &h->txns[p->txn_of[slot]];
		guard_tick(pool_guard(p->pool));
		if (!(t->has & ALIBI_HAS_END) || t->status != ALIBI_COMMIT)
			continue;
		uint64_t end = radix_key(h->times[p->txn_of[slot]].end);
		if (end < UINT64_MAX - p->rules.skew)
			add_after_end(
			        e, &b, slot,
			        (uint32_t)radix_find(b.items, b.count, end + p->rules.skew + 1));
	}
	pool_free(p->pool, b.items);
	pool_free(p->pool, b.place);
}

static void add_reads(struct edges *e, uint32_t slot)
{
	struct problem *p = e->p;
	for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++) {
		const struct external_read *w = &p->reads.items[i];
		guard_tick(pool_guard(p->pool));
		if (!w->initial && !w->opaque_writer && candidate_count(w) == 1)
			add(e, write_node(p, first_candidate(p, slot, w)), read_node(p, slot),
			    w->op);
	}
	for (uint32_t i = p->list_read_first[slot]; i < p->list_read_first[slot + 1]; i++) {
		const struct external_list_read *w = &p->list_reads.items[i];
		guard_tick(pool_guard(p->pool));
		if (p->repeats[w->key] || !w->writers)
			continue;
		const uint32_t *writers = p->list_writers.items + w->first_writer;
		for (uint32_t j = 1; j < w->writers; j++)
			add(e, write_node(p, writers[j - 1]), write_node(p, writers[j]), w->op);
		add(e, write_node(p, writers[w->writers - 1]), read_node(p, slot), w->op);
	}
}

/* Edges as rows of successors and of predecessors. */
void known_set(struct problem *p, const edge_vec *edges)
{
	struct guard *guard = pool_guard(p->pool);
	size_t count = edges->count, n = (size_t)p->nodes + 2;
	pool_free(p->pool, p->after_first);
	pool_free(p->pool, p->before_first);
	pool_free(p->pool, p->after);
	pool_free(p->pool, p->after_why);
	pool_free(p->pool, p->before);
	p->after_first = pool_zarray(p->pool, n, sizeof(uint32_t));
	p->before_first = pool_zarray(p->pool, n, sizeof(uint32_t));
	p->after = pool_array(p->pool, count + 1, sizeof *p->after);
	p->after_why = pool_array(p->pool, count + 1, sizeof(uint32_t));
	p->before = pool_array(p->pool, count + 1, sizeof *p->before);
	for (size_t i = 0; i < count; i++) {
		guard_tick(guard);
		p->after_first[edges->items[i].from.index + 2]++;
		p->before_first[edges->items[i].to.index + 2]++;
	}
	for (size_t v = 2; v < n; v++) {
		p->after_first[v] += p->after_first[v - 1];
		p->before_first[v] += p->before_first[v - 1];
	}
	for (size_t i = 0; i < count; i++) {
		struct edge x = edges->items[i];
		guard_tick(guard);
		uint32_t at = p->after_first[x.from.index + 1]++;
		p->after[at] = x.to;
		p->after_why[at] = x.why;
		p->before[p->before_first[x.to.index + 1]++] = x.from;
	}
}

void known_edges(struct problem *p)
{
	struct edges e = {.p = p};
	p->nodes = event_nodes(p);
	if (p->rules.session)
		known_sessions(p, &e.list);
	if (p->rules.realtime && p->h->times)
		add_realtime(&e);
	for (uint32_t slot = 0; slot < p->slots; slot++) {
		if (p->rules.snapshot)
			add(&e, read_node(p, slot), write_node(p, slot), WHY_HISTORY);
		add_reads(&e, slot);
	}
	known_set(p, &e.list);
	pool_free(p->pool, e.list.items);
}

void known_add_derived(struct problem *p, size_t from)
{
	struct edges e = {.p = p};
	for (uint32_t v = 0; v < p->nodes; v++)
		for (uint32_t i = p->after_first[v]; i < p->after_first[v + 1]; i++)
			add(&e, (node_id){v}, p->after[i], p->after_why[i]);
	for (size_t i = from; i < p->derived.count; i++)
		add(&e, p->derived.items[i].from, p->derived.items[i].to,
		    p->h->op_count + (uint32_t)i);
	known_set(p, &e.list);
	pool_free(p->pool, e.list.items);
}
