/*
 * feed: bytes of a stream, as they come, from wherever they do.
 *
 * Between two pieces somebody may want to know: what came out, whether it is time to
 * settle, whether the user wants an end. Nothing here waits longer than it was told.
 *
 * A place in the stream is a number that the source understands: bytes of a file,
 * messages of a queue. All before it came; what comes next is what stands there.
 * It says nothing about another stream, so a mark goes with it: a fingerprint of what stood
 * before the place, or of what the server knows the stream by. Where it differs, the stream is
 * another one, and to go on from the place would leave out transactions.
 *
 * A deadline is a moment of our clock, and the library knows only the database's. So the
 * newest timestamp is noted now and then: what was the newest a deadline ago is settled
 * now, and nothing that starts before what was the newest two deadlines ago is expected.
 * While the source is away nothing can arrive, so that this time does not count.
 */
#ifndef ALIBI_WATCH_FEED_H
#define ALIBI_WATCH_FEED_H

#include "notes.h"

#include <alibi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEADLINE_STEPS = 32 };

enum feed_result {
	FEED_BYTES_CAME,
	FEED_NOTHING_YET,
	FEED_ENDED,
	FEED_HUNG_UP, /* SIGHUP: the log may have been renamed */
	FEED_STOPPED,
	FEED_FAILED
};

struct feed_place {
	uint64_t at;
	uint64_t mark; /* of the stream it is in; 0: none, and any will do */
};

struct feed {
	const char *name; /* for messages */
	const struct notes *notes;
	const struct feed_source *source;
	void *own;
	int signals; /* signals.h */
	bool follow; /* the end of a file is not the end */
	/* What came last. */
	const char *bytes;
	size_t length;
	uint64_t place;   /* behind it */
	uint64_t message; /* the first of the messages that it is; 0: it is none */
	/* The messages that were gone before it, from and until; 0: none were. */
	uint64_t gone_from, gone_until;
	double away_since; /* by clock_seconds(): the source does not answer; 0: it does */
	bool was_away;     /* at some time since somebody last asked */
};

/* Failures are reported. */
struct feed_source {
	bool whole_lines; /* a piece does not end within a line */
	/* It starts at f->place; if not has_places, that is 0, and there need not be places. */
	bool (*open)(struct feed *f, const char *path, bool has_places);
	/* What the stream is known by, if all before this came. */
	bool (*mark)(const struct feed *f, uint64_t at, uint64_t *mark);
	/* Waits at most so many milliseconds (-1: for ever). */
	enum feed_result (*wait)(struct feed *f, int milliseconds);
	void (*close)(struct feed *f);
};

extern const struct feed_source feed_file, feed_nats;

/* path: a file, "-" for standard input, or nats://host:port/STREAM. from: where to start; NULL:
 * at the start, and nobody will ask for a mark. */
bool feed_open(struct feed *f, const struct notes *notes, const char *path, bool follow,
               const struct feed_place *from);
/* The place, with its mark. */
bool feed_mark(const struct feed *f, uint64_t at, struct feed_place *place);
enum feed_result feed_wait(struct feed *f, int milliseconds);
void feed_close(struct feed *f);

/* ---- for sources ---- */

bool feed_error(const struct feed *f, const char *what, const char *why); /* false */
/* What a signal that came wants: FEED_STOPPED or FEED_HUNG_UP. */
enum feed_result feed_signalled(const struct feed *f);

struct deadline {
	double step; /* seconds between two notes; 0: there is no deadline */
	double next;
	size_t count;
	alibi_stamp newest[2 * DEADLINE_STEPS + 1]; /* notes, the latest first */
};

void deadline_start(struct deadline *d, double seconds);
int deadline_milliseconds(const struct deadline *d); /* until the next note; -1: none */
void deadline_begin_again(struct deadline *d);       /* the time until now does not count */
/* Settles what it is time for. False: the watch failed. */
bool deadline_look(struct deadline *d, alibi_watch *w);

#endif
