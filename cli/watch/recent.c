/* recent: see recent.h. */
#include "recent.h"

#include <string.h>

void recent_release(struct recent *r)
{
	text_release(&r->older);
	text_release(&r->newer);
	text_release(&r->header);
}

static void take_header(struct recent *r)
{
	const char *end = memchr(r->newer.data, '\n', r->newer.length);
	if (!end)
		return;
	r->begun = true;
	size_t length = (size_t)(end - r->newer.data) + 1;
	if (memmem(r->newer.data, length, "\"alibi\"", strlen("\"alibi\"")))
		text_add(&r->header, r->newer.data, length);
}

void recent_add(struct recent *r, const char *bytes, size_t length)
{
	if (r->newer.length + length > RECENT_BYTES && r->newer.length) {
		const char *last = memrchr(r->newer.data, '\n', r->newer.length);
		size_t whole = last ? (size_t)(last - r->newer.data) + 1 : 0;
		text_cut(&r->older, 0);
		text_add(&r->older, r->newer.data + whole,
		         r->newer.length - whole); /* an open line */
		struct text newer = r->older;
		r->older = r->newer;
		text_cut(&r->older, whole);
		r->newer = newer;
	}
	text_add(&r->newer, bytes, length);
	if (!r->begun)
		take_header(r);
}

static bool find_in(const struct text *t, const char *wanted, struct text *line)
{
	size_t length = strlen(wanted);
	const char *at = t->data, *end = t->data ? t->data + t->length : NULL;
	while (at && (at = memmem(at, (size_t)(end - at), wanted, length))) {
		const char *after = at + length;
		const char *start = memrchr(t->data, '\n', (size_t)(at - t->data));
		const char *stop = memchr(after, '\n', (size_t)(end - after));
		if (stop && strchr(",]} ", *after)) {
			start = start ? start + 1 : t->data;
			text_add(line, start, (size_t)(stop - start) + 1);
			return true;
		}
		at = after;
	}
	return false;
}

bool recent_find(const struct recent *r, const char *wanted, struct text *line)
{
	return find_in(&r->newer, wanted, line) || find_in(&r->older, wanted, line);
}
