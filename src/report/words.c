/* words: see words.h. */
#include "report/words.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

static const char ellipsis[] = "…";

/* ---- characters ---- */

/* Combining marks take no column; East Asian characters and emoji take two. The ranges are
 * approximate. */
static unsigned columns_of(uint32_t c)
{
	if ((c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) ||
	    (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff)
		return 0;
	bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
	            (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
	            (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
	            (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) ||
	            (c >= 0x20000 && c <= 0x3fffd);
	return wide ? 2 : 1;
}

size_t words_width(const char *text)
{
	size_t width = 0;
	for (const char *end = text + strlen(text); text < end;)
		width += columns_of(utf8_next(&text, end));
	return width;
}

const char *words_elided(struct pool *pool, const char *text, size_t columns)
{
	size_t width = words_width(text);
	if (width <= columns)
		return text;
	size_t head = columns > 1 ? columns / 2 : 0, tail = columns > 1 ? columns - 1 - head : 0;
	const char *end = text + strlen(text), *cut = text, *rest = text, *next = text;
	for (size_t at = 0; next < end;) {
		at += columns_of(utf8_next(&next, end));
		if (at <= head)
			cut = next;
		if (at <= width - tail)
			rest = next;
	}
	text_vec t = {0};
	text_add(pool, &t, text, (size_t)(cut - text));
	text_add(pool, &t, ellipsis, strlen(ellipsis));
	text_add(pool, &t, rest, (size_t)(end - rest));
	return text_string(pool, &t);
}

static const char *next_line(struct pool *pool, const char **text, size_t columns, bool break_words)
{
	const char *start = *text, *end = start + strlen(start), *space = NULL;
	size_t width = 0;
	if (start == end)
		return NULL;
	for (const char *at = start; at < end;) {
		const char *here = at;
		uint32_t c = utf8_next(&at, end);
		if (c == ' ')
			space = here;
		width += columns_of(c);
		if (columns && width > columns && (space || break_words)) {
			*text = space ? space + 1 : here;
			return pool_text(pool, start, (size_t)((space ? space : here) - start));
		}
	}
	*text = end;
	return pool_text(pool, start, (size_t)(end - start));
}

const char *words_line(struct pool *pool, const char **text, size_t columns)
{
	return next_line(pool, text, columns, false);
}

const char *words_piece(struct pool *pool, const char **text, size_t columns)
{
	return next_line(pool, text, columns, true);
}

const char *words_bare(struct pool *pool, const char *json)
{
	size_t length = strlen(json);
	bool quoted = length > 2 && json[0] == '"' && !strchr(json, '\\');
	return quoted ? pool_text(pool, json + 1, length - 2) : json;
}

/* ---- escaping ---- */

static void add_escaped(struct sink *s, const char *text, enum escape_style style)
{
	sink_escaped(s, style, text, strlen(text));
}

void words_plain(struct sink *s, const char *text)
{
	add_escaped(s, text, ESCAPE_TEXT);
}

void words_markup(struct sink *s, const char *text)
{
	add_escaped(s, text, ESCAPE_MARKUP);
}

void words_markupf(struct sink *s, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	for (const char *at = format, *end; *at; at = end) {
		end = at + strcspn(at, "%");
		sink_add(s, at, (size_t)(end - at));
		if (!*end)
			break;
		const char *spec = end + 1;
		end = spec + strspn(spec, ".0123456789lz") + 1;
		if (*spec == 's')
			words_markup(s, va_arg(args, const char *));
		else if (*spec == '.')
			sink_addf(s, "%.*f", spec[1] - '0', va_arg(args, double));
		else if (*spec == 'l')
			sink_integer(s, va_arg(args, long long));
		else if (*spec == 'z')
			sink_addf(s, "%zu", va_arg(args, size_t));
		else if (*spec == 'u')
			sink_addf(s, "%u", va_arg(args, unsigned));
		else if (*spec == 'd')
			sink_addf(s, "%d", va_arg(args, int));
		else if (*spec == '%')
			sink_text(s, "%");
		else
			assert(!"a conversion that words_markupf() knows");
	}
	va_end(args);
}

void words_json(struct sink *s, const char *text)
{
	sink_text(s, "\"");
	add_escaped(s, text, ESCAPE_JSON);
	sink_text(s, "\"");
}

void words_raw_json(struct sink *s, const char *json)
{
	add_escaped(s, json, ESCAPE_RAW_JSON);
}

void words_dot(struct sink *s, const char *text)
{
	add_escaped(s, text, ESCAPE_LABEL);
}

void words_count(struct sink *s, uint64_t n)
{
	char digits[32];
	size_t at = sizeof digits;
	unsigned placed = 0;
	digits[--at] = 0;
	do {
		if (placed && placed % 3 == 0)
			digits[--at] = ',';
		digits[--at] = (char)('0' + n % 10);
		placed++;
	} while (n /= 10);
	sink_text(s, digits + at);
}
