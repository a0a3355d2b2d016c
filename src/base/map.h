/*
 * map: from 64-bit keys to 32-bit values, open addressing. Key 0 is not allowed;
 * there is no removal.
 */
#ifndef ALIBI_BASE_MAP_H
#define ALIBI_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool;

struct map {
	uint64_t *keys; /* 0: free */
	uint32_t *values;
	size_t size, used; /* size: a power of 2, or 0 */
};

/* The value of a key, or NULL. */
uint32_t *map_find(const struct map *m, uint64_t key);
/* The value of a key, which is added with value `fresh` if it is not there. */
uint32_t *map_put(struct pool *pool, struct map *m, uint64_t key, uint32_t fresh);

/* Checks the invariants: the size is a power of 2, at most half of the places are used, and each
 * key is found where it is. Linear; for asserts and tests. */
bool map_validate(const struct map *m);

/* A key for two different numbers, whichever comes first. */
static inline uint64_t map_pair(uint32_t a, uint32_t b)
{
	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

#endif
