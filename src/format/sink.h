/*
 * sink: where a writer's bytes go: standard output, a file, the files of a directory, a callback,
 * or memory. Buffered; an I/O error ends the job. A file is created with its first bytes, and
 * removed if its writer fails, so that a refused conversion leaves nothing behind.
 */
#ifndef ALIBI_FORMAT_SINK_H
#define ALIBI_FORMAT_SINK_H

#include "alibi.h"
#include "history/render.h"

/* Where a sink writes to: a path, or, if that is NULL, a callback. */
struct output {
	const char *path;
	alibi_write_fn *write;
	void *data;
};

struct sink {
	struct pool *pool; /* its own */
	struct guard *guard;
	struct output to;
	const char *name;   /* of the file being written, for messages */
	const char *suffix; /* of the files of a directory; NULL: it is a file */
	bool in_memory;     /* nothing is written; buffer has it all */
	int fd;             /* -1: none is open */
	text_vec buffer;
	text_vec dropped; /* what the format could not represent, separated by commas */
};

/* suffix not NULL: path becomes a directory, and sink_file() starts files in it. A directory that
 * has files with this suffix is refused: two histories would become one. */
struct sink *sink_open(struct pool *pool, const struct output *to, const char *suffix);
void sink_file(struct sink *s, const char *name);
/* Freed with the pool. */
struct sink *sink_in_memory(struct pool *pool);
/* Writes what is left. dropped text stays valid in the parent's pool. */
void sink_close(struct sink *s, struct pool *pool, const char **dropped);

void sink_add(struct sink *s, const void *bytes, size_t length);
void sink_text(struct sink *s, const char *text);
void sink_escaped(struct sink *s, enum escape_style style, const char *text, size_t length);
void sink_addf(struct sink *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sink_integer(struct sink *s, int64_t n);
void sink_value(struct sink *s, alibi_value v);                          /* as JSON; no list */
void sink_atom(struct sink *s, const struct history *h, uint32_t value); /* as JSON */

/* The format cannot represent this, and no verdict depends on it: it is dropped, and the user is
 * told once. */
void sink_drops(struct sink *s, const char *what);
/* The format cannot represent this, and a verdict may depend on it. */
_Noreturn void sink_refuse(struct sink *s, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

#endif
