/*
 * random: random numbers that are the same on every machine (splitmix64).
 *
 * The state is any number; each call advances it.
 */
#ifndef ALIBI_TESTS_RANDOM_H
#define ALIBI_TESTS_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* From 0 to n - 1. */
static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(random_next(state) % n);
}

#endif
