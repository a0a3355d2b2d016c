/*
 * level: isolation levels as rows of a table. A row says which rules an order must obey, and
 * says it in words; the pipeline reads the row and has no branch for a level by name.
 *
 * The rows form a chain, the weakest first: a history that holds at a level holds at every
 * weaker one. Each row but the first has a history that it forbids and the row before it
 * allows. The history of the first row is one that every level forbids, and allows if session
 * order is left out. They are those of examples/levels/, and from rc to ser what
 * `alibi synth --min --apart` finds, up to names: none is smaller. Tests hold all of this.
 */
#ifndef ALIBI_LEVEL_LEVEL_H
#define ALIBI_LEVEL_LEVEL_H

#include "replay/replay.h"

struct level {
	const char *name, *title;
	struct replay_rules rules;
	const char *definition, *forbids;           /* as alibi_level_info has them */
	const char *anomaly, *file, *history, *why; /* likewise */
};

size_t level_count(void);
const struct level *level_at(size_t index);
const struct level *level_below(const struct level *level); /* not of the weakest */
const struct level *level_named(const char *name);          /* NULL: no such */
/* For a message; realtime: also those at which client times count. */
const char *level_names(struct pool *pool, bool realtime);

#endif
