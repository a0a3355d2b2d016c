/*
 * written: an index of writes by key and value, in the order of the history: does a value identify
 * its writer?
 *
 * Cost. 16 bytes a write; a look-up is a binary search.
 */
#ifndef ALIBI_FORMAT_WRITTEN_H
#define ALIBI_FORMAT_WRITTEN_H

#include "base/radix.h"
#include "history/history.h"

struct written {
	struct keyed *writes; /* item: the operation */
	size_t count;
};

/* The writes of one value to one key, in the order of the history. */
struct writers {
	const struct keyed *writes;
	size_t count;
};

struct written written_index(struct pool *pool, const struct op *ops, size_t op_count);
struct writers written_to(const struct written *w, uint32_t key, uint32_t value);

/* The last of them in a transaction; ID_NONE: there is none. */
uint32_t writers_in(struct writers w, const struct history *h, uint32_t txn);
bool writers_only(struct writers w, const struct history *h, uint32_t txn);

#endif
