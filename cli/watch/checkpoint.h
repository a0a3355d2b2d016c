/*
 * checkpoint: the state of the watch and the positions in the stream and the log, in a file.
 *
 * The file is written beside the old one, synced, and renamed over it: if the program is killed,
 * one of the two is there, complete. The log is synced first, so that it has at least all findings
 * up to the checkpoint; later ones are found again, and recognised by their ids (findings.h).
 *
 * Two watches must not write the same checkpoint. So the file is locked while the watch runs: the
 * one that was read, or the first that was written, then each that replaces it. A file that is not
 * ours belongs to another watch.
 */
#ifndef ALIBI_WATCH_CHECKPOINT_H
#define ALIBI_WATCH_CHECKPOINT_H

#include "feed.h"
#include "notices.h"

#include <alibi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct checkpoint {
	const char *path; /* NULL: there is none */
	double every;     /* seconds */
	const struct notices *notices;
	FILE *held; /* the file at the path, locked; NULL: none yet, so save one */
	double next;
	double written;          /* by clock_seconds(); 0: never */
	struct feed_place place; /* everything before it was read */
	uint64_t log;            /* see findings_sync() */
};

/* Resumes from the file, if it exists. False: the error has been reported. */
bool checkpoint_load(struct checkpoint *c, alibi *job, alibi_watch *w);
bool checkpoint_save(struct checkpoint *c, alibi_watch *w, struct feed_place place, uint64_t log);

void checkpoint_close(struct checkpoint *c);

bool checkpoint_is_due(const struct checkpoint *c, uint64_t at);

#endif
