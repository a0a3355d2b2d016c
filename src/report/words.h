/*
 * words: escaping and measuring of user-supplied text.
 *
 * Ids, keys, values and paths are untrusted bytes. They must not become markup in a page or
 * escape sequences in a terminal, and every report must be UTF-8 (escape.h). All user-supplied
 * text in reports passes through here.
 *
 * Width is counted in columns of a terminal. The figures use a font of fixed width, so the
 * same count lays them out.
 */
#ifndef ALIBI_REPORT_WORDS_H
#define ALIBI_REPORT_WORDS_H

#include "format/sink.h"

size_t words_width(const char *text);

/* At most so many columns; the middle is replaced by "…". */
const char *words_elided(struct pool *pool, const char *text, size_t columns);
/* A JSON string without its quotes, if nothing in it is escaped; else as it is. */
const char *words_bare(struct pool *pool, const char *json);

/* Wraps text at spaces: returns the next line of at most so many columns (0: unlimited) and
 * advances *text. A longer word is a line of its own. NULL: the end. */
const char *words_line(struct pool *pool, const char **text, size_t columns);
/* The same, but a longer word is broken, too; columns > 1. */
const char *words_piece(struct pool *pool, const char **text, size_t columns);

void words_plain(struct sink *s, const char *text);  /* a line on a terminal */
void words_markup(struct sink *s, const char *text); /* XML and HTML: content, attributes */
/* A format of markup; every %s is escaped. It also takes %d, %u, %zu, %lld, %.Nf and %%. */
void words_markupf(struct sink *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_json(struct sink *s, const char *text); /* a JSON string, with its quotes */
void words_raw_json(struct sink *s, const char *json);
void words_dot(struct sink *s, const char *text); /* inside a quoted label */

/* 1234567 as 1,234,567. */
void words_count(struct sink *s, uint64_t n);

#endif
