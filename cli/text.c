/* text: see text.h. */
#include "text.h"

#include "command.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 256, INTEGER_BYTES = 24 };

static _Noreturn void no_memory(void)
{
	fputs("alibi: out of memory\n", stderr);
	exit(EXIT_BROKEN);
}

void text_room(struct text *t, size_t more)
{
	size_t capacity = t->capacity ? t->capacity : FIRST_BYTES;
	while (capacity - t->length <= more)
		capacity *= 2;
	if (capacity == t->capacity)
		return;
	char *data = realloc(t->data, capacity);
	if (!data)
		no_memory();
	t->data = data;
	t->capacity = capacity;
}

void text_release(struct text *t)
{
	free(t->data);
	*t = (struct text){0};
}

void text_cut(struct text *t, size_t length)
{
	assert(length <= t->length);
	t->length = length;
	if (t->data)
		t->data[length] = 0;
}

void text_add(struct text *t, const char *data, size_t length)
{
	text_room(t, length);
	memcpy(t->data + t->length, data, length);
	t->length += length;
	t->data[t->length] = 0;
}

void text_word(struct text *t, const char *word)
{
	text_add(t, word, strlen(word));
}

void text_integer(struct text *t, int64_t n)
{
	char digits[INTEGER_BYTES], *p = digits + sizeof digits;
	uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	do
		*--p = (char)('0' + rest % 10);
	while (rest /= 10);
	if (n < 0)
		*--p = '-';
	text_add(t, p, (size_t)(digits + sizeof digits - p));
}

void text_print(struct text *t, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	assert(length >= 0);
	text_room(t, (size_t)length);
	vsnprintf(t->data + t->length, (size_t)length + 1, format, again);
	va_end(again);
	t->length += (size_t)length;
}

/* How many bytes the UTF-8 character at p has; 0: it is none. */
static size_t character_bytes(const unsigned char *p)
{
	size_t n = *p < 0x80   ? 1
	           : *p < 0xc2 ? 0
	           : *p < 0xe0 ? 2
	           : *p < 0xf0 ? 3
	           : *p < 0xf5 ? 4
	                       : 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

void text_json(struct text *t, const char *string)
{
	text_word(t, "\"");
	for (const unsigned char *p = (const unsigned char *)string; *p;) {
		size_t n = character_bytes(p);
		if (*p == '"' || *p == '\\')
			text_print(t, "\\%c", *p);
		else if (*p < 0x20)
			text_print(t, "\\u%04x", *p);
		else if (n)
			text_add(t, (const char *)p, n);
		else
			text_word(t, "?");
		p += n ? n : 1;
	}
	text_word(t, "\"");
}

void *items_grown(void *items, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return items;
	*room = *room ? *room * 2 : FIRST_BYTES;
	items = realloc(items, *room * size);
	if (!items)
		no_memory();
	return items;
}
