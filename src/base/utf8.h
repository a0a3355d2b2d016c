/*
 * utf8: characters of UTF-8, as Unicode's table 3-7 defines them.
 */
#ifndef ALIBI_BASE_UTF8_H
#define ALIBI_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* What utf8_next() returns for a byte that is not UTF-8. */
#define UTF8_INVALID UINT32_MAX

/* The length of the character at p, of which so many bytes can be read; 0: it is none. */
size_t utf8_length(const char *p, size_t room);
/* The next character; an invalid byte counts as one. */
uint32_t utf8_next(const char **at, const char *end);

#endif
