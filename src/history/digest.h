/*
 * digest: a fingerprint of all in a history that a verdict depends on.
 */
#ifndef ALIBI_HISTORY_DIGEST_H
#define ALIBI_HISTORY_DIGEST_H

#include <stdint.h>

struct history;

struct digest {
	uint64_t high, low;
};

struct digest history_digest(const struct history *h);

#endif
