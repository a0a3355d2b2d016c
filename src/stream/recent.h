/*
 * recent: the latest values of a kind, to know them again.
 *
 * So many of the latest are known; when another one is added, the oldest of them is forgotten.
 * They stand in a ring of large pieces: small ones between what comes and goes in a round would
 * keep its memory from being used again. Each costs some 50 bytes, and more if it is long.
 */
#ifndef ALIBI_STREAM_RECENT_H
#define ALIBI_STREAM_RECENT_H

#include "stream/table.h"
#include "stream/tape.h"

struct recent {
	struct store *store;
	struct table known; /* of struct value, in the ring */
	VEC(struct value *) pieces;
	size_t most, next; /* places in the ring; the next one to be filled */
	uint64_t seed;
};

void recent_init(struct recent *r, struct pool *pool, struct store *store, uint64_t seed,
                 size_t most);
bool recent_has(const struct recent *r, struct value v);
/* Copied, if it is not known yet. */
void recent_add(struct recent *r, struct value v);
void recent_tape(struct recent *r, struct tape *t);

#endif
