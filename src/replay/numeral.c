/* numeral: see numeral.h. */
#include "replay/numeral.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct numeral {
	bool negative;
	size_t whole, length; /* digits before the point; all of them and the point */
	const char *digits;
	char of_integer[24];
};

static void numeral_init(struct numeral *n, alibi_value v)
{
	if (v.kind == ALIBI_INT) {
		v.length = (size_t)snprintf(n->of_integer, sizeof n->of_integer, "%" PRId64,
		                            v.integer);
		v.text = n->of_integer;
	}
	n->negative = *v.text == '-';
	n->digits = v.text + n->negative;
	n->length = v.length - n->negative;
	const char *point = memchr(n->digits, '.', n->length);
	n->whole = point ? (size_t)(point - n->digits) : n->length;
}

static int order_sizes(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

int numeral_order(alibi_value a, alibi_value b)
{
	struct numeral x, y;
	numeral_init(&x, a);
	numeral_init(&y, b);
	if (x.negative != y.negative)
		return x.negative ? -1 : 1;
	int order = order_sizes(x.whole, y.whole);
	if (!order)
		order = memcmp(x.digits, y.digits, x.length < y.length ? x.length : y.length);
	if (!order)
		order = order_sizes(x.length, y.length);
	order = (order > 0) - (order < 0);
	return x.negative ? -order : order;
}

/* Adds the digits to those of a sum that has so many before its point. */
static void add_digits(signed char *sum, size_t whole, const struct numeral *n)
{
	signed char *at = sum + (whole - n->whole);
	for (size_t i = 0; i < n->length; i++) {
		int digit = n->digits[i] - '0';
		if (i != n->whole)
			*at = (signed char)(*at + (n->negative ? -digit : digit)), at++;
	}
}

/* Makes all digits 0 to 9; true: of the negative sum. The first that is not 0 has its sign. */
static bool settle_digits(signed char *sum, size_t count)
{
	size_t first = 0;
	while (first < count && !sum[first])
		first++;
	bool negative = first < count && sum[first] < 0;
	int carry = 0;
	for (size_t i = count; i-- > 0;) {
		int digit = (negative ? -sum[i] : sum[i]) + carry;
		carry = (digit + 20) / 10 - 2;
		sum[i] = (signed char)(digit - 10 * carry);
	}
	return negative;
}

void numeral_sum(struct pool *pool, numeral_text *out, alibi_value a, alibi_value b)
{
	struct numeral x, y;
	numeral_init(&x, a);
	numeral_init(&y, b);
	size_t whole = (x.whole > y.whole ? x.whole : y.whole) + 1;
	size_t longest =
	        x.length - x.whole > y.length - y.whole ? x.length - x.whole : y.length - y.whole;
	size_t count = whole + longest, first = 0;
	signed char *sum = pool_zarray(pool, count, 1);
	add_digits(sum, whole, &x);
	add_digits(sum, whole, &y);
	bool negative = settle_digits(sum, count);
	while (count > whole && !sum[count - 1])
		count--;
	while (first + 1 < whole && !sum[first])
		first++;
	out->count = 0;
	vec_reserve(pool, out, count + 4);
	if (negative)
		vec_push(pool, out, '-');
	for (size_t i = first; i < count; i++) {
		if (i == whole)
			vec_push(pool, out, '.');
		vec_push(pool, out, (char)('0' + sum[i]));
	}
	vec_push(pool, out, 0);
	pool_free(pool, sum);
}
