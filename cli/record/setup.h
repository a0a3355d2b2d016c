/*
 * setup: the tables of a workload, made anew, and the header of the history.
 *
 * The last row that is written is a mark with a number of this run. A client
 * reads it before its first transaction: a node that does not show the mark yet
 * does not show all of the initial rows either, and reads from there would look
 * as if data had been lost.
 *
 * It is also the first thing that is dropped, and is looked at again in the end. Two
 * recordings in one database write into each other's tables, which looks as if the
 * database had made it up. One whose mark is no longer there knows that, and takes away
 * the mark that it finds, so that the other knows, too, unless it is over already.
 */
#ifndef ALIBI_RECORD_SETUP_H
#define ALIBI_RECORD_SETUP_H

#include "workload.h"

/* Makes and fills the tables, and puts `"initial":[…]` into *initial. False: the
 * connection has the problem. */
bool setup_tables(struct connection *c, const struct workload *w, const struct shape *shape,
                  uint64_t mark, struct text *initial);

/* Whether this connection shows the mark. */
bool setup_is_visible(struct connection *c, uint64_t mark);
void setup_remove_mark(struct connection *c); /* whosever it is */

#endif
