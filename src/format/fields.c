/* fields: see fields.h. */
#include "format/fields.h"

#include "format/digits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

void fields_line(struct fields *f, struct text line)
{
	struct builder *b = f->b;
	if (++b->place.line == UINT32_MAX)
		builder_reject(b, "more than four billion lines");
	f->at = f->start = line.bytes;
	f->end = line.bytes + line.length;
	while (f->at < f->end && is_blank(*f->at))
		f->at++;
	while (f->end > f->at && is_blank(f->end[-1]))
		f->end--;
	guard_tick(b->guard);
}

static _Noreturn void reject(struct fields *f, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
static void reject(struct fields *f, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	f->b->place.column = (uint64_t)(f->at - f->start) + 1;
	guard_say(f->b->guard, ALIBI_INPUT, &f->b->place, format, args);
	va_end(args);
	guard_out(f->b->guard);
}

void fields_expected(struct fields *f, const char *what)
{
	enum { SHOWN = 20 };
	char found[SHOWN + 3] = "";
	size_t length = (size_t)(f->end - f->at);
	if (!length)
		reject(f, "expected %s, found the end of the line", what);
	snprintf(found, sizeof found, "'%.*s'", (int)(length < SHOWN ? length : SHOWN), f->at);
	for (char *p = found; *p; p++)
		if ((unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7f)
			*p = '?';
	reject(f, "expected %s, found %s", what, found);
}

void fields_expect(struct fields *f, char c, const char *what)
{
	if (!fields_take(f, c))
		fields_expected(f, what);
}

int64_t fields_unsigned(struct fields *f, const char *what)
{
	uint64_t n = 0;
	if (!is_digit(*f->at))
		fields_expected(f, what);
	const char *p = digits_value(f->at, INT64_MAX, &n);
	if (!p)
		reject(f, "expected %s, found a number above %lld", what, (long long)INT64_MAX);
	f->at = p;
	return (int64_t)n;
}

void fields_end(struct fields *f, const char *what)
{
	if (f->at != f->end)
		fields_expected(f, what);
}
