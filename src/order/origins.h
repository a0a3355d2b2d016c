/*
 * origins: which transactions can have written what a read found, one read at a time.
 *
 * For the search at the weak levels, where the elements of a list repeat, and for explanations.
 * The search asks such things of a whole history at once (order/problem.h); the verifier has an
 * index of its own (replay/final_writes.h, verify/candidates.h).
 *
 * A candidate of a read is a transaction other than the reader, not aborted, whose
 * final write of the key is the value read, and that the database named, if it
 * named one. A read of a list has candidates, too: sequences of transactions whose
 * appends, one after another, are the list, the reader's own at the end taken off.
 *
 * Cost. A radix sort of the writes; then a binary search a question, and for a
 * list, its elements.
 */
#ifndef ALIBI_ORDER_ORIGINS_H
#define ALIBI_ORDER_ORIGINS_H

#include "base/ids.h"
#include "base/radix.h"
#include "history/opaque_update.h"

/* A block of a list that is being matched: its first element, and which append of that
 * element is tried for it. */
struct matching {
	size_t at, write;
};

struct origins {
	struct pool *pool;
	struct guard *guard;
	const struct history *h;
	uint32_t *txn_of_op;
	struct keyed *writes; /* final writes and all appends, by key and value; item: the writer */
	size_t write_count;
	VEC(uint32_t) found;
	VEC(size_t) ends;           /* of choices: where each ends in found */
	VEC(struct matching) tried; /* of a list */
	bool *used;
};

void origins_index(struct origins *o, struct pool *pool, const struct history *h);

bool origins_takes_part(const struct origins *o, uint32_t txn);
/* Is txn not aborted, and does it write the key? */
bool origins_writes(const struct origins *o, uint32_t txn, uint32_t key);

/* A query of a committed transaction, and a key that this did not write before: fills found with
 * the writers whose final write of the key explains the result. False: the query does not say
 * anything of the key, or its row is an ordinary read. */
bool origins_of_query(struct origins *o, uint32_t op, uint32_t key, bool *initial);

/* All candidates of a read, one after another: sequences that end with the transaction it was read
 * from; the empty one is the initial version. Fills found and ends. False: own writes or
 * an equal read before explain it, it is no read of a committed transaction, or there are
 * more than max, or much more was tried than that. */
bool origins_choices(struct origins *o, uint32_t op, size_t max);

#endif
