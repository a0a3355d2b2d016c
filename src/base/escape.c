/* escape: see escape.h. */
#include "base/escape.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

/* Characters that control a terminal, end a line or set the direction of text, and those that XML
 * forbids. */
static bool is_unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfffe ||
	       c == 0xffff || c == UTF8_INVALID;
}

static const struct {
	const char *special;          /* characters that have a meaning in this style, */
	const char *const instead[5]; /* and what is printed for them */
	const char *backslash;        /* how a backslash is printed */
} styles[] = {
        [ESCAPE_TEXT] = {"", {NULL}, "\\"},
        [ESCAPE_JSON] = {"\"\\", {"\\\"", "\\\\"}, "\\"},
        [ESCAPE_MARKUP] = {"&<>\"'", {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}, "\\"},
        [ESCAPE_LABEL] = {"\"\\", {"\\\"", "\\\\"}, "\\\\"},
        [ESCAPE_RAW_JSON] = {"", {NULL}, "\\"},
};

struct escape escape_of(enum escape_style style, const char *text, size_t length)
{
	return (struct escape){.style = style, .at = text, .end = text + length};
}

static void replace(struct escape *e, uint32_t c, unsigned char byte)
{
	static const char short_forms[] = "\b\f\n\r\t", letters[] = "bfnrt";
	const char *backslash = styles[e->style].backslash;
	const char *found = c && c < 0x20 ? strchr(short_forms, (int)c) : NULL;
	bool json = e->style == ESCAPE_JSON || e->style == ESCAPE_RAW_JSON;
	if (e->style == ESCAPE_RAW_JSON && c < 0x20) /* between tokens */
		snprintf(e->instead, sizeof e->instead, " ");
	else if (c == UTF8_INVALID && !json)
		snprintf(e->instead, sizeof e->instead, "%sx%02x", backslash, byte);
	else if (found)
		snprintf(e->instead, sizeof e->instead, "%s%c", backslash,
		         letters[found - short_forms]);
	else
		snprintf(e->instead, sizeof e->instead, "%su%04x", backslash,
		         c == UTF8_INVALID ? 0xfffd : (unsigned)c);
	e->piece = e->instead;
	e->length = strlen(e->instead);
}

/* In every style; most characters are. */
static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '&' && c != '<' && c != '>' &&
	       c != '\'';
}

bool escape_next(struct escape *e)
{
	const char *special = styles[e->style].special, *start = e->at, *here, *found = NULL;
	uint32_t c = 0;
	if (e->at == e->end)
		return false;
	do {
		while (e->at + 1 < e->end && is_plain(*e->at))
			e->at++;
		here = e->at;
		c = utf8_next(&e->at, e->end);
		found = c && c < 0x80 ? strchr(special, (int)c) : NULL;
	} while (!found && !is_unsafe(c) && e->at < e->end);
	bool stopped = found || is_unsafe(c);
	if (!stopped || here > start) { /* up to this character, which is the next piece */
		e->at = stopped ? here : e->end;
		e->piece = start;
		e->length = (size_t)(e->at - start);
	} else if (found) {
		e->piece = styles[e->style].instead[found - special];
		e->length = strlen(e->piece);
	} else {
		replace(e, c, (unsigned char)*here);
	}
	return true;
}
