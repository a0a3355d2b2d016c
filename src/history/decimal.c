/* decimal: see decimal.h. */
#include "history/decimal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- one notation ---- */

/* A number is 0.digits times ten to the power of point. */
struct scanned {
	text_vec digits; /* neither first nor last is 0 */
	int64_t point;
	bool negative;
};

static int64_t scan_exponent(const char *p, const char *end)
{
	const int64_t far = INT64_MAX / 100; /* no text has so many digits */
	int64_t n = 0;
	bool negative = p < end && *p == '-';
	for (p += p < end && (*p == '-' || *p == '+'); p < end; p++)
		n = n < far ? n * 10 + (*p - '0') : n;
	return negative ? -n : n;
}

static struct scanned scan(struct pool *pool, const char *text, size_t length)
{
	struct scanned s = {.negative = length && *text == '-'};
	const char *p = text + s.negative, *end = text + length;
	bool whole = true;
	for (; p < end && *p != 'e' && *p != 'E'; p++) {
		if (*p == '.') {
			whole = false;
			continue;
		}
		bool counts = *p != '0' || s.digits.count;
		if (counts)
			vec_push(pool, &s.digits, *p);
		s.point += whole ? counts : -!counts;
	}
	if (p < end)
		s.point += scan_exponent(p + 1, end);
	while (s.digits.count && s.digits.items[s.digits.count - 1] == '0')
		s.digits.count--;
	return s;
}

static void add_zeros(struct pool *pool, text_vec *out, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		vec_push(pool, out, '0');
}

static bool fits(const text_vec *t, bool negative, int64_t *n)
{
	uint64_t value = 0, most = (uint64_t)INT64_MAX + negative;
	for (size_t i = negative; i < t->count; i++) {
		uint64_t digit = (uint64_t)(t->items[i] - '0');
		if (t->items[i] == '.' || value > (most - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*n = (int64_t)(negative ? 0 - value : value);
	return true;
}

static alibi_value spell(struct pool *pool, text_vec *out, const struct scanned *s)
{
	int64_t count = (int64_t)s->digits.count, whole = s->point > 0 ? s->point : 0;
	bool negative = s->negative && count;
	alibi_value number = {.kind = ALIBI_INT};
	out->count = 0;
	if (negative)
		vec_push(pool, out, '-');
	for (int64_t i = 0; i < count; i++) {
		if (i == whole) {
			text_add(pool, out, whole ? "." : "0.", whole ? 1 : 2);
			add_zeros(pool, out, -s->point);
		}
		vec_push(pool, out, s->digits.items[i]);
	}
	add_zeros(pool, out, count ? whole - count : 1);
	if (!fits(out, negative, &number.integer))
		number = (alibi_value){
		        .kind = ALIBI_DECIMAL, .text = out->items, .length = out->count};
	return number;
}

bool decimal_read(struct pool *pool, text_vec *out, const char *text, size_t length,
                  alibi_value *number)
{
	struct scanned s = scan(pool, text, length);
	int64_t count = (int64_t)s.digits.count, zeros = s.point < 0 ? -s.point : 0;
	bool ok = !count || (s.point <= DECIMAL_MAX && zeros + count <= DECIMAL_MAX);
	if (ok)
		*number = spell(pool, out, &s);
	pool_free(pool, s.digits.items);
	return ok;
}

/* ---- digit by digit ---- */

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

int decimal_order(alibi_value a, alibi_value b)
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
bool decimal_is_sum(alibi_value sum, alibi_value a, alibi_value b)
{
	char buffers[3][INTEGER_BYTES];
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

alibi_value decimal_sum(struct pool *pool, text_vec *out, alibi_value a, alibi_value b)
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
	struct scanned s = scan(pool, at, (size_t)(text + length - at));
	alibi_value made = spell(pool, out, &s);
	pool_free(pool, s.digits.items);
	pool_free(pool, text);
	return made;
}
