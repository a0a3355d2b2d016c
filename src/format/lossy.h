/*
 * lossy: what the writers of formats that say less than a history share.
 *
 * Such a writer tells the user what it leaves out where no verdict depends on
 * it (sink_drops), and refuses the rest (sink_refuse).
 */
#ifndef ALIBI_FORMAT_LOSSY_H
#define ALIBI_FORMAT_LOSSY_H

#include "format/sink.h"
#include "format/written.h"

/* Tells of the header and the annotations, which no other format has. */
void drop_header(const struct history *h, struct sink *s);

/* For formats without named writers: refuses reads whose value would not lead
 * back to the writer they name, and tells that the names are left out. */
void drop_named_writers(const struct history *h, struct sink *s, const struct written *w);

/* Integers for things with names: a name that is one stays, the others get fresh
 * ones above these and above floor. name() gives ALIBI_NULL for none. */
typedef alibi_value name_fn(const struct history *h, uint32_t i);
int64_t *integer_names(const struct history *h, struct sink *s, uint32_t count, name_fn *name,
                       int64_t floor);
alibi_value session_name(const struct history *h, uint32_t session);

/* Refuses a key that is a list or no integer; says what to do about it. */
void require_integer_key(const struct history *h, struct sink *s, uint32_t key);
/* "transaction <id>", for messages. */
const char *shown_txn(const struct history *h, struct sink *s, uint32_t txn);
const char *shown_key(const struct history *h, struct sink *s, uint32_t key);

#endif
