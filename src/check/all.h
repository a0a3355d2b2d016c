/*
 * all: every level in one run, and which is the strongest that holds.
 *
 * The levels form a chain: what holds at one holds at all weaker ones, by the
 * definitions. So they are checked from the strongest down, until one holds; the rest
 * follows. Each level that does not hold has evidence of its own. Without client times strict
 * serializability is serializability.
 *
 * Cost. That of the levels that do not hold, and of one that does.
 */
#ifndef ALIBI_CHECK_ALL_H
#define ALIBI_CHECK_ALL_H

#include "check/check.h"

/* options->level is not looked at. */
const alibi_levels *check_all(struct pool *pool, const struct history *h,
                              const struct check_options *options);

#endif
