/* lines: see lines.h. */
#include "stream/lines.h"

#include "format/alibi_read.h"

#include <string.h>

enum { /* bytes */
       PIECE_ALONE = 12 << 10,
       PIECE_LEAST = 4 << 10,
       PIECE_MOST = 1 << 18,
       LINE_MOST = 1 << 28
};

void lines_init(struct lines *l, struct pool *pool, const char *name)
{
	*l = (struct lines){.pool = pool, .name = pool_text(pool, name, strlen(name))};
}

void lines_add(struct lines *l, const char *bytes, size_t length)
{
	size_t left = lines_left(l), end = left + length;
	if (l->at)
		memmove(l->text.items, l->text.items + l->at, left);
	l->at = l->whole = 0;
	vec_reserve(l->pool, &l->text, end + SOURCE_PADDING);
	if (length)
		memcpy(l->text.items + left, bytes, length);
	memset(l->text.items + end, 0, SOURCE_PADDING);
	l->text.count = end;
	const char *last = memrchr(l->text.items + left, '\n', length);
	if (last)
		l->whole = (size_t)(last - l->text.items) + 1;
	if (end - l->whole > LINE_MOST)
		guard_fail(pool_guard(l->pool), ALIBI_INPUT, &(struct place){.file = l->name},
		           "there is no line end in %d MiB; a stream has one transaction a line",
		           LINE_MOST >> 20);
}

size_t lines_left(const struct lines *l)
{
	return l->text.count - l->at;
}

static uint32_t count_lines(const char *at, const char *end)
{
	uint32_t count = 0;
	for (; at < end; at++, count++)
		at = memchr(at, '\n', (size_t)(end - at));
	return count;
}

uint32_t lines_cut(struct lines *l, struct piece *pieces, uint32_t most, uint64_t before)
{
	size_t size = most > 1 ? (l->whole - l->at) / most + 1 : PIECE_ALONE;
	uint32_t count = 0;
	if (most > 1)
		size = size < PIECE_LEAST ? PIECE_LEAST : size > PIECE_MOST ? PIECE_MOST : size;
	for (; count < most && l->at < l->whole; count++) {
		const char *from = l->text.items + l->at, *end = l->text.items + l->whole;
		if ((size_t)(end - from) > size)
			end = (const char *)memchr(from + size, '\n', (size_t)(end - from) - size) +
			      1;
		pieces[count].bytes = from;
		pieces[count].length = (size_t)(end - from);
		pieces[count].before = before;
		if (most > 1)
			before += count_lines(from, end);
		l->at += pieces[count].length;
	}
	return count;
}

void piece_read(struct piece *p, const char *name)
{
	const char *end = p->bytes + p->length;
	if (!p->reader)
		p->reader = line_parser_new(p->pool, p->b, name, !p->before);
	p->lines = 0;
	p->is_read = false;
	for (const char *at = p->bytes, *newline; at < end; at = newline + 1) {
		newline = memchr(at, '\n', (size_t)(end - at));
		p->lines++;
		line_parser_read(p->reader,
		                 (struct text){.bytes = at, .length = (size_t)(newline - at)},
		                 p->before + p->lines, p->lines);
	}
	p->is_read = true;
}
