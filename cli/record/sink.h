/*
 * sink: where a journal's bytes go, a `const struct` each: a file, or a stream of NATS.
 *
 * A sink gets parts of whole lines, one at a time, and never waits for long when it takes
 * one. If it is full, the clients begin no transaction until it is not: a history in which
 * some transactions are missing would look like violations.
 */
#ifndef ALIBI_RECORD_SINK_H
#define ALIBI_RECORD_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sink {
	size_t part_bytes;    /* how large a part should be, at least … */
	uint64_t patience_ns; /* … unless it has waited for so long */
	/* NULL: it was complained. */
	void *(*open)(const char *path);
	void (*write)(void *own, const char *data, size_t length);
	bool (*is_full)(void *own);
	bool (*failed)(void *own); /* nothing more will be written */
	/* False: not all could be written; it was complained. */
	bool (*close)(void *own);
};

extern const struct sink sink_file, sink_nats;

#endif
