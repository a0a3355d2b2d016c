/* alibi_query: queries in Alibi's own format (docs/history-format.md), read and written. */
#ifndef ALIBI_FORMAT_ALIBI_QUERY_H
#define ALIBI_FORMAT_ALIBI_QUERY_H

#include "format/json.h"
#include "format/sink.h"

/* What follows ["q" or ["u": the rest of the operation but for its bracket. */
void alibi_read_query(struct json *j, struct builder *b, bool update);

/* A whole operation. */
void alibi_write_query(const struct history *h, struct sink *s, const struct query *q);

#endif
