/* escape: alibi_escape() of alibi.h, into the caller's memory. */
#include "base/escape.h"

#include "alibi.h"

#include <assert.h>
#include <string.h>

_Static_assert((int)ESCAPE_LABEL == (int)ALIBI_ESCAPE_LABEL, "one order");

size_t alibi_escape(enum alibi_escape how, const char *text, size_t length, char *to, size_t room)
{
	size_t whole = 0, written = 0;
	assert((unsigned)how <= ALIBI_ESCAPE_LABEL);
	for (struct escape e = escape_of((enum escape_style)how, text, length); escape_next(&e);) {
		bool replaced = e.piece < text || e.piece >= text + length;
		size_t left = room > written ? room - written - 1 : 0;
		size_t n = e.length <= left ? e.length : replaced ? 0 : left;
		while (n && n < e.length && (e.piece[n] & 0xc0) == 0x80) /* no half character */
			n--;
		if (n && whole == written) {
			memcpy(to + written, e.piece, n);
			written += n;
		}
		whole += e.length;
	}
	if (room)
		to[written] = 0;
	return whole;
}
