/*
 * source: the bytes of one input: a file, standard input ("-"), one file of a directory, or
 * memory. gzip, xz and zstd are recognised by their first bytes and decompressed. A format reads it
 * line by line, in a window that holds at least one line, or as a whole.
 *
 * Text is always followed by SOURCE_PADDING readable bytes, zeros after the last line, so that
 * parsers may look ahead without checks.
 */
#ifndef ALIBI_FORMAT_SOURCE_H
#define ALIBI_FORMAT_SOURCE_H

#include "base/vec.h"

#include <stdbool.h>

enum { SOURCE_PADDING = 64 };

struct text {
	const char *bytes;
	size_t length;
};

struct source {
	struct pool *pool; /* its own: source_close() releases it */
	struct guard *guard;
	const char *name;
	int fd;            /* -1: the input is in memory, … */
	struct text bytes; /* … and this is what has not been read */
	char *raw;         /* as read from the file */
	size_t raw_at, raw_end;
	const struct unpacker *unpacker; /* NULL: not packed */
	void *unpacking;
	bool raw_ended, ended;
	char *window; /* unpacked, from at to end */
	size_t at, end, capacity;
};

struct source *source_open(struct pool *pool, const char *path);
/* name: for messages. The bytes stay the caller's. */
struct source *source_memory(struct pool *pool, const char *name, struct text bytes);
void source_close(struct source *s);

/* The first bytes, up to wanted, without consuming them. */
struct text source_peek(struct source *s, size_t wanted);

/* Skips a byte order mark. */
void source_skip_mark(struct source *s);

/* The next line, without its end; false: there is none. Valid until the next call. */
bool source_line(struct source *s, struct text *line);

/* All that is left; valid until the source is closed. */
struct text source_whole(struct source *s);

/* The paths of the regular files below a directory (not deeper) whose names end
 * in suffix, packed or not, in natural order: T2 before T10. */
bool source_is_directory(const char *path);
typedef VEC(const char *) path_vec;
void source_list(struct pool *pool, const char *directory, const char *suffix, path_vec *paths);

#endif
