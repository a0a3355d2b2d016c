/*
 * vec: the growing array.
 *
 * VEC(T) is a struct of items, count and capacity; vec_push() grows it in its pool. Small vectors
 * double, large ones grow by an eighth: the C library moves large blocks by remapping pages, so
 * growing often is cheap, and the memory counted stays near the memory used.
 */
#ifndef ALIBI_BASE_VEC_H
#define ALIBI_BASE_VEC_H

#include "base/pool.h"

#include <stddef.h>
#include <stdint.h>

#define VEC(T)                                                                                     \
	struct {                                                                                   \
		T *items;                                                                          \
		size_t count, capacity;                                                            \
	}

/* Room for one more at least; returns the items, moved perhaps. */
void *vec_grown(struct pool *p, void *items, size_t *capacity, size_t wanted, size_t item_size);

#define vec_reserve(pool, v, wanted)                                                               \
	((wanted) > (v)->capacity                                                                  \
	         ? (void)((v)->items = vec_grown((pool), (v)->items, &(v)->capacity, (wanted),     \
	                                         sizeof *(v)->items))                              \
	         : (void)0)

#define vec_push(pool, v, item)                                                                    \
	(vec_reserve((pool), (v), (v)->count + 1), (void)((v)->items[(v)->count++] = (item)))

/* Gives the unused end back. */
#define vec_trim(pool, v)                                                                          \
	((v)->items =                                                                              \
	         vec_trimmed((pool), (v)->items, &(v)->capacity, (v)->count, sizeof *(v)->items))
void *vec_trimmed(struct pool *p, void *items, size_t *capacity, size_t count, size_t item_size);

#endif
