/*
 * findings: the results of a watch, as text or JSON on standard output, and in a log.
 *
 * The log has every finding once, however often the program was killed and restarted: findings that
 * are in it already, by id, are not written again. A line is written in one piece; if the log ends
 * in half a line nevertheless, that is cut off.
 *
 * As text, only the first of many transactions that could not be verified for the same reason are
 * printed; a stream without timestamps has no others. The summary counts all of them.
 */
#ifndef ALIBI_WATCH_FINDINGS_H
#define ALIBI_WATCH_FINDINGS_H

#include "notices.h"
#include "text.h"

#include <alibi.h>
#include <stdbool.h>

enum { FINDING_ID = 32 }; /* digits */

struct status;

struct findings {
	const char *level;
	const struct notices *notices; /* if they are JSON, findings are, too */
	struct status *status;         /* NULL: not shown */
	int log;                       /* a file, or -1 */
	const char *log_name;
	/* Findings that were in the log, from this byte on, at the start: sorted ids; some have
	 * been found again. */
	char (*known)[FINDING_ID];
	size_t known_count, found_again;
	uint64_t known_from;
	uint64_t alike; /* consecutive unverified ones of one kind, … */
	char kind[16];  /* … of this */
	struct text line;
};

/* log NULL: none. What is in it from this byte on may be found again. False: it was
 * complained. */
bool findings_open(struct findings *f, const char *level, const struct notices *notices,
                   const char *log, uint64_t from);
/* Opens a new file of the same name if the old one was renamed. The position in the log changes, so
 * a checkpoint should follow. */
bool findings_reopen(struct findings *f);
/* Takes all findings of the watch; false: they could not be written. */
bool findings_take(struct findings *f, alibi_watch *w);
/* Syncs the log. Findings that may be found again are from byte *from on. */
bool findings_sync(struct findings *f, uint64_t *from);

/* How many violations there are of each kind. */
enum { FINDING_KINDS = 5 };
struct kind_count {
	const char *name;
	uint64_t count;
};
void findings_kinds(const alibi_watch_stats *s, struct kind_count kinds[FINDING_KINDS]);

/* Prints the summary, as text or JSON. */
void findings_sum(struct findings *f, const alibi_watch_stats *stats, double seconds, bool ended);
void findings_close(struct findings *f);

#endif
