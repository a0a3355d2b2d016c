/* timestamps: see timestamps.h. */
#include "check/timestamps.h"

#include "base/guard.h"
#include "base/radix.h"

/* While being sorted an item is txn * 2 + commit. */
static alibi_stamp stamp_of(const struct history *h, uint32_t item)
{
	return item & 1 ? h->stamps[item >> 1].commit : h->stamps[item >> 1].start;
}

static const char *what_is_missing(const struct history *h, struct replay_rules rules,
                                   uint32_t *txn)
{
	unsigned needed = ALIBI_HAS_COMMIT_TS | (rules.snapshot ? ALIBI_HAS_START_TS : 0);
	for (uint32_t t = 0; t < h->txn_count; t++) {
		if (h->txns[t].status != ALIBI_COMMIT)
			continue;
		*txn = t;
		if ((h->txns[t].has & needed) != needed)
			return rules.snapshot ? "committed, but has no start_ts and commit_ts"
			                      : "committed, but has no commit_ts";
		if (rules.snapshot && stamp_compare(h->stamps[t].start, h->stamps[t].commit) > 0)
			return "has a start_ts after its commit_ts";
	}
	return NULL;
}

/* One instant of a level without snapshots: reads go behind the writes, unless
 * their session goes on in the same instant. last_seen is by session. */
static void put_reads_last(const struct history *h, struct pool *pool, struct keyed *items,
                           size_t count, uint32_t *last_seen, uint32_t instant)
{
	struct keyed *moved = pool_array(pool, count, sizeof *moved);
	size_t kept = 0, behind = 0;
	for (size_t i = count; i-- > 0;) {
		uint32_t txn = items[i].item >> 1, session = h->txns[txn].session;
		items[i].key = last_seen[session] != instant && !txn_writes(h, txn);
		last_seen[session] = instant;
		guard_tick(pool_guard(pool));
	}
	for (size_t i = 0; i < count; i++) {
		if (items[i].key)
			moved[behind++] = items[i];
		else
			items[kept++] = items[i];
	}
	for (size_t i = 0; i < behind; i++)
		items[kept + i] = moved[i];
	pool_free(pool, moved);
}

static void order_ties(const struct history *h, struct pool *pool, struct keyed *items,
                       size_t count)
{
	uint32_t *last_seen = pool_zarray(pool, (size_t)h->session_count + 1, sizeof *last_seen);
	uint32_t instant = 0;
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count; end++)
			if (stamp_compare(stamp_of(h, items[first].item),
			                  stamp_of(h, items[end].item)))
				break;
		if (end > first + 1)
			put_reads_last(h, pool, items + first, end - first, last_seen, ++instant);
		guard_tick(pool_guard(pool));
	}
	pool_free(pool, last_seen);
}

static size_t collect(const struct history *h, struct replay_rules rules, struct keyed *items)
{
	size_t count = 0;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		if (h->txns[t].status != ALIBI_COMMIT)
			continue;
		if (rules.snapshot)
			items[count++].item = t << 1;
		items[count++].item = t << 1 | 1;
	}
	return count;
}

static void sort_by_stamp(const struct history *h, struct pool *pool, struct keyed *items,
                          size_t count)
{
	bool any_logical = false;
	for (size_t i = 0; i < count; i++) {
		items[i].key = radix_key(stamp_of(h, items[i].item).logical);
		any_logical |= items[i].key != radix_key(0);
	}
	if (any_logical)
		radix_sort(pool, items, count);
	for (size_t i = 0; i < count; i++)
		items[i].key = radix_key(stamp_of(h, items[i].item).physical);
	radix_sort(pool, items, count);
}

struct instants timestamp_instants(struct pool *pool, const struct history *h)
{
	struct instants at = {pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *at.start),
	                      pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *at.commit)};
	struct keyed *items = pool_array(pool, 2 * (size_t)h->txn_count + 1, sizeof *items);
	size_t count = 0;
	uint32_t instant = 0;
	for (uint32_t t = 0; h->stamps && t < h->txn_count; t++) {
		if (h->txns[t].has & ALIBI_HAS_START_TS)
			items[count++].item = t << 1;
		if (h->txns[t].has & ALIBI_HAS_COMMIT_TS)
			items[count++].item = t << 1 | 1;
	}
	sort_by_stamp(h, pool, items, count);
	for (size_t i = 0; i < count; i++) {
		uint32_t item = items[i].item;
		guard_tick(pool_guard(pool));
		instant += !i || stamp_compare(stamp_of(h, items[i - 1].item), stamp_of(h, item));
		(item & 1 ? at.commit : at.start)[item >> 1] = instant;
	}
	pool_free(pool, items);
	return at;
}

struct timestamp_order timestamp_order(struct pool *pool, const struct history *h,
                                       struct replay_rules rules)
{
	struct timestamp_order order = {0};
	guard_stage(pool_guard(pool), "sorting timestamps", 0);
	order.missing = what_is_missing(h, rules, &order.txn);
	if (order.missing)
		return order;
	struct keyed *items = pool_array(pool, 2 * (size_t)h->txn_count + 1, sizeof *items);
	size_t count = collect(h, rules, items);
	sort_by_stamp(h, pool, items, count);
	if (!rules.snapshot)
		order_ties(h, pool, items, count);
	order.events = pool_array(pool, count + 1, sizeof *order.events);
	order.count = count;
	for (size_t i = 0; i < count; i++) {
		uint32_t item = items[i].item;
		bool tied = i && !stamp_compare(stamp_of(h, items[i - 1].item), stamp_of(h, item));
		order.events[i] = event_of(item >> 1, item & 1, tied);
	}
	pool_free(pool, items);
	return order;
}
