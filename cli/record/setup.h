/*
 * setup: creates the tables of a workload and their initial rows.
 *
 * The last row is a mark with a number of this run. A client reads it before its first transaction:
 * a replica that does not show the mark yet may lack initial rows, and reads there would look like
 * lost data.
 *
 * The mark is also the first thing that is dropped, and it is checked at the end. Two recordings in
 * one database write to each other's tables, which would look like violations. A recording whose
 * mark is gone reports that, and deletes the mark that it finds, so that the other recording
 * notices, too, if it is still running.
 */
#ifndef ALIBI_RECORD_SETUP_H
#define ALIBI_RECORD_SETUP_H

#include "workload.h"

/* Creates and fills the tables; *initial gets the items of "initial". False: the error is in the
 * connection. */
bool setup_tables(struct connection *c, const struct workload *w, const struct shape *shape,
                  uint64_t mark, struct text *initial);

/* Does this connection show the mark? */
bool setup_is_visible(struct connection *c, uint64_t mark);
void setup_remove_mark(struct connection *c); /* of any recording */

#endif
