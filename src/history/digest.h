/*
 * digest: a fingerprint of all in a history that a verdict depends on.
 */
#ifndef ALIBI_HISTORY_DIGEST_H
#define ALIBI_HISTORY_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct history;

struct digest {
	uint64_t high, low;
};

/* One that goes on from another with these bytes. */
struct digest digest_add(struct digest d, const char *bytes, size_t length);

struct digest history_digest(const struct history *h);

#endif
