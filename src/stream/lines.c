/* lines: see lines.h. */
#include "stream/lines.h"

#include "format/alibi_read.h"

#include <string.h>

enum { BATCH_LINES = 64 };

struct stream_lines {
	struct pool *pool;
	struct stream *s;
	struct reader *reader;
	VEC(char) text;
	size_t looked;   /* so many bytes of it have no line end */
	uint32_t number; /* lines of this batch */
};

struct stream_lines *lines_new(struct pool *pool, struct stream *s, const char *name)
{
	struct stream_lines *l = pool_zalloc(pool, sizeof *l);
	l->pool = pool;
	l->s = s;
	l->reader = reader_new(pool, stream_builder(s), pool_text(pool, name, strlen(name)),
	                       !stream_numbers(s));
	return l;
}

static void take(struct stream_lines *l)
{
	uint32_t numbers = l->number;
	l->number = 0;
	if (numbers)
		stream_take(l->s, numbers);
}

static void read_line(struct stream_lines *l, const char *bytes, size_t length)
{
	l->number++;
	reader_line(l->reader, (struct text){.bytes = bytes, .length = length},
	            stream_numbers(l->s) + l->number, l->number);
	if (l->number == BATCH_LINES)
		take(l);
}

void lines_add(struct stream_lines *l, const char *bytes, size_t length)
{
	size_t at = 0, end = l->text.count + length;
	vec_reserve(l->pool, &l->text, end + SOURCE_PADDING);
	if (length)
		memcpy(l->text.items + l->text.count, bytes, length);
	memset(l->text.items + end, 0, SOURCE_PADDING);
	l->text.count = end;
	for (;;) {
		const char *from = l->text.items + at;
		const char *newline = memchr(from + l->looked, '\n', end - at - l->looked);
		if (!newline)
			break;
		l->looked = 0;
		read_line(l, from, (size_t)(newline - from));
		at += (size_t)(newline - from) + 1;
	}
	take(l);
	l->looked = l->text.count = end - at;
	memmove(l->text.items, l->text.items + at, l->text.count);
}

size_t lines_left(const struct stream_lines *l)
{
	return l->text.count;
}

void lines_end(struct stream_lines *l)
{
	if (l->text.count)
		lines_add(l, "\n", 1);
}
