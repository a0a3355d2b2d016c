/*
 * history: what the clients of a database saw, in flat arrays.
 *
 * Sessions, transactions, operations, keys and values are dense numbers from 0;
 * facts about them are arrays indexed by these numbers. Operations of a
 * transaction are a range of `ops`, transactions of a session a range of
 * `session_txns`; nothing is linked by pointers. What most histories do not have
 * (ids, client times, timestamps, named writers, info) costs them nothing.
 *
 * A history is made by a builder (builder.h) and never changes afterwards.
 *
 * Invariants.
 * 1. txn_count, op_count, session_count and the number of keys are below
 *    KEY_LIMIT; op ranges of consecutive transactions touch.
 * 2. On a list key there are only appends and reads, and each read's value is a
 *    list (the empty one for null). On any other key no value is a list.
 * 3. from[] is sorted by operation, info[] by transaction, initial[] by key.
 * 4. A read of the key of queries (query.h) has the value that key has initially.
 *
 * Cost. 8 bytes an operation, 16 a transaction, and the optional columns.
 */
#ifndef ALIBI_HISTORY_HISTORY_H
#define ALIBI_HISTORY_HISTORY_H

#include "alibi.h"
#include "history/atoms.h"

enum { KIND_SHIFT = 29, KEY_LIMIT = 1 << KIND_SHIFT };

/* An operation: key and kind share a word. A delete writes ATOM_NULL. */
struct op {
	uint32_t kind_and_key;
	uint32_t value;
};

static inline uint32_t op_key(struct op o)
{
	return o.kind_and_key & (KEY_LIMIT - 1);
}

static inline enum alibi_op_kind op_kind(struct op o)
{
	return (enum alibi_op_kind)(o.kind_and_key >> KIND_SHIFT);
}

static inline bool op_writes(struct op o)
{
	return op_kind(o) != ALIBI_READ;
}

enum { BOTH_TIMES = ALIBI_HAS_BEGIN | ALIBI_HAS_END };

struct txn {
	uint32_t first_op;
	uint32_t session;
	uint32_t
	        number; /* line of the file, or the place in it, from 1: the id if none was given */
	uint8_t status; /* enum alibi_status */
	uint8_t has;    /* enum alibi_has */
};

struct client_times {
	int64_t begin, end;
};

struct stamps {
	alibi_stamp start, commit;
};

static inline int stamp_compare(alibi_stamp a, alibi_stamp b)
{
	if (a.physical != b.physical)
		return a.physical < b.physical ? -1 : 1;
	return a.logical < b.logical ? -1 : a.logical > b.logical;
}

/* What commit_ts says besides the version order; start_ts is always the snapshot of the reads. */
enum stamp_meaning {
	STAMPS_UNSAID,
	STAMPS_SNAPSHOT, /* nothing */
	STAMPS_SERIAL,   /* the transactions are serial in this order */
};

struct read_from {
	uint32_t op;
	uint32_t writer; /* ID_NONE: the initial version */
};

struct txn_info {
	uint32_t txn;
	uint32_t length;
	uint64_t offset; /* into texts */
};

struct annotation {
	int64_t at;
	bool has_at;
	uint32_t before_txn; /* it stood in the file before this transaction */
	uint32_t length;
	uint64_t offset; /* into texts: JSON */
};

struct initial_value {
	uint32_t key, value;
};

struct history {
	struct pool *pool;
	const char *file;   /* the name it was loaded from, or NULL */
	const char *format; /* the name of the format, or NULL */

	struct atoms keys, values;
	struct atoms names; /* session names and transaction ids */

	uint32_t txn_count, op_count, session_count;
	struct txn *txns; /* one more than txn_count: the last has only first_op */
	struct op *ops;
	bool *key_is_list;       /* by key */
	uint32_t *session_first; /* session_count + 1 places in session_txns */
	uint32_t *session_txns;  /* transactions, by session, in session order */
	uint32_t *session_name;  /* in names; ID_NONE: anonymous */

	uint32_t *txn_id;           /* in names; ID_NONE: number; NULL: none has one */
	struct client_times *times; /* NULL: none has any; else see txn.has */
	struct stamps *stamps;      /* likewise */
	VEC(struct read_from) from;
	VEC(struct txn_info) info;
	VEC(struct annotation) annotations;
	VEC(char) texts;

	struct queries *queries; /* NULL: there are none; see query.h */

	VEC(struct initial_value) initial;
	uint32_t initial_default;           /* in values */
	uint32_t empty_list;                /* in values; ID_NONE: there are no list keys */
	const char *claimed_level, *source; /* NULL: not given */
	enum stamp_meaning stamp_meaning;
	const struct availability *availability; /* NULL: not known; see availability.h */
	bool has_skew;
	int64_t skew;
	bool only_past;   /* times are not of clocks: they only say what is long past */
	bool nanoseconds; /* the unit of the times, as the format says; see units.h */
};

static inline uint32_t txn_op_end(const struct history *h, uint32_t txn)
{
	return h->txns[txn + 1].first_op;
}

static inline bool txn_writes(const struct history *h, uint32_t txn)
{
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++)
		if (op_writes(h->ops[op]))
			return true;
	return false;
}

/* The transaction of an operation. */
uint32_t history_txn_at(const struct history *h, uint32_t op);

/* The value of a key before its first write. */
uint32_t history_initial(const struct history *h, uint32_t key);

/* The transaction that the database named as the writer of a read; false: it
 * named none. */
bool history_read_from(const struct history *h, uint32_t op, uint32_t *writer);

/* Do the clients' clocks say that s had ended before t began, even if they differ by as
 * much as skew? */
bool history_ended_before(const struct history *h, uint32_t s, uint32_t t, uint64_t skew);
/* Keeps, of all that were noted, the two that began last by these clocks; ID_NONE at first. */
void history_note_begin(const struct history *h, uint32_t txn, uint32_t begun[2]);
/* Of these, the one that began last and is not txn; or ID_NONE. */
static inline uint32_t begun_last(const uint32_t begun[2], uint32_t txn)
{
	return begun[begun[0] == txn];
}

/* Its id as the user knows it. */
alibi_value history_txn_id(const struct history *h, uint32_t txn);

/* By transaction: the last committed one before it in its session, or ID_NONE. */
uint32_t *history_session_before(struct pool *pool, const struct history *h);

alibi_stats history_stats(const struct history *h);

#endif
