/*
 * arithmetic: the order and the sum of exact numbers, for the search.
 *
 * A number is an integer of 64 bits or a decimal (decimal.h). Both are looked at digit by digit, by
 * powers of ten, without a common length. The kernel has its own (replay/numeral.h).
 *
 * Cost. Linear in the digits.
 */
#ifndef ALIBI_HISTORY_ARITHMETIC_H
#define ALIBI_HISTORY_ARITHMETIC_H

#include "history/render.h"

/* Of two numbers: below, equal to or above 0. */
int arithmetic_order(alibi_value a, alibi_value b);
/* Is it the sum of the others? */
bool arithmetic_is_sum(alibi_value sum, alibi_value a, alibi_value b);
/* The sum of two numbers; a decimal is in out. */
alibi_value arithmetic_sum(struct pool *pool, text_vec *out, alibi_value a, alibi_value b);

#endif
