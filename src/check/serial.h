/*
 * serial: what a serial order proves at the weaker levels.
 *
 * A serial order that explains a history explains it at every weaker level, too, and
 * mostly there is one, and it is found faster than anything that is less strict. So the
 * search tries for it where the level's own search has much to choose from.
 */
#ifndef ALIBI_CHECK_SERIAL_H
#define ALIBI_CHECK_SERIAL_H

#include "check/search.h"

/* For levels with snapshots: each transaction starts just before it commits. */
struct search_result serial_with_starts(struct pool *pool, const struct search_result *serial);

/* For levels where it matters from whom a value was read: from the last writer before. */
struct search_result serial_with_choices(struct pool *pool, const struct history *h,
                                         const struct search_result *serial);

#endif
