/* arithmetic: see arithmetic.h. */
#include "history/arithmetic.h"

#include "history/decimal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct parts {
	const char *whole, *fraction;
	int wholes, fractions;
	bool negative;
};

enum { INTEGER_BYTES = 24 };

static struct parts take_apart(alibi_value v, char buffer[INTEGER_BYTES])
{
	if (v.kind == ALIBI_INT) {
		v.length = (size_t)snprintf(buffer, INTEGER_BYTES, "%lld", (long long)v.integer);
		v.text = buffer;
	}
	struct parts p = {.negative = *v.text == '-'};
	const char *end = v.text + v.length, *point = memchr(v.text, '.', v.length);
	p.whole = v.text + p.negative;
	p.wholes = (int)((point ? point : end) - p.whole);
	p.fraction = point ? point + 1 : end;
	p.fractions = (int)(end - p.fraction);
	return p;
}

/* The digit of a power of ten. */
static int digit(const struct parts *p, int power)
{
	if (power >= 0)
		return power < p->wholes ? p->whole[p->wholes - 1 - power] - '0' : 0;
	return -power <= p->fractions ? p->fraction[-power - 1] - '0' : 0;
}

static int greater(int a, int b)
{
	return a > b ? a : b;
}

static int order_sizes(const struct parts *a, const struct parts *b)
{
	int power = greater(a->wholes, b->wholes), last = -greater(a->fractions, b->fractions);
	while (power > last && digit(a, power) == digit(b, power))
		power--;
	return digit(a, power) - digit(b, power);
}

int arithmetic_order(alibi_value a, alibi_value b)
{
	char first[INTEGER_BYTES], second[INTEGER_BYTES];
	if (a.kind == ALIBI_INT && b.kind == ALIBI_INT)
		return (a.integer > b.integer) - (a.integer < b.integer);
	struct parts x = take_apart(a, first), y = take_apart(b, second);
	if (x.negative != y.negative)
		return x.negative ? -1 : 1;
	return x.negative ? order_sizes(&y, &x) : order_sizes(&x, &y);
}

/* a + b - sum is 0 if, from the last digit on, all that is carried is a multiple of ten. */
bool arithmetic_is_sum(alibi_value sum, alibi_value a, alibi_value b)
{
	char buffers[3][INTEGER_BYTES];
	int64_t whole;
	if (a.kind == ALIBI_INT && b.kind == ALIBI_INT && sum.kind == ALIBI_INT)
		return !__builtin_add_overflow(a.integer, b.integer, &whole) &&
		       whole == sum.integer;
	struct parts x = take_apart(a, buffers[0]), y = take_apart(b, buffers[1]),
	             z = take_apart(sum, buffers[2]);
	int powers = greater(greater(x.wholes, y.wholes), z.wholes), carry = 0;
	for (int power = -greater(greater(x.fractions, y.fractions), z.fractions); power < powers;
	     power++) {
		carry += (x.negative ? -1 : 1) * digit(&x, power) +
		         (y.negative ? -1 : 1) * digit(&y, power) -
		         (z.negative ? -1 : 1) * digit(&z, power);
		if (carry % 10)
			return false;
		carry /= 10;
	}
	return !carry;
}

alibi_value arithmetic_sum(struct pool *pool, text_vec *out, alibi_value a, alibi_value b)
{
	char first[INTEGER_BYTES], second[INTEGER_BYTES];
	int64_t sum;
	if (a.kind == ALIBI_INT && b.kind == ALIBI_INT &&
	    !__builtin_add_overflow(a.integer, b.integer, &sum))
		return (alibi_value){.kind = ALIBI_INT, .integer = sum};
	struct parts x = take_apart(a, first), y = take_apart(b, second);
	bool adds = x.negative == y.negative;
	if (!adds && order_sizes(&x, &y) < 0) {
		struct parts swap = x;
		x = y;
		y = swap;
	}
	int powers = greater(x.wholes, y.wholes), last = -greater(x.fractions, y.fractions);
	size_t length = (size_t)(powers - last) + 3;
	char *text = pool_array(pool, length, 1);
	char *at = text + length;
	int carry = 0;
	for (int power = last; power <= powers; power++) {
		int one = digit(&x, power) + (adds ? 1 : -1) * digit(&y, power) + carry;
		carry = one < 0 ? -1 : one / 10;
		*--at = (char)('0' + (one < 0 ? one + 10 : one % 10));
		if (power == -1)
			*--at = '.';
	}
	assert(!carry && at > text);
	if (x.negative)
		*--at = '-';
	alibi_value made = {.kind = ALIBI_NULL};
	decimal_read(pool, out, at, (size_t)(text + length - at), &made, INT64_MAX);
	pool_free(pool, text);
	return made;
}
