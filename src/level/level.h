/*
 * level: isolation levels as rows of a table. A row says what a replay must
 * obey; the pipeline reads the row and has no branch for a level by name.
 */
#ifndef ALIBI_LEVEL_LEVEL_H
#define ALIBI_LEVEL_LEVEL_H

#include "replay/replay.h"

struct level {
	const char *name, *title;
	struct replay_rules rules;
};

size_t level_count(void);
const struct level *level_at(size_t index);
const struct level *
level_below(const struct level *level);            /* the next weaker one; not of the weakest */
const struct level *level_named(const char *name); /* NULL: no such */
const char *level_names(struct pool *pool);        /* all of them, for a message */

#endif
