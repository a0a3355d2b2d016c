/*
 * alibi_read: Alibi's own format, a line at a time. Files are read this way, and
 * streams that have no end.
 */
#ifndef ALIBI_FORMAT_ALIBI_READ_H
#define ALIBI_FORMAT_ALIBI_READ_H

#include "format/source.h"

struct builder;
struct reader;

/* name: of the input, for messages. from_start: a header may come first. */
struct reader *reader_new(struct pool *pool, struct builder *b, const char *name, bool from_start);

/* Adds what the line says to the builder. It is followed by a line end or by
 * SOURCE_PADDING zeros, in any case by SOURCE_PADDING readable bytes. place: its number
 * in the input, for messages; number: the id of a transaction that has none. */
void reader_line(struct reader *r, struct text line, uint64_t place, uint32_t number);

#endif
