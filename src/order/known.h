/*
 * known: the edges of a problem that hold in every order. Filled into the
 * problem by its builder.
 */
#ifndef ALIBI_ORDER_KNOWN_H
#define ALIBI_ORDER_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

struct problem;

/* Which appender wrote what a list read shows, where elements are unique; false:
 * a read shows what no order of appends gives. */
bool known_lists(struct problem *p);

void known_edges(struct problem *p);

/* Adds the derived edges from this one on. */
void known_add_derived(struct problem *p, size_t from);

#endif
