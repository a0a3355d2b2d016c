/* certificate: see certificate.h. */
#include "format/certificate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIRST_LINE                                                                                 \
	"alibi certificate 3 level %s session-order %s clocks %s%" PRIu64 " history %016" PRIx64   \
	"%016" PRIx64 " %s\n"
enum { LINE_MAX_BYTES = 200 };

static size_t first_line(char line[LINE_MAX_BYTES], const struct certificate *c)
{
	return (size_t)snprintf(line, LINE_MAX_BYTES, FIRST_LINE, c->level,
	                        c->session ? "on" : "off", c->clocks ? "within " : "off ", c->skew,
	                        c->digest.high, c->digest.low, c->valid ? "valid" : "violates");
}

void certificate_begin(struct pool *pool, byte_vec *bytes, const struct certificate *c)
{
	char line[LINE_MAX_BYTES];
	size_t n = first_line(line, c);
	for (size_t i = 0; i < n; i++)
		vec_push(pool, bytes, (unsigned char)line[i]);
}

void certificate_put(struct pool *pool, byte_vec *bytes, uint32_t number)
{
	for (; number >= 128; number >>= 7)
		vec_push(pool, bytes, (unsigned char)(number | 128));
	vec_push(pool, bytes, (unsigned char)number);
}

/* The sign goes into the lowest bit. */
void certificate_put_step(struct pool *pool, byte_vec *bytes, uint32_t from, uint32_t to)
{
	uint32_t delta = to - from;
	certificate_put(pool, bytes, delta & 1u << 31 ? ~delta << 1 | 1 : delta << 1);
}

/* Only the very line that certificate_begin() writes is one. */
bool certificate_open(struct certificate *c, const unsigned char *bytes, size_t length)
{
	char line[LINE_MAX_BYTES], again[LINE_MAX_BYTES], session[8], clocks[8], verdict[16];
	size_t n = length < sizeof line - 1 ? length : sizeof line - 1;
	memcpy(line, bytes, n);
	line[n] = 0;
	*c = (struct certificate){.end = bytes + length};
	if (sscanf(line,
	           "alibi certificate 3 level %15s session-order %7s clocks %7s %" SCNu64
	           " history %16" SCNx64 "%16" SCNx64 " %15s",
	           c->level, session, clocks, &c->skew, &c->digest.high, &c->digest.low,
	           verdict) != 7)
		return false;
	c->session = !strcmp(session, "on");
	c->clocks = !strcmp(clocks, "within");
	c->valid = !strcmp(verdict, "valid");
	size_t first = first_line(again, c);
	if (first > n || memcmp(line, again, first) != 0)
		return false;
	c->at = bytes + first;
	return true;
}

bool certificate_get(struct certificate *c, uint32_t *number)
{
	uint64_t value = 0;
	for (unsigned shift = 0; c->at < c->end && shift < 35; shift += 7) {
		unsigned char byte = *c->at++;
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) {
			*number = (uint32_t)value;
			return value <= UINT32_MAX;
		}
	}
	return false;
}

bool certificate_get_step(struct certificate *c, uint32_t *number)
{
	uint32_t delta;
	if (!certificate_get(c, &delta))
		return false;
	*number += delta & 1 ? ~(delta >> 1) : delta >> 1;
	return true;
}

bool certificate_get_words(struct certificate *c, struct pool *pool, uint32_t *kind,
                           word_vec *words)
{
	uint32_t count, word;
	words->count = 0;
	if (!certificate_get(c, kind) || !certificate_get(c, &count) ||
	    count > (size_t)(c->end - c->at))
		return false;
	for (; words->count < count; vec_push(pool, words, word))
		if (!certificate_get(c, &word))
			return false;
	return true;
}
