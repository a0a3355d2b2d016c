/*
 * job: what the files of alibi.h share.
 *
 * Each function enters the guard of its job, does the work, and turns a failure into
 * NULL or false. What is changed behind the guard, and looked at when it was left, is volatile.
 */
#ifndef ALIBI_API_JOB_H
#define ALIBI_API_JOB_H

#include "alibi.h"
#include "base/searching.h"
#include "history/builder.h"

#include <assert.h>

struct level;
struct shards;

struct alibi {
	struct guard guard;
	struct pool *pool;
	struct pool *scratch; /* of what is valid until the next call; or NULL */
	struct said *said;
	struct searching searching;
};

/* The guard's error with its text escaped, which alibi_last_error() returns. */
struct said {
	alibi_error error;
	char text[2 * ERROR_TEXT_MAX];
};

struct alibi_builder {
	alibi *job;
	struct builder *b;
	uint32_t number;
	bool finished;
	struct shards *stream; /* that takes what is built; NULL: it becomes a history */
};

/* Gives what was built to the stream. */
void api_take_built(alibi_builder *b);

/* The level of this name; fails if there is none, or timestamps cannot be replayed at it. */
const struct level *api_level(alibi *a, const char *name, bool by_timestamps);

/* What the timestamps mean, by its name or NULL; fails if there is no such meaning. */
enum stamp_meaning api_stamp_meaning(alibi *a, const char *name);

static inline const struct history *inside(const alibi_history *h)
{
	assert(h);
	return (const struct history *)h;
}

#endif
