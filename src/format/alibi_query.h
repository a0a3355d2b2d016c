/* alibi_query: reads and writes queries in Alibi's own format (docs/history-format.md). */
#ifndef ALIBI_FORMAT_ALIBI_QUERY_H
#define ALIBI_FORMAT_ALIBI_QUERY_H

#include "format/json.h"
#include "format/sink.h"

/* Reads what follows ["q" or ["u", up to the closing bracket of the operation. */
void alibi_read_query(struct json *j, struct builder *b, bool update);

/* A row of the history, which is canonical text without anything behind it: a row_reader. */
void alibi_read_row(struct pool *pool, alibi_value row, struct queries *x);

/* Writes the whole operation. */
void alibi_write_query(const struct history *h, struct sink *s, const struct query *q);

#endif
