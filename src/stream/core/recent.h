/*
 * recent: a set of the latest values, of bounded size.
 *
 * When it is full, adding a value evicts the oldest. The values are a ring of large chunks: small
 * blocks between the short-lived memory of rounds would fragment it. A value costs some 50 bytes,
 * and more if it is long.
 */
#ifndef ALIBI_STREAM_CORE_RECENT_H
#define ALIBI_STREAM_CORE_RECENT_H

#include "stream/core/codec.h"
#include "stream/core/table.h"

struct recent {
	struct store *store;
	struct table known; /* of struct value, in the ring */
	VEC(struct value *) chunks;
	size_t most, next; /* places in the ring; the next one to fill */
};

void recent_init(struct recent *r, struct pool *pool, struct store *store, uint64_t seed,
                 size_t most);
bool recent_has(const struct recent *r, struct value v);
/* Copies it, unless it is there. */
void recent_add(struct recent *r, struct value v);
void recent_codec(struct recent *r, struct codec *c);

#endif
