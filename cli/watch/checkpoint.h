/*
 * checkpoint: what the watch knows and where the stream and the log were then, in a file.
 *
 * The file is written beside the old one, made durable, and put in its place: whenever
 * the program is killed, one of the two is there, whole. The log is made durable before,
 * so that it has at least all findings up to there; those after it will be found again,
 * and the log knows them by their ids (findings.h).
 *
 * Two watches must not write one checkpoint. So the file is locked as long as we live: the one
 * that we read, or write at once if there is none, then each that we put in its place. One that is
 * there and is not ours is another's.
 */
#ifndef ALIBI_WATCH_CHECKPOINT_H
#define ALIBI_WATCH_CHECKPOINT_H

#include "feed.h"
#include "notes.h"

#include <alibi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct checkpoint {
	const char *path; /* NULL: there is none */
	double every;     /* seconds */
	const struct notes *notes;
	FILE *held; /* what stands at the path, locked; NULL: nothing yet, so it should be saved */
	double next;
	double written;          /* by clock_seconds(); 0: never */
	struct feed_place place; /* all before it was taken */
	uint64_t log;            /* see findings_sync() */
};

/* Goes on from the file, if it is there. False: the error has been reported. */
bool checkpoint_load(struct checkpoint *c, alibi *job, alibi_watch *w);
bool checkpoint_save(struct checkpoint *c, alibi_watch *w, struct feed_place place, uint64_t log);

void checkpoint_close(struct checkpoint *c);

bool checkpoint_is_due(const struct checkpoint *c, uint64_t at);

#endif
