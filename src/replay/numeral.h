/*
 * numeral: the order and the sum of exact numbers.
 *
 * Written from docs/history-format.md for the kernel; history/arithmetic.h has the search's. A
 * number is an integer of 64 bits, or its digits with a point and without zeros that do not
 * count. So of two positive ones, that with more digits before the point is greater; if these
 * are as many, the first digit that differs decides.
 *
 * Cost. Linear in the digits.
 */
#ifndef ALIBI_REPLAY_NUMERAL_H
#define ALIBI_REPLAY_NUMERAL_H

#include "history/atoms.h"

/* Below, equal to or above 0. */
int numeral_order(alibi_value a, alibi_value b);

typedef VEC(char) numeral_text;

/* The sum in the same notation, and a NUL behind it. */
void numeral_sum(struct pool *pool, numeral_text *out, alibi_value a, alibi_value b);

#endif
