/*
 * words: what users named, as text that is safe where it goes, and how much room
 * it takes.
 *
 * Ids, keys, values and paths are bytes that nobody vetted. In a page they must
 * not become markup, in a terminal no commands, and everywhere they must be
 * UTF-8: bytes that are none, and characters that control something, come out
 * as U+FFFD. So nothing of a user's reaches a report but through here.
 *
 * Width is counted in columns of a terminal: the same count, times the width of
 * a letter, lays out the pictures, which have a font of fixed width.
 */
#ifndef ALIBI_REPORT_WORDS_H
#define ALIBI_REPORT_WORDS_H

#include "format/sink.h"

/* The next character; bytes that are no UTF-8 give U+FFFD, one at a time. */
uint32_t words_next(const char **at, const char *end);
size_t words_width(const char *text);

/* At most so many columns: the middle gives way to "…". */
const char *words_elided(struct pool *pool, const char *text, size_t columns);
/* A JSON string without its quotes, if nothing in it is escaped; else as it is. */
const char *words_bare(struct pool *pool, const char *json);

/* The next line of a text that is broken at spaces, of at most so many columns (0:
 * all of it), advancing it; a longer word is a line of its own. NULL: there is no
 * more. */
const char *words_line(struct pool *pool, const char **text, size_t columns);

void words_plain(struct sink *s, const char *text);  /* a line on a terminal */
void words_markup(struct sink *s, const char *text); /* XML and HTML: content, attributes */
void words_json(struct sink *s, const char *text);   /* a JSON string, with its quotes */
void words_raw_json(struct sink *s, const char *json);
void words_dot(struct sink *s, const char *text); /* inside a quoted label */

/* 1234567 as 1,234,567. */
void words_count(struct sink *s, uint64_t n);

#endif
