/*
 * bisect: the one binary search.
 *
 * Sorted things are searched by a member, by a place that an index leads to, by a comparison of
 * two parts. What these searches share is the halving, so that alone is here, as a macro that
 * takes the condition; it costs what a loop written out would.
 */
#ifndef ALIBI_BASE_BISECT_H
#define ALIBI_BASE_BISECT_H

/* Sets `at` to the first place in [first, end) at which `below`, a condition on `at`, is false;
 * to `end` if it is true everywhere. It must be true up to some place and false from there on.
 *     size_t at;
 *     bisect(at, 0, count, items[at].key < key); */
#define bisect(at, first, end, below)                                                              \
	do {                                                                                       \
		__typeof__(at) bisect_low = (first), bisect_high = (end);                          \
		while (bisect_low < bisect_high) {                                                 \
			(at) = bisect_low + (bisect_high - bisect_low) / 2;                        \
			if (below)                                                                 \
				bisect_low = (at) + 1;                                             \
			else                                                                       \
				bisect_high = (at);                                                \
		}                                                                                  \
		(at) = bisect_low;                                                                 \
	} while (0)

#endif
