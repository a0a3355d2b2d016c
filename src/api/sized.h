/*
 * sized: structs that carry their size, across versions of the library.
 *
 * Problem. A program is compiled with one version of alibi.h and runs with another version
 * of the library, whose structs have more members or fewer.
 *
 * Idea. The first member of such a struct is its size as the caller knows it. Members are
 * only added at the end. A struct that is read is copied as far as both know it, and the rest
 * of the copy is zero, the default. If the caller's is longer, what the library does not know
 * must be zero, or the caller would wait for an effect that never comes. A struct that is
 * filled is filled as far as both know it, and zeroed beyond.
 *
 * Invariants. A struct ends in its last member, without padding: a member that is added later
 * must not come to lie in bytes that an older caller left undefined.
 */
#ifndef ALIBI_API_SIZED_H
#define ALIBI_API_SIZED_H

#include "base/guard.h"

#define SIZED_ENDS_IN(type, last)                                                                  \
	_Static_assert(sizeof(type) == offsetof(type, last) + sizeof(((type *)0)->last),           \
	               #type " ends in padding")

/* *own gets what the caller gave; given NULL: the defaults. Fails if it says more than this
 * version knows. */
#define SIZED_READ(g, type, own, given) sized_read(g, #type, own, sizeof(type), given)
void sized_read(struct guard *g, const char *type, void *own, size_t size, const void *given);

/* The caller's struct gets *own; its size stays. */
void sized_write(void *out, const void *own, size_t size);

#endif
