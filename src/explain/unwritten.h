/*
 * unwritten: is a read of a value that no transaction wrote garbage, or was the value there before?
 *
 * Where the initial value of the key is not stated, and all such reads of the key found the same
 * value, it may be the initial one. The verdict is right all the same: by its header, the key was
 * absent. But what is missing is likely a line of the header, so the anomaly is not called garbage,
 * and comes with advice.
 *
 * Cost. Two passes over the history.
 */
#ifndef ALIBI_EXPLAIN_UNWRITTEN_H
#define ALIBI_EXPLAIN_UNWRITTEN_H

#include "explain/name.h"

struct unwritten {
	enum anomaly anomaly;         /* ANOMALY_GARBAGE_READ or ANOMALY_UNWRITTEN_READ */
	const char *summary, *advice; /* advice: NULL: none */
};

/* op: a read, in the whole history, of a value of a register that no transaction wrote. */
struct unwritten unwritten_read(struct pool *pool, const struct history *h, uint32_t op);

#endif
