/* utf8: see utf8.h. */
#include "base/utf8.h"

size_t utf8_length(const char *p, size_t room)
{
	unsigned char first = (unsigned char)p[0];
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4 || room < 2)
		return 0;
	unsigned char second = (unsigned char)p[1];
	unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
	size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	if (second < low || second > high || room < length)
		return 0;
	for (size_t i = 2; i < length; i++)
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

uint32_t utf8_next(const char **at, const char *end)
{
	const unsigned char *p = (const unsigned char *)*at;
	size_t length = utf8_length(*at, (size_t)(end - *at));
	*at += length ? length : 1;
	if (length < 2)
		return length ? *p : UTF8_INVALID;
	uint32_t c = *p & (0x7fu >> length);
	for (size_t i = 1; i < length; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}
