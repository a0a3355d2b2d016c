/*
 * findings: what comes out of a watch, as text or JSON on standard output, and in a log.
 *
 * A line of the log is written in one piece, so that it is there whole or not at all
 * whenever the program ends.
 */
#ifndef ALIBI_WATCH_FINDINGS_H
#define ALIBI_WATCH_FINDINGS_H

#include "text.h"

#include <alibi.h>
#include <stdbool.h>

struct findings {
	const char *level;
	bool json;
	int log; /* a file, or -1 */
	const char *log_name;
	struct text line;
	uint64_t kinds[8]; /* violations, by kind */
};

/* log NULL: none. False: it was complained. */
bool findings_open(struct findings *f, const char *level, bool json, const char *log);
/* Takes out all there is; false: it could not be written. */
bool findings_take(struct findings *f, alibi_watch *w);
/* What was watched, as a sentence or an object. */
void findings_sum(struct findings *f, const alibi_watch_stats *stats, double seconds, bool ended);
void findings_close(struct findings *f);

#endif
