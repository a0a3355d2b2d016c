/* decimal: see decimal.h. */
#include "history/decimal.h"

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
                  alibi_value *number, int64_t most)
{
	struct scanned s = scan(pool, text, length);
	int64_t count = (int64_t)s.digits.count, zeros = s.point < 0 ? -s.point : 0;
	bool ok = !count || (s.point <= most && zeros <= most - count);
	if (ok)
		*number = spell(pool, out, &s);
	pool_free(pool, s.digits.items);
	return ok;
}
