/* idle: see idle.h. */
#include "explain/idle.h"

#include "base/guard.h"
#include "explain/subset.h"

static bool is_idle(const struct history *h, uint32_t txn)
{
	return h->txns[txn].first_op == txn_op_end(h, txn) && h->txns[txn].status == ALIBI_COMMIT;
}

static bool ends_before_it_begins(const struct history *h, uint32_t txn)
{
	return (h->txns[txn].has & BOTH_TIMES) == BOTH_TIMES &&
	       h->times[txn].end < h->times[txn].begin;
}

/* Does somebody before it in the session end after it, or somebody behind it begin before it? */
static void look_along(const struct history *h, uint32_t session, bool *matters)
{
	const uint32_t *first = h->session_txns + h->session_first[session];
	const uint32_t *end = h->session_txns + h->session_first[session + 1];
	int64_t latest = INT64_MIN, earliest = INT64_MAX;
	for (const uint32_t *t = first; t < end; t++) {
		int64_t ends = h->txns[*t].has & ALIBI_HAS_END ? h->times[*t].end : INT64_MAX;
		matters[*t] = is_idle(h, *t) && latest > ends;
		latest = ends > latest ? ends : latest;
	}
	for (const uint32_t *t = end; t-- > first;) {
		bool has = h->txns[*t].has & ALIBI_HAS_BEGIN;
		int64_t begins = has ? h->times[*t].begin : INT64_MIN;
		matters[*t] |= is_idle(h, *t) && earliest < begins;
		earliest = begins < earliest ? begins : earliest;
	}
}

const struct history *idle_busy(struct pool *pool, const struct history *h,
                                const struct check_options *options)
{
	bool clocks = options->level->rules.realtime || options->time_order;
	bool backwards = false, any = false;
	if (!clocks || !h->times)
		return h;
	bool *matters = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *matters);
	for (uint32_t session = 0; options->session_order && session < h->session_count; session++)
		look_along(h, session, matters);
	for (uint32_t txn = 0; txn < h->txn_count; txn++, guard_tick(pool_guard(pool)))
		backwards |= ends_before_it_begins(h, txn);
	for (uint32_t txn = 0; txn < h->txn_count; txn++) {
		matters[txn] |= backwards && is_idle(h, txn);
		any |= matters[txn];
	}
	return any ? subset_busy(pool, h, matters) : h;
}
