/*
 * sink: where a writer's bytes go: standard output, a file, the files of a
 * directory, or memory. Buffered; an error of the system ends the job with its reason.
 * A file comes into being with its first bytes, and goes again if its writer
 * fails, so that a refused conversion leaves nothing behind.
 */
#ifndef ALIBI_FORMAT_SINK_H
#define ALIBI_FORMAT_SINK_H

#include "alibi.h"
#include "history/render.h"

struct sink {
	struct pool *pool; /* its own */
	struct guard *guard;
	const char *path, *name; /* name: of the file being written, for messages */
	const char *suffix;      /* of the files of a directory; NULL: it is a file */
	bool in_memory;          /* nothing is written; buffer has it all */
	int fd;                  /* -1: none is open */
	text_vec buffer;
	text_vec dropped; /* what the format could not say, as a list of nouns */
};

/* suffix not NULL: path is made a directory, and sink_file() starts files in it. One that
 * has files with that suffix already is refused: two histories would become one. */
struct sink *sink_open(struct pool *pool, const char *path, const char *suffix);
void sink_file(struct sink *s, const char *name);
/* Goes with the pool. */
struct sink *sink_in_memory(struct pool *pool);
/* Writes what is left. dropped text stays valid in the parent's pool. */
void sink_close(struct sink *s, struct pool *pool, const char **dropped);

void sink_add(struct sink *s, const void *bytes, size_t length);
void sink_text(struct sink *s, const char *text);
void sink_addf(struct sink *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sink_integer(struct sink *s, int64_t n);
void sink_value(struct sink *s, alibi_value v);                          /* as JSON; no list */
void sink_atom(struct sink *s, const struct history *h, uint32_t value); /* as JSON */

/* The format cannot say this, and a verdict does not depend on it: it is left
 * out, and the user is told once. */
void sink_drops(struct sink *s, const char *what);
/* The format cannot say this, and without it the history would be another. */
_Noreturn void sink_refuse(struct sink *s, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

#endif
