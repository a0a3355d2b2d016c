/* digits: decimal numbers in a text that ends in something else than a digit. */
#ifndef ALIBI_FORMAT_DIGITS_H
#define ALIBI_FORMAT_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Where the digits at p end, and their value; NULL: it is above the limit. */
static inline const char *digits_value(const char *p, uint64_t limit, uint64_t *value)
{
	uint64_t n = 0;
	for (; is_digit(*p); p++) {
		uint64_t digit = (uint64_t)(*p - '0');
		if (n > (limit - digit) / 10)
			return NULL;
		n = n * 10 + digit;
	}
	*value = n;
	return p;
}

/* Of a number with this sign. */
static inline uint64_t digits_limit(bool negative)
{
	return (uint64_t)INT64_MAX + negative;
}

static inline int64_t digits_signed(uint64_t value, bool negative)
{
	return (int64_t)(negative ? 0 - value : value);
}

#endif
