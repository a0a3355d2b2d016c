/*
 * lines: JSON Lines that come in pieces.
 *
 * Text arrives cut anywhere; an unfinished line waits for the rest. Whole lines are cut at line
 * ends into pieces, one for each thread. A piece is parsed by the reader of Alibi's format into a
 * builder of its own. With one thread pieces are small, so that the builder is still in the cache
 * when its transactions are checked; with several they are large, so that threads seldom wait for
 * each other.
 */
#ifndef ALIBI_STREAM_LINES_H
#define ALIBI_STREAM_LINES_H

#include "base/vec.h"
#include "history/builder.h"

struct line_parser;

/* Belongs to one thread while it is parsed. */
struct piece {
	struct pool *pool;
	struct builder *b;          /* what it says */
	struct line_parser *reader; /* NULL: nothing was parsed yet */
	const char *bytes;
	size_t length;
	uint64_t before; /* lines of the stream before it */
	uint32_t lines;  /* of it, once it is parsed */
	bool is_read;    /* to its end */
};

struct lines {
	struct pool *pool;
	const char *name; /* of the input, for messages */
	VEC(char) text;
	size_t at;    /* the text before this is cut */
	size_t whole; /* the text before this is whole lines */
};

void lines_init(struct lines *l, struct pool *pool, const char *name);
void lines_add(struct lines *l, const char *bytes, size_t length);
size_t lines_left(const struct lines *l); /* bytes without a line end */

/* Cuts at most so many pieces; returns how many. before: lines of the stream. */
uint32_t lines_cut(struct lines *l, struct piece *pieces, uint32_t most, uint64_t before);
/* Parses it into its builder, which must be empty. */
void piece_read(struct piece *p, const char *name);

#endif
