/* placeholder: see placeholder.h. */
#include "explain/placeholder.h"

#include "base/guard.h"
#include "explain/subset.h"

static bool is_empty(const struct history *h, uint32_t txn)
{
	return h->txns[txn].first_op == txn_op_end(h, txn) && h->txns[txn].status == ALIBI_COMMIT;
}

static bool ends_before_it_begins(const struct history *h, uint32_t txn)
{
	return (h->txns[txn].has & BOTH_TIMES) == BOTH_TIMES &&
	       h->times[txn].end < h->times[txn].begin;
}

/* Marks the empty transactions of a session that end before an earlier one does, or begin
 * after a later one does. */
static void check_session(const struct history *h, uint32_t session, bool *needed)
{
	const uint32_t *first = h->session_txns + h->session_first[session];
	const uint32_t *end = h->session_txns + h->session_first[session + 1];
	int64_t latest = INT64_MIN, earliest = INT64_MAX;
	for (const uint32_t *t = first; t < end; t++) {
		int64_t ends = h->txns[*t].has & ALIBI_HAS_END ? h->times[*t].end : INT64_MAX;
		needed[*t] = is_empty(h, *t) && latest > ends;
		latest = ends > latest ? ends : latest;
	}
	for (const uint32_t *t = end; t-- > first;) {
		bool has = h->txns[*t].has & ALIBI_HAS_BEGIN;
		int64_t begins = has ? h->times[*t].begin : INT64_MIN;
		needed[*t] |= is_empty(h, *t) && earliest < begins;
		earliest = begins < earliest ? begins : earliest;
	}
}

static void mark_by_times(struct pool *pool, const struct history *h,
                          const struct check_options *options, bool *needed)
{
	bool backwards = false;
	for (uint32_t session = 0; options->session_order && session < h->session_count; session++)
		check_session(h, session, needed);
	for (uint32_t txn = 0; txn < h->txn_count; txn++, guard_tick(pool_guard(pool)))
		backwards |= ends_before_it_begins(h, txn);
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		needed[txn] |= backwards && is_empty(h, txn);
}

/* Marks those that a read names as its writer though they write nothing. */
static void mark_named(struct pool *pool, const struct history *h, bool *needed)
{
	for (size_t i = 0; i < h->from.count; i++, guard_tick(pool_guard(pool))) {
		uint32_t writer = h->from.items[i].writer;
		if (writer != ID_NONE && !needed[writer])
			needed[writer] = !txn_writes(h, writer);
	}
}

const struct history *placeholder_add(struct pool *pool, const struct history *h,
                                      const struct check_options *options)
{
	bool clocks = h->times && (options->level->rules.realtime || options->time_order);
	bool any = false;
	if (!clocks && !h->from.count)
		return h;
	bool *needed = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *needed);
	if (clocks)
		mark_by_times(pool, h, options, needed);
	mark_named(pool, h, needed);
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		any |= needed[txn];
	return any ? subset_with_placeholders(pool, h, needed) : h;
}
