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
 * The search compares and adds them by arithmetic.h, the kernel by replay/numeral.h.
 *
 * Cost. Linear in the digits.
 */
#ifndef ALIBI_HISTORY_DECIMAL_H
#define ALIBI_HISTORY_DECIMAL_H

#include "history/render.h"

enum { DECIMAL_MAX = 1000 }; /* digits of a number that is read */

/* The number that is written at text, as JSON has them; a decimal is in out. False: it takes more
 * than so many digits before the point, or behind it. */
bool decimal_read(struct pool *pool, text_vec *out, const char *text, size_t length,
                  alibi_value *number, int64_t most);

#endif
