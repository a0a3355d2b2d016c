/*
 * lines: a stream from JSON Lines that come in pieces.
 *
 * Pieces are cut anywhere; what is left of a line waits for the rest. Lines go through
 * the reader of Alibi's format into the stream's builder, and every now and then, at the
 * latest at the end of a piece, the stream takes what was built. Small batches stay in
 * the cache.
 */
#ifndef ALIBI_STREAM_LINES_H
#define ALIBI_STREAM_LINES_H

#include "stream/stream.h"

struct stream_lines;

/* name: of the input, for messages. */
struct stream_lines *lines_new(struct pool *pool, struct stream *s, const char *name);
void lines_add(struct stream_lines *l, const char *bytes, size_t length);
size_t lines_left(const struct stream_lines *l); /* bytes without a line end */
/* What is left is a line, too. */
void lines_end(struct stream_lines *l);

#endif
