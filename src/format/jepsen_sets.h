/*
 * jepsen_sets: Jepsen's models of elements that are added and never removed (jepsen_model.h): set,
 * set-full, comments. An element is a key; adding it writes 1, and a read that has it n times
 * reads n. What is read and was never added, or only by an operation that failed, is a violation.
 *
 * Cost. set is linear. The others look at all elements for each read, as Jepsen does.
 */
#ifndef ALIBI_FORMAT_JEPSEN_SETS_H
#define ALIBI_FORMAT_JEPSEN_SETS_H

#include "format/jepsen_call.h"

void take_set(struct jepsen_parser *r, struct jepsen_call *c);
void finish_set(struct jepsen_parser *r);
void finish_set_full(struct jepsen_parser *r);
void take_comment(struct jepsen_parser *r, struct jepsen_call *c);
void finish_comments(struct jepsen_parser *r);

#endif
