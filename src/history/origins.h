/*
 * origins: who can have left what a read found.
 *
 * For those who check evidence: asked about one operation at a time, answered from
 * the history alone, by an index of who finally wrote which value to which key.
 * Nothing is shared with the search, which asks such things of a whole history at
 * once (order/problem.h).
 *
 * A candidate of a read is a transaction other than the reader, not aborted, whose
 * final write of the key is the value read, and whom the database named, if it
 * named one. A read of a list has candidates, too: sequences of transactions whose
 * appends, one after another, are the list, the reader's own at the end taken off.
 *
 * Cost. A radix sort of the writes; then a binary search a question, and for a
 * list, its elements.
 */
#ifndef ALIBI_HISTORY_ORIGINS_H
#define ALIBI_HISTORY_ORIGINS_H

#include "base/radix.h"
#include "history/open.h"

/* A block of a list that is being matched: its first element, and which append of that
 * element is tried for it. */
struct matching {
	size_t at, write;
};

/* What was asked last: about a read, a query (q), or what an open update met (neither). */
struct asked {
	uint32_t reader, key;
	uint32_t read; /* NO_ROW: it is none */
	const struct query *q;
	uint32_t row, outcome;
};

struct origins {
	struct pool *pool;
	struct guard *guard;
	const struct history *h;
	uint32_t *txn_of_op;
	struct keyed *writes; /* final writes and all appends, by key and value; item: who */
	size_t write_count;
	bool *repeats; /* by key: a list with an element that was appended twice */
	struct asked asked;
	VEC(uint32_t) found;
	VEC(uint32_t) perhaps;      /* those who left it if an open update changed the key so */
	VEC(size_t) ends;           /* of choices: where each ends in found */
	VEC(struct matching) tried; /* of a list whose elements repeat */
	bool *used;
};

/* The read of a list: what of it others appended. */
struct list_read {
	uint32_t op, key, reader;
	const uint32_t *items;
	size_t count;
	bool own; /* the reader appended, too: the named writer, if any, is itself */
};

void origins_index(struct origins *o, struct pool *pool, const struct history *h);

bool origins_takes_part(const struct origins *o, uint32_t txn);
/* Does txn, which takes part, write the key? */
bool origins_writes(const struct origins *o, uint32_t txn, uint32_t key);

/* A read of a committed transaction; *own: how often it wrote the key before. */
bool origins_is_read(const struct origins *o, uint32_t op, uint32_t *own);

/* An external read of a register: fills found with its candidates, in the order of
 * the history, and perhaps, in that order; *initial: the initial version is one too. False: it is
 * not such a read. */
bool origins_of(struct origins *o, uint32_t op, bool *initial);
/* The same of what is known to be one. */
void origins_candidates(struct origins *o, uint32_t op, bool *initial);

/* What a query of a committed transaction tells of a key that this did not write before:
 * fills found with those whose final write of the key explains it. False: it tells nothing,
 * or the row is an ordinary read. */
bool origins_of_query(struct origins *o, uint32_t op, uint32_t key, bool *initial);

/* Who does not leave at key what makes txn, which reaches it, leave `outcome` there. */
void origins_of_open(struct origins *o, uint32_t txn, uint32_t key, uint32_t outcome,
                     bool *initial);
/* Would it explain what was asked about last, if writer (NO_TXN: nobody) left this? */
bool origins_explains(const struct origins *o, uint32_t writer, uint32_t value);

bool origins_list(const struct origins *o, uint32_t op, struct list_read *r);
/* Do txn's appends to the list follow at `at`? How many elements do; *all: all of them. */
size_t origins_block(const struct origins *o, const struct list_read *r, size_t at, uint32_t txn,
                     bool *all);
/* Of a list whose elements are unique: fills found with the one candidate sequence;
 * false: there is none. */
bool origins_of_list(struct origins *o, const struct list_read *r);
/* Did the database name another one than `last` as the writer of what was read? */
bool origins_named_other(const struct origins *o, const struct list_read *r, uint32_t last);
/* All candidates of a read, one after another: sequences that end with whom it was read
 * from; the empty one is the initial version. Fills found and ends. False: own writes or
 * an equal read before explain it, it is no read of a committed transaction, or there are
 * more than max, or much more was tried than that. */
bool origins_choices(struct origins *o, uint32_t op, size_t max);
/* How often did these transactions, in the order of the history, append the element to the
 * list; or, if not `these`, all others? Not counting the reader. */
size_t origins_appends(const struct origins *o, const struct list_read *r, uint32_t element,
                       const uint32_t *txns, size_t count, bool these);

#endif
