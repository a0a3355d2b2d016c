/* moment: seconds on a clock that only goes forward. */
#ifndef ALIBI_WATCH_MOMENT_H
#define ALIBI_WATCH_MOMENT_H

#include <time.h>

static inline double moment(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
