/*
 * verify: believes a certificate, or says why not.
 *
 * A certificate is bytes: one line of text (its version, the level, whether session
 * order counts, a digest of the history, the verdict), then numbers, seven bits a
 * byte, least first. For `valid` these are the events of an order, as differences,
 * which the kernel replays; for `violates` the steps of steps.h, each the kind, the
 * number of its words, and the words.
 *
 * Nothing here is shared with the search: each step is checked against the history
 * from scratch, by its definition, with an index of who finally wrote what.
 *
 * Cost. Linear in the history (and sorting it once) and in the certificate; for a
 * step about a list, in that list.
 */
#ifndef ALIBI_VERIFY_VERIFY_H
#define ALIBI_VERIFY_VERIFY_H

#include "replay/replay.h"

#include "verify/steps.h"
#include <inttypes.h>

/* The first line: level, session order (on, off), digest, verdict. */
#define VERIFY_HEADER                                                                              \
	"alibi certificate 1 level %s session-order %s history %016" PRIx64 "%016" PRIx64 " %s\n"

struct verify_rules {
	const char *level;
	struct replay_rules replay;
	bool session;
};

/* NULL: accepted, and *verdict is proven. Else why it is not. */
const char *verify(struct pool *pool, const struct history *h, const struct verify_rules *rules,
                   const unsigned char *bytes, size_t length, enum alibi_verdict *verdict);

#endif
