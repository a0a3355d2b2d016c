/* coverage: see coverage.h. This file: what the history has. */
#include "check/coverage.h"

#include "base/guard.h"
#include "base/ids.h"
#include "history/query.h"

#include <string.h>

/* A set of transactions or sessions, as far as it matters: ID_NONE, its only member, or this. */
#define SEVERAL (ID_NONE - 1)

enum { AHEAD = 24 }; /* operations whose keys are fetched early: they miss the caches */

static void include(uint32_t *set, uint32_t one)
{
	if (*set == ID_NONE)
		*set = one;
	else if (*set != one)
		*set = SEVERAL;
}

/* Does the set have a member besides this one? */
static bool has_other(uint32_t set, uint32_t one)
{
	return set != ID_NONE && (set != one || one == SEVERAL);
}

/* What transactions did with a key. */
struct key_use {
	uint32_t now;                            /* the part of the current one: see new_part() */
	uint32_t writer_session, reader_session; /* sets, of all that may have committed */
	uint32_t writers, readers, only_readers; /* numbers of transactions */
	uint32_t writer, reader;                 /* sets; aborted writers, too */
};

struct pass {
	struct guard *g;
	struct pool *pool;
	const struct history *h;
	bool session_order;
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

/* What the operation adds to the part. A read after an own write adds nothing, nor does one of
 * a transaction that may not have committed. */
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
	bool aborts = h->txns[txn].status == ALIBI_ABORT;
	uint32_t session = session_of(p, txn), start = nothing_yet(txn), end = txn_op_end(h, txn);
	for (uint32_t op = h->txns[txn].first_op; op < end; op++) {
		struct key_use *k = &p->keys[op_key(h->ops[op])];
		enum part part = new_part(p, &k->now, start, commits, h->ops[op]);
		guard_tick(p->g);
		if (op + AHEAD < h->op_count)
			__builtin_prefetch(&p->keys[op_key(h->ops[op + AHEAD])]);
		if (part == WRITES)
			include(&k->writer, txn);
		if (part == WRITES && !aborts) {
			include(&k->writer_session, session);
			include(&p->writing_session, session);
			k->writers++;
			k->only_readers -= k->now & READS;
		} else if (part == READS) {
			include(&k->reader, txn);
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
	       (k->writers && has_other(k->reader_session, k->writer_session));
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
		c->foreign_reads |= k->readers && has_other(k->writer, k->reader);
	}
	c->several_write = p->writing_session == SEVERAL;
}

/* Before another pass over the transactions. */
static void forget_parts(struct pass *p)
{
	for (size_t i = 0; i < key_count(p); i++)
		p->keys[i].now = ID_NONE;
}

/* Does the transaction conflict with other sessions, and is it a pivot? */
static bool in_conflict(struct pass *p, uint32_t txn)
{
	const struct history *h = p->h;
	bool commits = h->txns[txn].status == ALIBI_COMMIT;
	uint32_t session = session_of(p, txn);
	bool overwrites_read = false, reads_other = false, writes_too = false;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		struct key_use *k = &p->keys[op_key(h->ops[op])];
		enum part part = new_part(p, &k->now, nothing_yet(txn), commits, h->ops[op]);
		guard_tick(p->g);
		overwrites_read |= part == WRITES && has_other(k->reader_session, session);
		writes_too |= part == WRITES && has_other(k->writer_session, session);
		reads_other |= part == READS && has_other(k->writer_session, session);
	}
	p->c->pivots |= overwrites_read && reads_other;
	return overwrites_read || reads_other || writes_too;
}

/* Mostly ends soon: a session that is known to conflict is looked at again only while no pivot
 * is known. */
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

/* By relation: the set of transactions that write a key of it; behind the last one, any key. */
static uint32_t *find_relation_writers(struct pass *p)
{
	const struct history *h = p->h;
	uint32_t all = h->queries->relation_count;
	uint32_t *writer = pool_array(p->pool, (size_t)all + 1, sizeof *writer);
	memset(writer, 0xff, ((size_t)all + 1) * sizeof *writer); /* ID_NONE */
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
			const struct query *q = query_at(h, op);
			uint32_t of = h->queries->relation_of[op_key(h->ops[op])];
			guard_tick(p->g);
			if (!(q && q->opaque) && !op_writes(h->ops[op]))
				continue;
			include(&writer[all], txn);
			of = q ? q->relation : of;
			for (uint32_t i = 0; q && of == ID_NONE && i < all; i++)
				include(&writer[i], txn);
			if (of != ID_NONE)
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
		uint32_t of = q->relation == ID_NONE ? h->queries->relation_count : q->relation;
		while (h->txns[txn + 1].first_op <= q->op)
			txn++;
		if (h->txns[txn].status != ALIBI_COMMIT)
			continue;
		p->c->counts.queries++;
		p->c->counts.contended_queries += has_other(writer[of], txn);
	}
	p->c->queries = p->c->counts.contended_queries || h->queries->opaque_txn != ID_NONE;
}

struct coverage coverage_of(struct pool *pool, const struct history *h,
                            const struct check_options *options)
{
	struct coverage c = {0};
	struct pass p = {.g = pool_guard(pool),
	                 .pool = pool_child(pool),
	                 .h = h,
	                 .session_order = options->session_order,
	                 .writing_session = ID_NONE,
	                 .c = &c};
	guard_stage(p.g, "counting conflicts", h->txn_count);
	p.keys = pool_array(p.pool, key_count(&p) + 1, sizeof *p.keys);
	for (size_t i = 0; i < key_count(&p); i++)
		p.keys[i] = (struct key_use){ID_NONE, .writer_session = ID_NONE,
		                             .reader_session = ID_NONE, .writer = ID_NONE,
		                             .reader = ID_NONE};
	for (uint32_t txn = 0; txn < h->txn_count; txn++) {
		note_uses(&p, txn);
		p.g->done = txn;
	}
	sum_up_keys(&p);
	if (c.counts.conflicts)
		find_conflicts(&p);
	if (h->queries)
		count_queries(&p);
	coverage_times(&c, p.pool, h, options);
	c.overlap = options->session_order ? coverage_overlap(pool, h, options) : NULL;
	pool_release(p.pool);
	return c;
}
