/*
 * radix: sorts numbered items by a 64-bit key, stably, in linear time.
 *
 * A byte a pass, from the lowest; bytes in which all keys agree are skipped,
 * so clocks that differ in their low 32 bits cost four passes. Sorting by a pair
 * is sorting by its second half, then by its first.
 */
#ifndef ALIBI_BASE_RADIX_H
#define ALIBI_BASE_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool;

struct keyed {
	uint64_t key;
	uint32_t item;
};

void radix_sort(struct pool *pool, struct keyed *items, size_t count);
bool radix_is_sorted(const struct keyed *items, size_t count); /* by key; linear, for asserts */

/* In sorted items: the first whose key is at least this; count: there is none. */
size_t radix_find(const struct keyed *items, size_t count, uint64_t key);

/* Keys of signed numbers that sort as the numbers do. */
static inline uint64_t radix_key(int64_t n)
{
	return (uint64_t)n ^ (uint64_t)1 << 63;
}

/* A key for two numbers that sorts by the first, then by the second. */
static inline uint64_t radix_pair(uint32_t first, uint32_t second)
{
	return (uint64_t)first << 32 | second;
}

#endif
