/*
 * decimal: numbers that are not integers of 64 bits.
 *
 * Problem. 0.1 is no binary float, and 1.0, 1.00 and 1e0 are one number. Rows hold prices, and a
 * price that is read back in another notation was still written by the same transaction.
 *
 * Idea. Numbers are exact, as SQL's numeric is. When it is read, a number gets one notation: an
 * integer of 64 bits if it is one, else its digits with a point and no zeros that do not count
 * (-0.5, 12.05, 18446744073709551616). So equal numbers are equal atoms, and -0.0 is 0.
 *
 * Order and sums are for the search. The kernel has its own (replay/numeral.h).
 *
 * Cost. Linear in the digits, of which there are at most DECIMAL_MAX.
 */
#ifndef ALIBI_HISTORY_DECIMAL_H
#define ALIBI_HISTORY_DECIMAL_H

#include "history/render.h"

enum { DECIMAL_MAX = 1000 }; /* bytes of a number that is read, in its one notation */

/* The number that is written at text, as JSON has them; a decimal is in out. False: too long. */
bool decimal_read(struct pool *pool, text_vec *out, const char *text, size_t length,
                  alibi_value *number);

/* Of two numbers: below, equal to or above 0. */
int decimal_order(alibi_value a, alibi_value b);
/* Is it the sum of the others? */
bool decimal_is_sum(alibi_value sum, alibi_value a, alibi_value b);
/* The sum of two numbers; a decimal is in out. */
alibi_value decimal_sum(struct pool *pool, text_vec *out, alibi_value a, alibi_value b);

#endif
