/*
 * alibi_read: Alibi's own format, a line at a time: for files, and for streams that have no end.
 */
#ifndef ALIBI_FORMAT_ALIBI_READ_H
#define ALIBI_FORMAT_ALIBI_READ_H

#include "format/source.h"

struct builder;
struct line_parser;

/* name: of the input, for messages. from_start: the first line may be a header. */
struct line_parser *line_parser_new(struct pool *pool, struct builder *b, const char *name,
                                    bool from_start);

/* Parses one line into the builder. The line must be followed by a line end or by zeros, and by
 * SOURCE_PADDING readable bytes in any case. place: its number in the input, for messages;
 * number: the id of a transaction without one. */
void line_parser_read(struct line_parser *r, struct text line, uint64_t place, uint32_t number);

#endif
