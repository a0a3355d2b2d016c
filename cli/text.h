/*
 * text: bytes that grow, to make lines of JSON in. Without memory the program
 * ends: a recorder that drops operations would make false histories.
 */
#ifndef ALIBI_CLI_TEXT_H
#define ALIBI_CLI_TEXT_H

#include <alibi.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *data; /* ends in a 0 that length does not count; NULL while empty */
	size_t length, capacity;
};

void text_release(struct text *t);
void text_cut(struct text *t, size_t length); /* back to what it was */
void text_room(struct text *t, size_t bytes); /* for that many more, and the 0 */

void text_add(struct text *t, const char *data, size_t length);
void text_word(struct text *t, const char *word);
void text_integer(struct text *t, int64_t n);
void text_print(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As alibi_escape() does. */
void text_escaped(struct text *t, enum alibi_escape how, const char *bytes, size_t length);
void text_json(struct text *t, const char *string); /* quoted */
/* A printf() whose strings are escaped, for people. It knows s, c, d, u, x, f, g, with l, ll, z. */
void text_say(struct text *t, const char *format, va_list args)
        __attribute__((format(printf, 2, 0)));

/* Items of this size, with room for one more than count. */
void *items_grown(void *items, size_t count, size_t *room, size_t size);

#endif
