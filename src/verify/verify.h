/*
 * verify: believes a certificate, or says why not.
 *
 * An order is replayed by the kernel (replay.h). A refutation is checked step by step
 * against the history, by the definitions of docs/certificates.md: rules.c has the
 * steps that speak of the history, verify.c those that follow from others. Nothing
 * here is used by the search, and nothing of the search is used here.
 *
 * Cost. Linear in the history (and sorting it once) and in the certificate; for a
 * step about a list, in that list.
 */
#ifndef ALIBI_VERIFY_VERIFY_H
#define ALIBI_VERIFY_VERIFY_H

#include "replay/replay.h"

struct verify_rules {
	const char *level;
	struct replay_rules replay; /* session order counts or not, too */
};

/* NULL: accepted, and *verdict is proven. Else why it is not. */
const char *verify(struct pool *pool, const struct history *h, const struct verify_rules *rules,
                   const unsigned char *bytes, size_t length, enum alibi_verdict *verdict);

#endif
