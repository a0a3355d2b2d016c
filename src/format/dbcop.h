/*
 * dbcop: what dbcop's two formats, bincode and JSON, have around the
 * transactions: an id, a text and the times of the recording, and four numbers
 * about the workload.
 *
 * The text is the history's source. The id and the times become an annotation,
 *
 *     {"event":{"dbcop":{"id":7,"start":"2019-03-21T04:48:59+01:00","end":"…"}}}
 *
 * from which the writers restore them. A history without it is written with id 0, an empty text
 * and the start of 1970, since dbcop requires times; these defaults are ignored when they are
 * read. The numbers are dropped: the writers count them.
 */
#ifndef ALIBI_FORMAT_DBCOP_H
#define ALIBI_FORMAT_DBCOP_H

#include "format/lossy.h"
#include "format/source.h"
#include "history/builder.h"

struct dbcop_envelope {
	uint64_t id;
	struct text start, end; /* RFC 3339, as dbcop has it */
};

void dbcop_source(struct builder *b, const char *info); /* info stays the caller's */
void dbcop_annotate(struct builder *b, const struct dbcop_envelope *e);
/* Refuses what neither format can represent, and tells what is dropped (lossy.h). */
void dbcop_check(const struct history *h, struct sink *s, enum initial_spelling initial);
/* The envelope that was annotated; other annotations are dropped. */
struct dbcop_envelope dbcop_envelope_of(const struct history *h, struct sink *s);

/* Sessions, distinct keys, the most transactions of a session, and the most
 * operations of a transaction. */
struct dbcop_params {
	uint64_t n_node, n_variable, n_transaction, n_event;
};

struct dbcop_params dbcop_params_of(const struct history *h);

#endif
