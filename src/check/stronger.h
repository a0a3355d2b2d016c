/*
 * stronger: what an order of a stronger level proves at the weaker ones.
 *
 * An order that explains a history at a level explains it at every weaker level, too. Mostly
 * there is a serial one, and it is found faster than anything that is less strict; and where
 * there is none, one with snapshots is still found faster than by a search for read choices.
 * So these are tried where the level's own search has many choices.
 */
#ifndef ALIBI_CHECK_STRONGER_H
#define ALIBI_CHECK_STRONGER_H

#include "check/search.h"

/* Of a serial order, for levels with snapshots: each transaction starts just before it
 * commits. */
struct search_result stronger_with_starts(struct pool *pool, const struct search_result *serial);

/* For levels with read choices: each read reads from the last writer before the start or, in a
 * serial order (snapshot: false), before the commit. */
struct search_result stronger_with_choices(struct pool *pool, const struct history *h,
                                           const struct search_result *order, bool snapshot);

#endif
