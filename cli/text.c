/* text: see text.h. */
#include "text.h"

#include "command.h"

#include <assert.h>
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

void text_escaped(struct text *t, enum alibi_escape how, const char *bytes, size_t length)
{
	enum { MOST_BYTES = 7 }; /* for one, as alibi.h says */
	text_room(t, MOST_BYTES * length);
	t->length += alibi_escape(how, bytes, length, t->data + t->length, t->capacity - t->length);
}

void text_json(struct text *t, const char *string)
{
	text_word(t, "\"");
	text_escaped(t, ALIBI_ESCAPE_JSON, string, strlen(string));
	text_word(t, "\"");
}

/* %s: escaped, then padded. Behind a precision the string need not end in a NUL. */
static void add_string(struct text *t, const char *spec, const char *string)
{
	const char *dot = strchr(spec, '.');
	size_t from = t->length,
	       length = dot ? strnlen(string, strtoul(dot + 1, NULL, 10)) : strlen(string);
	bool left = spec[1] == '-';
	size_t width = strtoul(spec + 1 + left, NULL, 10);
	text_escaped(t, ALIBI_ESCAPE_TEXT, string, length);
	size_t pad = width > t->length - from ? width - (t->length - from) : 0;
	text_room(t, pad);
	char *at = t->data + from;
	if (!left)
		memmove(at + pad, at, t->length - from);
	memset(left ? t->data + t->length : at, ' ', pad);
	t->length += pad;
	t->data[t->length] = 0;
}

enum { SPEC_BYTES = 32 };

/* A conversion of a format. */
struct conversion {
	char spec[SPEC_BYTES]; /* with numbers instead of asterisks, without the size of an integer
	                        */
	char kind;             /* its last letter */
	unsigned longs;        /* l or ll */
	bool of_size;          /* z */
};

static struct conversion read_conversion(const char **at, va_list *args)
{
	struct conversion c = {.spec = "%"};
	size_t n = 1;
	while (!c.kind) {
		char letter = *++*at;
		assert(letter && n < SPEC_BYTES - 16);
		if (letter == '*')
			n += (size_t)snprintf(c.spec + n, SPEC_BYTES - n, "%d", va_arg(*args, int));
		else if (letter == 'l')
			c.longs++;
		else if (letter == 'z')
			c.of_size = true;
		else if (strchr("-+ #.0123456789", letter))
			c.spec[n++] = letter;
		else
			c.kind = letter;
	}
	++*at;
	snprintf(c.spec + n, SPEC_BYTES - n, strchr("dux", c.kind) ? "ll%c" : "%c", c.kind);
	return c;
}

static long long integer_of(const struct conversion *c, va_list *args)
{
	if (c->longs > 1)
		return va_arg(*args, long long);
	if (c->longs)
		return va_arg(*args, long);
	if (c->of_size)
		return (long long)va_arg(*args, size_t);
	return c->kind == 'd' ? va_arg(*args, int) : va_arg(*args, unsigned);
}

void text_say(struct text *t, const char *format, va_list given)
{
	va_list args;
	va_copy(args, given);
	for (const char *at = format; *at;) {
		size_t plain = strcspn(at, "%");
		text_add(t, at, plain);
		at += plain;
		if (!*at)
			break;
		struct conversion c = read_conversion(&at, &args);
		if (c.kind == 's')
			add_string(t, c.spec, va_arg(args, const char *));
		else if (strchr("fg", c.kind))
			text_print(t, c.spec, va_arg(args, double));
		else if (c.kind == 'c')
			text_add(t, &(char){(char)va_arg(args, int)}, 1);
		else if (c.kind == '%')
			text_word(t, "%");
		else
			text_print(t, c.spec, integer_of(&c, &args));
	}
	va_end(args);
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
