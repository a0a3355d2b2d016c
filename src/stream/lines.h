/*
 * lines: JSON Lines that come in pieces.
 *
 * Text is cut anywhere; what is left of a line waits for the rest. Whole lines are cut
 * into pieces again, this time at line ends, one for each thread that reads. A piece goes
 * through the reader of Alibi's format into a builder of its own. With one thread pieces
 * are small, so that what was built is still in the cache when it is judged; with several
 * they are large, so that these seldom wait for each other.
 */
#ifndef ALIBI_STREAM_LINES_H
#define ALIBI_STREAM_LINES_H

#include "base/vec.h"
#include "history/builder.h"

struct line_parser;

/* Belongs to one thread while it is read. */
struct piece {
	struct pool *pool;
	struct builder *b;          /* what it says */
	struct line_parser *reader; /* NULL: nothing was read yet */
	const char *bytes;
	size_t length;
	uint64_t before; /* lines of the stream before it */
	uint32_t lines;  /* how many it has, once it is read */
	bool is_read;    /* to its end */
};

struct lines {
	struct pool *pool;
	const char *name; /* of the input, for messages */
	VEC(char) text;
	size_t at;    /* what is before was cut */
	size_t whole; /* lines end before this byte */
};

void lines_init(struct lines *l, struct pool *pool, const char *name);
void lines_add(struct lines *l, const char *bytes, size_t length);
size_t lines_left(const struct lines *l); /* bytes without a line end */

/* The next pieces, at most so many; how many there are. before: lines of the stream. */
uint32_t lines_cut(struct lines *l, struct piece *pieces, uint32_t most, uint64_t before);
/* Into its builder, which has nothing else. */
void piece_read(struct piece *p, const char *name);

#endif
