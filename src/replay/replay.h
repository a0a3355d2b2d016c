/*
 * replay: the trusted kernel. An order of events in, all mismatches out.
 *
 * A history holds at a level exactly when some order of its events replays to
 * what was recorded. This is the function that replays. It does not trust the order,
 * which may come from timestamps, a search or a certificate.
 *
 * What is replayed (snapshot isolation; in brackets serializable):
 *   A transaction starts and commits. [It has one event, at which it does both.]
 *   SESSION     the transactions of its session before it committed before it starts.
 *   INT         a read of a key that the transaction read or wrote before returns that.
 *   EXT         any other read returns what the last commit before the start left.
 *   NOCONFLICT  of two transactions that write one key, one commits before the
 *               other starts. [Does not apply.]
 *
 *   A query     finds every key of its relation whose row matches, and no other; an
 *               update, and made of it what is reported. What it finds is what a read would:
 *               INT for keys that the transaction wrote, EXT for the others.
 *
 * Events may share an instant (the database gave them one timestamp). Then all
 * commits of the instant come before all starts, except that a transaction does not
 * see its own commit in its snapshot; two commits of one key in one instant conflict.
 * [With one event a transaction, an instant says nothing about who came first:
 * where that matters, TIE is reported, which is neither right nor wrong.]
 *
 * Statuses. Every committed transaction must be in the order, an aborted one
 * must not. An unknown one may be: its writes count then, its reads do
 * not, and later transactions of its session need not wait for it.
 * A read whose writer the database named must also find that writer.
 *
 * Cost. Linear in the operations, the elements of lists read, and the conflicts
 * reported; 40 bytes a key, 12 a transaction, 8 a write.
 */
#ifndef ALIBI_REPLAY_REPLAY_H
#define ALIBI_REPLAY_REPLAY_H

#include "history/query.h"

/* Which transactions are visible to another; but for the first, see visible.h. */
enum visibility { VISIBLE_STATE, VISIBLE_EARLIER, VISIBLE_DIRECT, VISIBLE_CAUSAL };

struct replay_rules {
	bool snapshot;     /* a transaction has a start and a commit; else only a commit */
	bool noconflict;   /* with snapshot: overlapping transactions write different keys */
	bool realtime;     /* what ended before another began comes first … */
	uint64_t skew;     /* … if that is more than the clients' clocks may differ */
	bool no_session;   /* SESSION does not apply */
	bool unrepeatable; /* INT holds for own writes only */
	enum visibility visible;
};

/* An event: transaction, which of the two, and whether it shares the instant of
 * the event before it. */
typedef uint32_t replay_event;

static inline replay_event event_of(uint32_t txn, bool commit, bool tied)
{
	return txn << 2 | (uint32_t)tied << 1 | (uint32_t)commit;
}

#define event_txn(event) ((event) >> 2)

#define MISMATCHES(X)                                                                              \
	X(SESSION)                                                                                 \
	X(INT)                                                                                     \
	X(EXT)                                                                                     \
	X(NOCONFLICT)                                                                              \
	X(REALTIME)                                                                                \
	X(TIE)   /* one instant, and it matters who came first */                                  \
	X(ORDER) /* not an order of this history's events: txn is missing, or there twice */

#define X(name) MISMATCH_##name,
enum mismatch_kind { MISMATCHES(X) };
#undef X

struct elements {
	const uint32_t *items;
	size_t count;
};

struct mismatch {
	enum mismatch_kind kind;
	uint32_t txn;
	uint32_t other;    /* SESSION: who should have come first; INT, EXT: who wrote what was
	                    * expected (ID_NONE: the initial version);
	                    * NOCONFLICT, TIE: the other one; ORDER: ID_NONE */
	uint32_t op;       /* the read, or ID_NONE; of a query, the query itself, or, if it does
	                    * not match at all, its row */
	uint32_t key;      /* meaningful for all but SESSION and ORDER */
	bool wrong_writer; /* the value is right, but from another writer than the database said */
	/* What was expected: a value, or, on list keys, these elements: those that were
	 * there and those that txn appended. They are valid during the report. */
	uint32_t expected;
	struct elements there, appended;
};

/* Called for each mismatch; false ends the replay. */
typedef bool replay_report(void *data, const struct mismatch *m);

/* True: it ran to the end. The order holds if it did and reported nothing. */
bool replay(struct pool *pool, const struct history *h, struct replay_rules rules,
            const replay_event *events, size_t count, replay_report *report, void *data);

#endif
