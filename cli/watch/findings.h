/*
 * findings: what comes out of a watch, as text or JSON on standard output, and in a log.
 *
 * The log has every finding once, however often the program was killed and started
 * again: what stands in it already, by its id, is not told again. A line is written in
 * one piece; if the end of the log is half a line all the same, that is cut off.
 *
 * As text, of many that could not be verified for one reason only the first are printed: a
 * stream without timestamps has nothing else. The sum counts all of them.
 */
#ifndef ALIBI_WATCH_FINDINGS_H
#define ALIBI_WATCH_FINDINGS_H

#include "board.h"
#include "notes.h"
#include "text.h"

#include <alibi.h>
#include <stdbool.h>

enum { FINDING_ID = 32 }; /* digits */

struct findings {
	const char *level;
	const struct notes *notes; /* if they are JSON, findings are, too */
	struct board *board;       /* NULL: nobody looks */
	int log;                   /* a file, or -1 */
	const char *log_name;
	/* Findings that the log had from this byte on when we started, by id, sorted; not all
	 * of them have been found again yet. */
	char (*known)[FINDING_ID];
	size_t known_count, found_again;
	uint64_t known_from;
	uint64_t alike; /* unverified ones of one kind that came one after another, … */
	char kind[16];  /* … of this */
	struct text line;
};

/* log NULL: none. What is in it from this byte on may be found again. False: it was
 * complained. */
bool findings_open(struct findings *f, const char *level, const struct notes *notes,
                   const char *log, uint64_t from);
/* Goes on in a new file of the same name, if the old one was renamed. The place of the log
 * is another one then, so that a checkpoint should follow. */
bool findings_reopen(struct findings *f);
/* Takes out all there is; false: it could not be written. */
bool findings_take(struct findings *f, alibi_watch *w);
/* Makes the log durable. What is not found yet, and may be again, stands from byte *from
 * on, if anywhere. */
bool findings_sync(struct findings *f, uint64_t *from);
const char *finding_what(enum alibi_watch_what what);

/* What an event says, as far as it does: kind and text, the rest is JSON. */
enum { FINDING_MEMBERS = 11 };
struct finding_member {
	const char *name, *text;
};
size_t finding_members(const alibi_watch_event *e, struct finding_member members[FINDING_MEMBERS]);

/* How many violations there are of each kind. */
enum { FINDING_KINDS = 5 };
struct kind_count {
	const char *name;
	uint64_t count;
};
void findings_kinds(const alibi_watch_stats *s, struct kind_count kinds[FINDING_KINDS]);

/* What was watched, as a sentence or an object. */
void findings_sum(struct findings *f, const alibi_watch_stats *stats, double seconds, bool ended);
void findings_close(struct findings *f);

#endif
