/* timestamps: see timestamps.h. */
#include "check/timestamps.h"

#include "base/guard.h"
#include "base/radix.h"

/* Events are sorted as items: transaction * 2 + (1 if it commits). */
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

/* Sorts the items by their timestamps; their keys become instants. */
static void sort_by_stamp(const struct history *h, struct pool *pool, struct keyed *items,
                          size_t count)
{
	bool any_logical = false;
	uint64_t instant = 0;
	for (size_t i = 0; i < count; i++) {
		items[i].key = radix_key(stamp_of(h, items[i].item).logical);
		any_logical |= items[i].key != radix_key(0);
	}
	if (any_logical)
		radix_sort(pool, items, count);
	for (size_t i = 0; i < count; i++)
		items[i].key = radix_key(stamp_of(h, items[i].item).physical);
	radix_sort(pool, items, count);
	for (size_t i = 0; i < count; i++) {
		guard_tick(pool_guard(pool));
		instant += !i || stamp_compare(stamp_of(h, items[i - 1].item),
		                               stamp_of(h, items[i].item));
		items[i].key = instant;
	}
}

struct instants timestamp_instants(struct pool *pool, const struct history *h)
{
	struct instants at = {pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *at.start),
	                      pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *at.commit)};
	struct keyed *items = pool_array(pool, 2 * (size_t)h->txn_count + 1, sizeof *items);
	size_t count = 0;
	for (uint32_t t = 0; h->stamps && t < h->txn_count; t++) {
		if (h->txns[t].has & ALIBI_HAS_START_TS)
			items[count++].item = t << 1;
		if (h->txns[t].has & ALIBI_HAS_COMMIT_TS)
			items[count++].item = t << 1 | 1;
	}
	sort_by_stamp(h, pool, items, count);
	for (size_t i = 0; i < count; i++)
		(items[i].item & 1 ? at.commit : at.start)[items[i].item >> 1] =
		        (uint32_t)items[i].key;
	pool_free(pool, items);
	return at;
}

static bool is_tied(const struct keyed *items, size_t i)
{
	return i && items[i - 1].key == items[i].key;
}

/* Moves transactions that only read to the end of their instant, unless their session goes
 * on in the same instant. */
static void put_reads_last(const struct history *h, struct pool *pool, struct keyed *items,
                           size_t count)
{
	uint64_t *next = pool_zarray(pool, (size_t)h->session_count + 1, sizeof *next);
	bool any = false;
	for (size_t i = count; i-- > 0;) {
		uint32_t txn = items[i].item >> 1, session = h->txns[txn].session;
		uint64_t instant = items[i].key;
		bool tied = is_tied(items, i) || (i + 1 < count && items[i + 1].key / 2 == instant);
		bool last = tied && next[session] != instant && !txn_writes(h, txn);
		guard_tick(pool_guard(pool));
		next[session] = instant;
		items[i].key = 2 * instant + last;
		any |= last;
	}
	if (any)
		radix_sort(pool, items, count);
	for (size_t i = 0; i < count; i++)
		items[i].key /= 2;
	pool_free(pool, next);
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
	size_t count = 0;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		if (h->txns[t].status != ALIBI_COMMIT)
			continue;
		if (rules.snapshot)
			items[count++].item = t << 1;
		items[count++].item = t << 1 | 1;
	}
	sort_by_stamp(h, pool, items, count);
	if (!rules.snapshot)
		put_reads_last(h, pool, items, count);
	order.events = pool_array(pool, count + 1, sizeof *order.events);
	for (; order.count < count; order.count++) {
		uint32_t item = items[order.count].item;
		order.events[order.count] =
		        event_of(item >> 1, item & 1, is_tied(items, order.count));
	}
	pool_free(pool, items);
	return order;
}
