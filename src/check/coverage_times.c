/* coverage_times: what client times say, for coverage.h. */
#include "base/guard.h"
#include "base/ids.h"
#include "base/radix.h"
#include "check/coverage.h"
#include "check/describe.h"
#include "history/render.h"

#include <inttypes.h>

enum { AHEAD = 24 }; /* operations whose keys are fetched early: they miss the caches */

/* By more than clocks may differ? */
static bool is_before(int64_t end, int64_t begin, uint64_t skew)
{
	return end < begin && radix_key(begin) - radix_key(end) > skew;
}

/* The transactions of a session stand in the history in their order. */
static void find_order(struct coverage *c, struct pool *pool, const struct history *h,
                       const struct check_options *options)
{
	int64_t first_end = INT64_MAX, last_begin = INT64_MIN;
	int64_t *begun = pool_array(pool, (size_t)h->session_count + 1, sizeof *begun);
	for (uint32_t s = 0; s < h->session_count; s++)
		begun[s] = INT64_MIN; /* the latest begin of the session so far */
	c->times_hold = true;
	for (uint32_t txn = 0; h->times && txn < h->txn_count; txn++) {
		struct client_times t = h->times[txn];
		int64_t *latest = &begun[h->txns[txn].session];
		unsigned has = h->txns[txn].has, status = h->txns[txn].status;
		guard_tick(pool_guard(pool));
		if (!options->session_order)
			*latest = INT64_MIN;
		if (status != ALIBI_ABORT && has & ALIBI_HAS_BEGIN && t.begin > last_begin)
			last_begin = t.begin;
		if (status != ALIBI_COMMIT)
			continue;
		if (has & ALIBI_HAS_BEGIN && t.begin > *latest)
			*latest = t.begin;
		if (has & ALIBI_HAS_END) {
			first_end = t.end < first_end ? t.end : first_end;
			c->times_hold &= !is_before(t.end, *latest, options->skew);
		}
	}
	c->times_bind = is_before(first_end, last_begin, options->skew);
}

/* Of the transactions that began so far and read or write the key, those that end
 * last, and who ran them. */
struct key_times {
	int64_t end[2];      /* of readers, of writers */
	uint32_t session[2]; /* ID_NONE: there are none */
	uint32_t counted;    /* the last transaction */
};

/* Does another session's reader, or writer, of the key end at that time or later? */
static bool is_met(const struct key_times *k, bool writes, int64_t begin, uint32_t session)
{
	return k->end[writes] >= begin && k->session[writes] != session &&
	       k->session[writes] != ID_NONE;
}

/* One more begins: with how many keys does it come between the begin and the end of
 * another session's transaction that conflicts? */
static uint64_t begin(struct guard *guard, const struct history *h, struct key_times *keys,
                      uint32_t txn)
{
	struct client_times t = h->times[txn];
	uint32_t session = h->txns[txn].session;
	uint64_t count = 0;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		struct key_times *k = &keys[op_key(h->ops[op])];
		guard_tick(guard);
		if (op + AHEAD < h->op_count) /* mostly the file is in this order, too */
			__builtin_prefetch(&keys[op_key(h->ops[op + AHEAD])]);
		bool meets =
		        is_met(k, true, t.begin, session) ||
		        (is_met(k, false, t.begin, session) &&
		         op_writes(h->ops[op])); /* asked last: branches on it are mispredicted */
		if (meets && k->counted != txn) {
			k->counted = txn;
			count++;
		}
	}
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		struct key_times *k = &keys[op_key(h->ops[op])];
		bool writes = op_writes(h->ops[op]);
		if (t.end > k->end[writes] || k->session[writes] == ID_NONE) {
			k->end[writes] = t.end;
			k->session[writes] = session;
		}
	}
	return count;
}

/* Committed transactions that have both times, by their begin. */
static struct keyed *in_time_order(const struct history *h, struct pool *pool, size_t *count)
{
	struct keyed *begins = pool_array(pool, (size_t)h->txn_count + 1, sizeof *begins);
	*count = 0;
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		if (h->txns[txn].status == ALIBI_COMMIT &&
		    (h->txns[txn].has & BOTH_TIMES) == BOTH_TIMES)
			begins[(*count)++] = (struct keyed){radix_key(h->times[txn].begin), txn};
	radix_sort(pool, begins, *count);
	return begins;
}

static uint64_t count_overlaps(struct pool *pool, const struct history *h)
{
	size_t count, key_count = atoms_count(&h->keys);
	uint64_t overlaps = 0;
	struct keyed *begins = in_time_order(h, pool, &count);
	struct key_times *keys = pool_array(pool, key_count + 1, sizeof *keys);
	for (size_t i = 0; i < key_count; i++)
		keys[i] = (struct key_times){{INT64_MIN, INT64_MIN}, {ID_NONE, ID_NONE}, ID_NONE};
	for (size_t i = 0; i < count; i++)
		overlaps += begin(pool_guard(pool), h, keys, begins[i].item);
	return overlaps;
}

void coverage_times(struct coverage *c, struct pool *pool, const struct history *h,
                    const struct check_options *options)
{
	find_order(c, pool, h, options);
	c->counts.has_client_times = h->times != NULL;
	if (h->times && c->counts.conflicts)
		c->counts.overlapping_conflicts = count_overlaps(pool, h);
}

static const char *say_overlap(struct pool *pool, const struct history *h, uint32_t before,
                               uint32_t txn)
{
	uint32_t name = h->session_name[h->txns[txn].session];
	return text_format(
	        pool,
	        "the transactions of session %s did not run one after the other: %s began at "
	        "%" PRId64 ", before %s, which precedes it there, ended at %" PRId64
	        ". So the session order may be all that is violated. Check without session "
	        "order, or record a session for each connection",
	        name == ID_NONE ? "without a name"
	                        : render_value(pool, atoms_value(&h->names, name)),
	        describe_txn(pool, h, txn), h->times[txn].begin, describe_txn(pool, h, before),
	        h->times[before].end);
}

const char *coverage_overlap(struct pool *pool, const struct history *h,
                             const struct check_options *options)
{
	uint32_t *last = pool_array(pool, (size_t)h->session_count + 1, sizeof *last);
	const char *text = NULL;
	for (uint32_t s = 0; s < h->session_count; s++)
		last[s] = ID_NONE; /* the one that ended last so far */
	for (uint32_t txn = 0; h->times && txn < h->txn_count && !text; txn++) {
		uint32_t *before = &last[h->txns[txn].session];
		unsigned has = h->txns[txn].has;
		guard_tick(pool_guard(pool));
		if (*before != ID_NONE && has & ALIBI_HAS_BEGIN &&
		    is_before(h->times[txn].begin, h->times[*before].end, options->skew))
			text = say_overlap(pool, h, *before, txn);
		if (has & ALIBI_HAS_END &&
		    (*before == ID_NONE || h->times[txn].end > h->times[*before].end))
			*before = txn;
	}
	pool_free(pool, last);
	return text;
}
