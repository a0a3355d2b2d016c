/*
 * sink: where a journal's bytes go: a file or a NATS stream.
 *
 * A sink takes blocks of whole lines, and never blocks for long. If it is full, clients begin no
 * more transactions until it is not: a history with missing transactions would look like
 * violations.
 */
#ifndef ALIBI_RECORD_SINK_H
#define ALIBI_RECORD_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct journal_sink {
	size_t part_bytes;    /* minimum size of a block … */
	uint64_t patience_ns; /* … unless it is this old */
	/* NULL: the error has been reported. */
	void *(*open)(const char *path);
	void (*write)(void *own, const char *data, size_t length);
	bool (*is_full)(void *own);
	bool (*failed)(void *own); /* it takes no more */
	/* False: not all could be written; the error has been reported. */
	bool (*close)(void *own);
};

extern const struct journal_sink journal_file, journal_nats;

#endif
