/* sniff: for sniffers, which look at the first bytes of an input. */
#ifndef ALIBI_FORMAT_SNIFF_H
#define ALIBI_FORMAT_SNIFF_H

#include "format/json.h"

#include <string.h>

/* Skips white space. */
static inline struct text sniff_blanks(struct text t)
{
	for (; t.length && memchr(" \t\r\n", *t.bytes, 4); t.length--)
		t.bytes++;
	return t;
}

/* Takes a literal off the beginning; false: it does not begin with it. */
static inline bool sniff_literal(struct text *t, const char *literal)
{
	size_t length = strlen(literal);
	if (t->length < length || memcmp(t->bytes, literal, length) != 0)
		return false;
	t->bytes += length;
	t->length -= length;
	return true;
}

/* The same after white space. */
static inline bool sniff_token(struct text *t, const char *token)
{
	*t = sniff_blanks(*t);
	return sniff_literal(t, token);
}

/* Does it begin with one of these names in quotes? */
static inline bool sniff_name(struct text t, const char *const *names, unsigned count)
{
	const char *end = sniff_token(&t, "\"") ? memchr(t.bytes, '"', t.length) : NULL;
	return end && text_among((struct text){.bytes = t.bytes, .length = (size_t)(end - t.bytes)},
	                         names, count) != count;
}

static inline bool sniff_mentions(struct text t, const char *word)
{
	return memmem(t.bytes, t.length, word, strlen(word));
}

#endif
