/*
 * feed: bytes from a file, a pipe or standard input, as they come.
 *
 * Between two pieces somebody may want to know: what came out, whether it is time to
 * settle, whether the user wants an end. Nothing here waits longer than it was told.
 *
 * A deadline is a moment of our clock, and the library knows only the database's. So the
 * newest timestamp is noted now and then: what was the newest a deadline ago is settled
 * now, and nothing that starts before what was the newest two deadlines ago is expected.
 */
#ifndef ALIBI_WATCH_FEED_H
#define ALIBI_WATCH_FEED_H

#include <alibi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FEED_BYTES = 1 << 18, DEADLINE_STEPS = 32 };

struct feed {
	const char *name; /* for messages */
	int input, signals;
	bool follow;       /* the end of the file is not the end */
	uint64_t position; /* bytes that came */
	char *bytes;
};

/* path "-": standard input. position: start there, in a file; NULL: it need not be one.
 * False: it was complained. */
bool feed_open(struct feed *f, const char *path, bool follow, const uint64_t *position);
void feed_close(struct feed *f);

enum feed_result { FEED_BYTES_CAME, FEED_NOTHING_YET, FEED_ENDED, FEED_STOPPED, FEED_FAILED };

/* Waits at most so many milliseconds (-1: for ever). *length bytes are in f->bytes. */
enum feed_result feed_wait(struct feed *f, int milliseconds, size_t *length);

struct deadline {
	double step; /* seconds between two notes; 0: there is no deadline */
	double next;
	size_t count;
	alibi_stamp newest[2 * DEADLINE_STEPS + 1]; /* notes, the latest first */
};

void deadline_start(struct deadline *d, double seconds);
int deadline_milliseconds(const struct deadline *d); /* until the next note; -1: none */
/* Settles what it is time for. False: the watch failed. */
bool deadline_look(struct deadline *d, alibi_watch *w);

#endif
