/* clock: the monotonic clock. */
#ifndef ALIBI_CLI_CLOCK_H
#define ALIBI_CLI_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline double clock_seconds(void)
{
	return (double)clock_ns() / 1e9;
}

#endif
