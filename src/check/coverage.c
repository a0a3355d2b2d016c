/* coverage: see coverage.h. */
#include "check/coverage.h"

#include "base/guard.h"
#include "base/radix.h"
#include "history/query.h"
#include "history/render.h"

#include <string.h>

/* Of transactions or sessions: none, one of them, or more than one. */
#define NOBODY UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

enum { AHEAD = 24 }; /* operations whose keys are fetched early: they miss the caches */

static void include(uint32_t *who, uint32_t one)
{
	if (*who == NOBODY)
		*who = one;
	else if (*who != one)
		*who = SEVERAL;
}

/* Is there somebody besides this one? */
static bool others(uint32_t who, uint32_t one)
{
	return who != NOBODY && who != one;
}

/* What transactions did with a key. */
struct key_use {
	uint32_t now;                            /* whose part is being found out: see new_part() */
	uint32_t writer_session, reader_session; /* of all that may have committed */
	uint32_t writers, readers, only_readers; /* transactions */
};

struct pass {
	struct guard *g;
	struct pool *pool;
	const struct history *h;
	bool session_order;
	uint64_t skew;
	struct key_use *keys;
	uint32_t writing_session;
	struct coverage *c;
};

static size_t key_count(const struct pass *p)
{
	return atoms_count(&p->h->keys);
}

static uint32_t session_of(const struct pass *p, uint32_t txn)
{
	bool of_client = p->session_order && p->h->txns[txn].status == ALIBI_COMMIT;
	return of_client ? p->h->txns[txn].session : p->h->session_count + txn;
}

/* A transaction's part in the use of a key, gathered in a word of the key's: the
 * transaction, and what it did so far. */
enum part { READS = 1, WRITES = 2, PART_BITS = 2 };

static uint32_t nothing_yet(uint32_t txn)
{
	return txn << PART_BITS;
}

/* What the operation adds to the part. Reads that bind nobody add nothing. */
static enum part new_part(const struct pass *p, uint32_t *now, uint32_t start, bool commits,
                          struct op o)
{
	if ((*now & ~(uint32_t)(READS | WRITES)) != start)
		*now = start;
	enum part part = op_writes(o) ? WRITES : READS;
	if (part == READS && (!commits || (*now & WRITES && !p->h->key_is_list[op_key(o)])))
		return 0;
	part &= ~*now;
	*now |= part;
	return part;
}

static void note_uses(struct pass *p, uint32_t txn)
{
	const struct history *h = p->h;
	bool commits = h->txns[txn].status == ALIBI_COMMIT;
	uint32_t session = session_of(p, txn), start = nothing_yet(txn), end = txn_op_end(h, txn);
	for (uint32_t op = h->txns[txn].first_op; op < end; op++) {
		struct key_use *k = &p->keys[op_key(h->ops[op])];
		enum part part = new_part(p, &k->now, start, commits, h->ops[op]);
		guard_tick(p->g);
		if (op + AHEAD < h->op_count)
			__builtin_prefetch(&p->keys[op_key(h->ops[op + AHEAD])]);
		if (part == WRITES) {
			include(&k->writer_session, session);
			include(&p->writing_session, session);
			k->writers++;
			k->only_readers -= k->now & READS;
		} else if (part == READS) {
			include(&k->reader_session, session);
			k->readers++;
			k->only_readers += !(k->now & WRITES);
		}
	}
}

/* Do two sessions use it, one of them writing? */
static bool is_shared(const struct key_use *k)
{
	return k->writer_session == SEVERAL ||
	       (k->writers && others(k->reader_session, k->writer_session));
}

static void sum_up_keys(struct pass *p)
{
	struct coverage *c = p->c;
	for (size_t i = 0; i < key_count(p); i++) {
		const struct key_use *k = &p->keys[i];
		uint64_t writers = k->writers;
		guard_tick(p->g);
		if (p->h->queries && i == p->h->queries->key)
			continue;
		c->counts.reads += k->readers;
		if (is_shared(k))
			c->counts.conflicts +=
			        writers * (writers - 1) / 2 + writers * k->only_readers;
		if (writers > 1) {
			c->counts.contended_reads += k->readers;
			c->counts.contended_keys++;
		}
		c->common_writers |= k->writer_session == SEVERAL;
		c->foreign_reads |= k->readers && writers && (writers > 1 || is_shared(k));
	}
	c->several_write = p->writing_session == SEVERAL;
}

/* Before transactions are looked at once more. */
static void forget_parts(struct pass *p)
{
	for (size_t i = 0; i < key_count(p); i++)
		p->keys[i].now = NOBODY;
}

/* What is not in the sums: a key with one reader and one writer in one session, or a
 * writer that aborted. */
static bool finds_foreign_read(struct pass *p)
{
	const struct history *h = p->h;
	uint32_t *writer = pool_array(p->pool, key_count(p) + 1, sizeof *writer);
	memset(writer, 0xff, (key_count(p) + 1) * sizeof *writer); /* NOBODY */
	forget_parts(p);
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++)
			if (op_writes(h->ops[op]))
				include(&writer[op_key(h->ops[op])], txn);
	for (uint32_t txn = 0; txn < h->txn_count; txn++) {
		bool commits = h->txns[txn].status == ALIBI_COMMIT;
		for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
			uint32_t key = op_key(h->ops[op]), *now = &p->keys[key].now;
			guard_tick(p->g);
			if (new_part(p, now, nothing_yet(txn), commits, h->ops[op]) == READS &&
			    others(writer[key], txn))
				return true;
		}
	}
	return false;
}

/* Does the transaction conflict with other sessions, and is it a pivot? */
static bool in_conflict(struct pass *p, uint32_t txn)
{
	const struct history *h = p->h;
	bool commits = h->txns[txn].status == ALIBI_COMMIT;
	uint32_t session = session_of(p, txn);
	bool missed = false, misses = false, writes_too = false;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		struct key_use *k = &p->keys[op_key(h->ops[op])];
		enum part part = new_part(p, &k->now, nothing_yet(txn), commits, h->ops[op]);
		guard_tick(p->g);
		missed |= part == WRITES && others(k->reader_session, session);
		writes_too |= part == WRITES && others(k->writer_session, session);
		misses |= part == READS && others(k->writer_session, session);
	}
	p->c->pivots |= missed && misses;
	return missed || misses || writes_too;
}

/* Mostly ends soon: a session that conflicts, once known, is not looked at again
 * unless a pivot is still wanted. */
static void find_conflicts(struct pass *p)
{
	const struct history *h = p->h;
	forget_parts(p);
	for (uint32_t s = 0; s < h->session_count; s++) {
		bool known = false;
		for (uint32_t i = h->session_first[s]; i < h->session_first[s + 1]; i++) {
			uint32_t txn = h->session_txns[i];
			if (known && p->c->pivots)
				break;
			if (h->txns[txn].status != ALIBI_ABORT)
				known |= in_conflict(p, txn);
		}
		p->c->counts.conflicting_sessions += known;
	}
}

/* ---- queries ---- */

/* Who writes a key of each relation, and, behind the last one, any key. */
static uint32_t *find_relation_writers(struct pass *p)
{
	const struct history *h = p->h;
	uint32_t all = h->queries->relation_count;
	uint32_t *writer = pool_array(p->pool, (size_t)all + 1, sizeof *writer);
	memset(writer, 0xff, ((size_t)all + 1) * sizeof *writer); /* NOBODY */
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
			const struct query *q = query_at(h, op);
			uint32_t of = h->queries->relation_of[op_key(h->ops[op])];
			guard_tick(p->g);
			if (!(q && q->open) && !op_writes(h->ops[op]))
				continue;
			include(&writer[all], txn);
			of = q ? q->relation : of;
			for (uint32_t i = 0; q && of == ATOM_NONE && i < all; i++)
				include(&writer[i], txn);
			if (of != ATOM_NONE)
				include(&writer[of], txn);
		}
	return writer;
}

static void count_queries(struct pass *p)
{
	const struct history *h = p->h;
	const uint32_t *writer = find_relation_writers(p);
	for (uint32_t i = 0, txn = 0; i < h->queries->list.count; i++) {
		const struct query *q = &h->queries->list.items[i];
		uint32_t of = q->relation == ATOM_NONE ? h->queries->relation_count : q->relation;
		while (h->txns[txn + 1].first_op <= q->op)
			txn++;
		if (h->txns[txn].status != ALIBI_COMMIT)
			continue;
		p->c->counts.queries++;
		p->c->counts.contended_queries += others(writer[of], txn);
	}
	p->c->queries = p->c->counts.contended_queries || h->queries->open_txn != NO_TXN;
}

/* ---- client times ---- */

/* By more than clocks may differ? */
static bool is_before(int64_t end, int64_t begin, uint64_t skew)
{
	return end < begin && radix_key(begin) - radix_key(end) > skew;
}

/* A session's transactions stand in the history in their order. */
static void look_at_times(struct pass *p)
{
	const struct history *h = p->h;
	int64_t first_end = INT64_MAX, last_begin = INT64_MIN;
	int64_t *begun = pool_array(p->pool, (size_t)h->session_count + 1, sizeof *begun);
	for (uint32_t s = 0; s < h->session_count; s++)
		begun[s] = INT64_MIN; /* the latest begin of the session so far */
	p->c->times_hold = true;
	for (uint32_t txn = 0; h->times && txn < h->txn_count; txn++) {
		struct client_times t = h->times[txn];
		int64_t *latest = &begun[h->txns[txn].session];
		unsigned has = h->txns[txn].has, status = h->txns[txn].status;
		guard_tick(p->g);
		if (!p->session_order)
			*latest = INT64_MIN;
		if (status != ALIBI_ABORT && has & ALIBI_HAS_BEGIN && t.begin > last_begin)
			last_begin = t.begin;
		if (status != ALIBI_COMMIT)
			continue;
		if (has & ALIBI_HAS_BEGIN && t.begin > *latest)
			*latest = t.begin;
		if (has & ALIBI_HAS_END) {
			first_end = t.end < first_end ? t.end : first_end;
			p->c->times_hold &= !is_before(t.end, *latest, p->skew);
		}
	}
	p->c->times_bind = is_before(first_end, last_begin, p->skew);
}

/* Of the transactions that began so far and read or write the key, those that end
 * last, and who ran them. */
struct key_times {
	int64_t end[2];      /* of readers, of writers */
	uint32_t session[2]; /* NOBODY: there are none */
	uint32_t counted;    /* the last transaction */
};

/* Does another session's reader, or writer, of the key end at that time or later? */
static bool is_met(const struct key_times *k, bool writes, int64_t begin, uint32_t session)
{
	return k->end[writes] >= begin && k->session[writes] != session &&
	       k->session[writes] != NOBODY;
}

/* One more begins: with how many keys does it come between the begin and the end of
 * another session's transaction that conflicts? */
static uint64_t begin(const struct pass *p, struct key_times *keys, uint32_t txn)
{
	const struct history *h = p->h;
	struct client_times t = h->times[txn];
	uint32_t session = h->txns[txn].session;
	uint64_t count = 0;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		struct key_times *k = &keys[op_key(h->ops[op])];
		guard_tick(p->g);
		if (op + AHEAD < h->op_count) /* mostly the file is in this order, too */
			__builtin_prefetch(&keys[op_key(h->ops[op + AHEAD])]);
		bool meets = is_met(k, true, t.begin, session) ||
		             (is_met(k, false, t.begin, session) &&
		              op_writes(h->ops[op])); /* asked last: nobody can guess it */
		if (meets && k->counted != txn) {
			k->counted = txn;
			count++;
		}
	}
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		struct key_times *k = &keys[op_key(h->ops[op])];
		bool writes = op_writes(h->ops[op]);
		if (t.end > k->end[writes] || k->session[writes] == NOBODY) {
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

static void count_overlaps(struct pass *p)
{
	size_t count;
	struct keyed *begins = in_time_order(p->h, p->pool, &count);
	struct key_times *keys = pool_array(p->pool, key_count(p) + 1, sizeof *keys);
	for (size_t i = 0; i < key_count(p); i++)
		keys[i] = (struct key_times){{INT64_MIN, INT64_MIN}, {NOBODY, NOBODY}, NOBODY};
	for (size_t i = 0; i < count; i++)
		p->c->counts.overlapping_conflicts += begin(p, keys, begins[i].item);
}

struct coverage coverage_of(struct pool *pool, const struct history *h,
                            const struct check_options *options)
{
	struct coverage c = {0};
	struct pass p = {.g = pool_guard(pool),
	                 .pool = pool_child(pool),
	                 .h = h,
	                 .session_order = options->session_order,
	                 .skew = options->skew,
	                 .writing_session = NOBODY,
	                 .c = &c};
	guard_stage(p.g, "counting conflicts", h->txn_count);
	p.keys = pool_zarray(p.pool, key_count(&p) + 1, sizeof *p.keys);
	for (size_t i = 0; i < key_count(&p); i++)
		p.keys[i].writer_session = p.keys[i].reader_session = NOBODY;
	forget_parts(&p);
	for (uint32_t txn = 0; txn < h->txn_count; txn++) {
		if (h->txns[txn].status != ALIBI_ABORT)
			note_uses(&p, txn);
		p.g->done = txn;
	}
	sum_up_keys(&p);
	if (!c.foreign_reads)
		c.foreign_reads = finds_foreign_read(&p);
	if (c.counts.conflicts)
		find_conflicts(&p);
	if (h->queries)
		count_queries(&p);
	look_at_times(&p);
	c.counts.has_client_times = h->times != NULL;
	if (h->times && c.counts.conflicts)
		count_overlaps(&p);
	pool_release(p.pool);
	return c;
}

/* ---- what it says at a level ---- */

static const char no_times[] = "as far as client times say, nobody ended before another began";

/* Why a level says no more than the one below it, or NULL if it may: see coverage.h. apart: no two
 * sessions conflict, and a linear order exists. */
static const char *no_more_than_below(const struct coverage *c, struct replay_rules rules,
                                      bool times, bool apart)
{
	if (rules.realtime)
		return !times || apart ? no_times : NULL;
	if (rules.visible != VISIBLE_STATE)
		return rules.visible == VISIBLE_CAUSAL && apart
		               ? "no two sessions share a key that one of them writes"
		               : NULL;
	if (!rules.snapshot)
		return c->pivots ? NULL
		                 : "nobody reads what another session writes and writes what "
		                   "another session reads";
	if (rules.noconflict)
		return c->common_writers ? NULL : "no two sessions write one key";
	return (!times && !c->several_write) || apart ? "only one session writes" : NULL;
}

/* Takes the steps that there are, down from the level; *why gets the reasons. */
static const struct level *go_down(struct pool *pool, const struct coverage *c,
                                   const struct level *level, bool times, text_vec *why)
{
	bool apart = !c->counts.conflicts && (!times || c->times_hold);
	const char *reason;
	while ((reason = no_more_than_below(c, level->rules, times, apart))) {
		level = level_below(level);
		if (apart)
			why->count = 0; /* the last reason is why all steps were taken */
		text_addf(pool, why, "%s%s", why->count ? "; " : "", reason);
	}
	return level;
}

static void say_by_search(struct pool *pool, const struct coverage *c,
                          const struct check_options *options, alibi_coverage *at, text_vec *t)
{
	const struct level *level = options->level;
	bool asked = level->rules.realtime || options->time_order, times = asked && c->times_bind;
	text_vec why = {0};
	if (c->queries) {
		at->could_violate = true;
		at->says_no_more_than = level->name;
		return;
	}
	at->could_violate = c->foreign_reads || (times && !c->times_hold);
	if (!at->could_violate) {
		text_addf(pool, t,
		          "nothing in this history could have violated %s: no committed "
		          "transaction reads a key%s that another one writes. Let transactions "
		          "read what others write",
		          level->name, c->counts.queries ? ", or asks for keys," : "");
		return;
	}
	const struct level *reached = go_down(pool, c, level, times, &why);
	bool as_much = reached == level;
	at->says_no_more_than = reached->name;
	if (!as_much)
		text_addf(pool, t, "at %s this history says no more than at %s: %s. ", level->name,
		          at->says_no_more_than, text_string(pool, &why));
	else if (asked && !times)
		text_addf(pool, t, "clients' clocks were to count, but %s. ", no_times);
	else
		return;
	if (as_much || (level->rules.realtime && reached == level_below(level)))
		text_addf(pool, t, "Record when transactions begin and end");
	else
		text_addf(pool, t, "Let several sessions read and write the same keys%s",
		          asked && !times ? ", and record when transactions begin and end" : "");
}

void coverage_at(struct pool *pool, const struct coverage *c, const struct check_options *options,
                 alibi_result *result)
{
	alibi_coverage at = c->counts;
	text_vec t = {0};
	if (options->order == ALIBI_ORDER_NONE) {
		say_by_search(pool, c, options, &at, &t);
	} else {
		at.could_violate = true;
		at.says_no_more_than = options->level->name;
		if (!c->foreign_reads && !c->queries)
			text_addf(pool, &t,
			          "no committed transaction reads a key that another one writes, "
			          "so that only the timestamps themselves were checked. Let "
			          "transactions read what others write");
	}
	if (t.count && result->verdict == ALIBI_VALID)
		at.warning = text_string(pool, &t);
	at.counted = true;
	result->coverage = at; /* all of it, or nothing if a limit ends this */
}
