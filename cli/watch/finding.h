/* finding: what one finding of a watch says, for the log, standard output and HTTP. */
#ifndef ALIBI_WATCH_FINDING_H
#define ALIBI_WATCH_FINDING_H

#include <alibi.h>
#include <stddef.h>

const char *finding_what(enum alibi_watch_what what);
alibi_violation finding_violation(const alibi_watch_event *e);

/* The members that an event has: kind and text are plain text, the others JSON. */
enum { FINDING_MEMBERS = 11 };
struct finding_member {
	const char *name, *text;
};
size_t finding_members(const alibi_watch_event *e, struct finding_member members[FINDING_MEMBERS]);

#endif
