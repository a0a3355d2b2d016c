/*
 * told: what follows from queries, without guessing.
 *
 * A query of R tells that it did not see what u left at a key. So R is before u, or somebody
 * who left what explains it (a candidate) is between u and R. Of these, who is known to be
 * before u, or after R, does not count. If none is left, R is before u. If u is known to be
 * before R, and one candidate m is known to come first of those that are left, m is before R;
 * and if it is the only one, u is before m.
 *
 * There are too many queries, keys and writers to ask all of them. So an order that follows
 * what is known is walked along (broken.h), and only what it breaks is looked at.
 */
#ifndef ALIBI_CHECK_TOLD_H
#define ALIBI_CHECK_TOLD_H

#include "check/broken.h"
#include "order/saturate.h"

/* Derives what follows; how much. For saturate(); data: the search. */
size_t told_look(void *data, struct saturation *saturation);

/* Of one rule that is broken. */
void told_follows(struct search *s, uint32_t reader, const struct query *q, uint32_t key,
                  uint32_t row);

#endif
