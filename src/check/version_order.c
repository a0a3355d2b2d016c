/* version_order: see version_order.h. */
#include "check/version_order.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "base/ids.h"
#include "base/radix.h"
#include "check/timestamps.h"

#include <string.h>

struct dependency {
	uint32_t from, to; /* nodes */
};

struct versions {
	struct pool *pool;
	struct guard *guard;
	const struct history *h;
	struct instants at;

	VEC(struct keyed) list; /* key, transaction; of one key in the order of commits */
	uint32_t *first;        /* by key, one more at the end: its first version in the list */
	struct keyed *by_value; /* key and value, place in the list; NULL: not needed yet */
	uint32_t *touched;      /* by key: the last transaction that used it, + 1 */

	uint32_t nodes; /* transactions, then time points */
	VEC(struct dependency) edges;
};

static bool commits(const struct history *h, uint32_t txn)
{
	return h->txns[txn].status == ALIBI_COMMIT;
}

/* ---- levels with snapshots: the timestamps are the order ---- */

/* At one instant transactions that started earlier commit, then those that start and commit
 * at it do both, then the others start. */
static struct search_result order_by_stamps(struct versions *v)
{
	enum { COMMIT, BOTH, START, STEPS };
	const struct history *h = v->h;
	struct search_result order = {.found = true};
	struct keyed *items = pool_array(v->pool, 2 * (size_t)h->txn_count + 1, sizeof *items);
	size_t count = 0;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		uint64_t start = v->at.start[t], commit = v->at.commit[t];
		if (!commits(h, t))
			continue;
		if (!start || start > commit)
			return (struct search_result){.given_up = true};
		bool both = start == commit;
		items[count++] = (struct keyed){start * STEPS + (both ? BOTH : START), t << 1};
		items[count++] =
		        (struct keyed){commit * STEPS + (both ? BOTH : COMMIT), t << 1 | 1};
	}
	radix_sort(v->pool, items, count);
	order.events = pool_array(v->pool, count + 1, sizeof *order.events);
	for (; order.event_count < count; order.event_count++) {
		uint32_t item = items[order.event_count].item;
		order.events[order.event_count] = event_of(item >> 1, item & 1, false);
	}
	pool_free(v->pool, items);
	return order;
}

/* ---- other levels: the versions of each key ---- */

/* False: a writer has no commit_ts. */
static bool list_versions(struct versions *v)
{
	const struct history *h = v->h;
	size_t keys = atoms_count(&h->keys), count = 0;
	struct keyed *writers = pool_array(v->pool, (size_t)h->txn_count + 1, sizeof *writers);
	for (uint32_t t = 0; t < h->txn_count; t++, guard_tick(v->guard)) {
		if (!commits(h, t) || !txn_writes(h, t))
			continue;
		if (!v->at.commit[t])
			return false;
		writers[count++] = (struct keyed){v->at.commit[t], t};
	}
	radix_sort(v->pool, writers, count);
	for (size_t i = 0; i < count; i++) {
		uint32_t t = writers[i].item;
		for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
			uint32_t key = op_key(h->ops[op]);
			guard_tick(v->guard);
			if (!op_writes(h->ops[op]) || v->touched[key] == t + 1)
				continue;
			vec_push(v->pool, &v->list, ((struct keyed){key, t}));
			v->touched[key] = t + 1;
		}
	}
	pool_free(v->pool, writers);
	radix_sort(v->pool, v->list.items, v->list.count);
	v->first = pool_zarray(v->pool, keys + 1, sizeof *v->first);
	for (size_t i = 0; i < v->list.count; i++)
		v->first[v->list.items[i].key + 1]++;
	for (size_t key = 0; key < keys; key++)
		v->first[key + 1] += v->first[key];
	memset(v->touched, 0, keys * sizeof *v->touched);
	return true;
}

/* The final value that the writer of a version wrote. */
static uint32_t value_of(const struct history *h, struct keyed version)
{
	uint32_t op = txn_op_end(h, version.item) - 1;
	while (!op_writes(h->ops[op]) || op_key(h->ops[op]) != version.key)
		op--;
	return h->ops[op].value;
}

/* The first version after the one with this value; ID_NONE: it is not known which that is. */
static uint32_t next_by_value(struct versions *v, uint32_t key, uint32_t value)
{
	size_t count = v->list.count;
	if (!v->by_value) {
		v->by_value = pool_array(v->pool, count + 1, sizeof *v->by_value);
		for (uint32_t i = 0; i < count; i++, guard_tick(v->guard)) {
			struct keyed version = v->list.items[i];
			uint64_t pair = radix_pair((uint32_t)version.key, value_of(v->h, version));
			v->by_value[i] = (struct keyed){pair, i};
		}
		radix_sort(v->pool, v->by_value, count);
	}
	uint64_t pair = radix_pair(key, value);
	bool initial = value == history_initial(v->h, key);
	size_t at = radix_find(v->by_value, count, pair);
	if (at == count || v->by_value[at].key != pair)
		return initial ? v->first[key] : ID_NONE;
	bool again = at + 1 < count && v->by_value[at + 1].key == pair;
	return initial || again ? ID_NONE : v->by_value[at].item + 1;
}

/* The first version that is not in the snapshot. */
static uint32_t next_by_start(const struct versions *v, uint32_t key, uint32_t start)
{
	uint32_t at;
	bisect(at, v->first[key], v->first[key + 1], v->at.commit[v->list.items[at].item] <= start);
	return at;
}

/* ---- edges ---- */

static void add(struct versions *v, uint32_t from, uint32_t to)
{
	guard_tick(v->guard);
	if (from != to)
		vec_push(v->pool, &v->edges, ((struct dependency){from, to}));
}

/* False: the version that a read saw is not known. */
static bool add_reads(struct versions *v, uint32_t t)
{
	const struct history *h = v->h;
	for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
		uint32_t key = op_key(h->ops[op]);
		bool mine = v->touched[key] == t + 1;
		v->touched[key] = t + 1;
		if (mine || op_writes(h->ops[op]))
			continue;
		if (!v->at.start[t] && h->key_is_list[key])
			return false;
		uint32_t next = v->at.start[t] ? next_by_start(v, key, v->at.start[t])
		                               : next_by_value(v, key, h->ops[op].value);
		if (next == ID_NONE)
			return false;
		if (next > v->first[key])
			add(v, v->list.items[next - 1].item, t);
		if (next < v->first[key + 1])
			add(v, t, v->list.items[next].item);
	}
	return true;
}

/* A time point follows each end; a transaction that began after the end follows its time
 * point. So real-time order takes a linear number of edges. */
static void add_clocks(struct versions *v, uint64_t skew)
{
	const struct history *h = v->h;
	struct keyed *ends = pool_array(v->pool, (size_t)h->txn_count + 1, sizeof *ends);
	uint32_t count = 0, first = v->nodes;
	for (uint32_t t = 0; t < h->txn_count; t++)
		if (commits(h, t) && h->txns[t].has & ALIBI_HAS_END)
			ends[count++] = (struct keyed){radix_key(h->times[t].end), t};
	radix_sort(v->pool, ends, count);
	for (uint32_t i = 0; i < count; i++) {
		add(v, ends[i].item, first + i);
		if (i)
			add(v, first + i - 1, first + i);
	}
	v->nodes += count;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		uint64_t begin =
		        radix_key(h->txns[t].has & ALIBI_HAS_BEGIN ? h->times[t].begin : 0);
		if (!commits(h, t) || !(h->txns[t].has & ALIBI_HAS_BEGIN) || begin <= skew)
			continue;
		size_t ended = radix_find(ends, count, begin - skew);
		if (ended)
			add(v, first + (uint32_t)ended - 1, t);
	}
	pool_free(v->pool, ends);
}

static bool add_edges(struct versions *v, struct replay_rules rules)
{
	const struct history *h = v->h;
	const uint32_t *before = history_session_before(v->pool, h);
	for (size_t i = 1; i < v->list.count; i++)
		if (v->list.items[i - 1].key == v->list.items[i].key)
			add(v, v->list.items[i - 1].item, v->list.items[i].item);
	for (uint32_t t = 0; t < h->txn_count; t++) {
		if (!commits(h, t))
			continue;
		if (!rules.no_session && before[t] != ID_NONE)
			add(v, before[t], t);
		if (!add_reads(v, t))
			return false;
	}
	if (rules.realtime && h->times)
		add_clocks(v, rules.skew);
	return true;
}

/* ---- a topological order ---- */

static struct search_result sort_topologically(struct versions *v)
{
	const struct history *h = v->h;
	struct search_result order = {.found = true};
	uint32_t *after_first = pool_zarray(v->pool, (size_t)v->nodes + 2, sizeof *after_first);
	uint32_t *after = pool_array(v->pool, v->edges.count + 1, sizeof *after);
	uint32_t *waiting = pool_zarray(v->pool, (size_t)v->nodes + 1, sizeof *waiting);
	uint32_t *queue = pool_array(v->pool, (size_t)v->nodes + 1, sizeof *queue), placed = 0;
	for (size_t i = 0; i < v->edges.count; i++)
		after_first[v->edges.items[i].from + 2]++;
	for (uint32_t n = 0; n < v->nodes; n++)
		after_first[n + 2] += after_first[n + 1];
	for (size_t i = 0; i < v->edges.count; i++, guard_tick(v->guard)) {
		after[after_first[v->edges.items[i].from + 1]++] = v->edges.items[i].to;
		waiting[v->edges.items[i].to]++;
	}
	for (uint32_t n = 0; n < v->nodes; n++)
		if (!waiting[n])
			queue[placed++] = n;
	order.events = pool_array(v->pool, (size_t)h->txn_count + 1, sizeof *order.events);
	for (uint32_t i = 0; i < placed; i++) {
		uint32_t n = queue[i];
		if (n < h->txn_count && commits(h, n))
			order.events[order.event_count++] = event_of(n, true, false);
		for (uint32_t e = after_first[n]; e < after_first[n + 1]; e++)
			if (!--waiting[after[e]])
				queue[placed++] = after[e];
		guard_tick(v->guard);
	}
	if (placed < v->nodes)
		return (struct search_result){.given_up = true};
	return order;
}

bool version_order_applies(const struct history *h, struct replay_rules rules)
{
	return h->stamps && rules.visible == VISIBLE_STATE;
}

struct search_result version_order(struct pool *pool, const struct history *h,
                                   struct replay_rules rules)
{
	struct versions v = {.pool = pool, .guard = pool_guard(pool), .h = h};
	struct search_result none = {.given_up = true};
	v.at = timestamp_instants(pool, h);
	if (rules.snapshot)
		return order_by_stamps(&v);
	v.nodes = h->txn_count;
	v.touched = pool_zarray(pool, atoms_count(&h->keys) + 1, sizeof *v.touched);
	return list_versions(&v) && add_edges(&v, rules) ? sort_topologically(&v) : none;
}
