/* alibi_query: reads and writes queries in Alibi's own format (docs/history-format.md). */
#ifndef ALIBI_FORMAT_ALIBI_QUERY_H
#define ALIBI_FORMAT_ALIBI_QUERY_H

#include "format/json.h"
#include "format/sink.h"

/* Reads what follows ["q" or ["u", up to the closing bracket of the operation. */
void alibi_read_query(struct json *j, struct builder *b, bool update);

/* Writes the whole operation. */
void alibi_write_query(const struct history *h, struct sink *s, const struct query *q);

#endif
