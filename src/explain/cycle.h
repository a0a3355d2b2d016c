/*
 * cycle: the shortest cycle of a class (cases.h).
 *
 * Breadth-first search from each dependency that may be the first. Whether one dependency may
 * follow another depends on these two only, so a state is a transaction and the kind of
 * dependency by which it was reached.
 */
#ifndef ALIBI_EXPLAIN_CYCLE_H
#define ALIBI_EXPLAIN_CYCLE_H

#include "explain/cases.h"

typedef VEC(struct dependency) dependency_vec;

/* True: *cycle has its dependencies in order. n: the number of transactions. */
bool cycle_find(struct pool *pool, const struct reads *r, const dependency_vec *dependencies,
                uint32_t n, enum cycle_class class, dependency_vec *cycle);

#endif
