/*
 * options: what a stream is asked; see alibi_watch_options.
 */
#ifndef ALIBI_STREAM_CORE_OPTIONS_H
#define ALIBI_STREAM_CORE_OPTIONS_H

#include "level/level.h"
#include "stream/core/keys.h"

struct stream_options {
	const struct level *level;
	bool session_order;
	const char *initial; /* JSON, or NULL */
	bool has_horizon;
	uint64_t horizon, longest;
	struct shard shard;       /* of the keys; {0}: all */
	const alibi_store *store; /* for keys, or NULL */
	void *store_data;
	size_t store_above;
	bool client_times; /* the engine: rounds by the clients' clocks */
	bool has_skew;
	uint64_t skew;
	size_t round;
	const char *fence; /* the engine: fences at this key, as JSON; or NULL */
	uint64_t sessions; /* then: at least so many */
};

#endif
