/*
 * final_writes: which transactions finally wrote which value to which key.
 *
 * An index of the history for those who check evidence, made from the definition of a candidate
 * writer (docs/certificates.md): a transaction that is not aborted, and whose final write of the
 * key is the value. A list has no final write: each append counts. The search has its own
 * (order/problem.h, order/origins.h).
 *
 * Cost. A radix sort of the writes. Then a question is one look where no other key has the value,
 * else a binary search.
 */
#ifndef ALIBI_REPLAY_FINAL_WRITES_H
#define ALIBI_REPLAY_FINAL_WRITES_H

#include "base/radix.h"
#include "replay/opaque.h"

struct final_writes {
	struct keyed *items; /* by key and value; item: the transaction. Equal ones rise. */
	size_t count;        /* behind them stands one whose key is that of no write */
	uint32_t *of_value;  /* by value: the first item that has it, of whichever key */
	size_t values;
};

/* What opaque updates make of a transaction's own writes counts as written. */
void final_writes_init(struct final_writes *w, struct pool *pool, const struct history *h,
                       struct opaque *opaque);
/* The first who finally wrote the value to the key; others follow while their key is
 * radix_pair(key, value). */
const struct keyed *final_writes_of(const struct final_writes *w, uint32_t key, uint32_t value);

/* Not aborted. */
bool txn_counts(const struct history *h, uint32_t txn);
/* The database named no other writer of what the operation read. */
bool read_may_be_from(const struct history *h, uint32_t op, uint32_t writer);

#endif
