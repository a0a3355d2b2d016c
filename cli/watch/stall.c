/* stall: see stall.h. */
#include "stall.h"

#include "feed.h"

#include <inttypes.h>
#include <stdio.h>

enum { MANY = 1 << 16, NAME_BYTES = 200 };

/* The name of a session, cut if it is too long. */
static const char *name_of(alibi_value v, char name[NAME_BYTES])
{
	if (v.kind == ALIBI_INT)
		snprintf(name, NAME_BYTES, "%" PRId64, v.integer);
	else if (v.kind == ALIBI_BOOL)
		snprintf(name, NAME_BYTES, "%s", v.integer ? "true" : "false");
	else
		snprintf(name, NAME_BYTES, "%.*s",
		         (int)(v.length < NAME_BYTES ? v.length : NAME_BYTES - 1), v.text);
	return name;
}

void stall_check(struct stall *w, const alibi_watch *watch, const struct notices *notices)
{
	char name[NAME_BYTES];
	if (!w->sessions)
		return;
	alibi_watch_stats s = watch_stats(watch);
	if (s.waiting < (w->noticed ? 2 * w->noticed : MANY))
		return;
	w->noticed = s.waiting;
	if (s.sessions < w->sessions)
		notice(notices, NOTICE_WAITING, NULL,
		       "%" PRIu64 " transactions wait: of %" PRIu64 " sessions only %" PRIu64
		       " have come",
		       s.waiting, w->sessions, s.sessions);
	else if (s.holds_up.kind == ALIBI_NULL)
		notice(notices, NOTICE_WAITING, NULL,
		       "%" PRIu64 " transactions wait for a fence that reads what number %" PRIu64
		       " wrote",
		       s.waiting, s.fences);
	else if (!s.passed)
		notice(notices, NOTICE_WAITING, NULL,
		       "%" PRIu64
		       " transactions wait for a fence of session %s, which has made none",
		       s.waiting, name_of(s.holds_up, name));
	else
		notice(notices, NOTICE_WAITING, NULL,
		       "%" PRIu64 " transactions wait for a fence of session %s, whose last one is "
		       "number %" PRIu64 " of %" PRIu64,
		       s.waiting, name_of(s.holds_up, name), s.passed, s.fences);
}
