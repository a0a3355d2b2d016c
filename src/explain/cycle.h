/*
 * cycle: the shortest cycle of arrows of one kind.
 *
 * A search in breadth from each arrow that may be the first. What may follow what
 * depends on the two arrows only, so a state is a transaction and the kind of arrow by
 * which it was reached.
 */
#ifndef ALIBI_EXPLAIN_CYCLE_H
#define ALIBI_EXPLAIN_CYCLE_H

#include "explain/cases.h"

typedef VEC(struct arrow) arrow_vec;

/* True: it is in *cycle, each arrow from where the one before it ends. n: how many
 * transactions there are. */
bool cycle_find(struct pool *pool, const struct reads *r, const arrow_vec *arrows, uint32_t n,
                enum rung rung, arrow_vec *cycle);

#endif
