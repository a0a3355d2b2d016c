/*
 * feed: the bytes of a stream, from a file or a NATS server.
 *
 * Reads are non-blocking up to a timeout: in between, findings are printed, the watermark advances,
 * and signals are handled.
 *
 * A place in the stream is a number of its source: bytes of a file, messages of a queue. Everything
 * before it has been read. A place has a mark: a fingerprint of the bytes before it, or of the
 * identity of the stream on the server. If the mark differs it is another stream, and resuming from
 * the place would skip transactions.
 *
 * A deadline is in wall-clock time, but the library knows only the database's timestamps. So the
 * newest timestamp is sampled periodically: the one of a deadline ago becomes the watermark, and no
 * transaction is expected to start before the one of two deadlines ago. Time during which the
 * source is away does not count.
 */
#ifndef ALIBI_WATCH_FEED_H
#define ALIBI_WATCH_FEED_H

#include "notices.h"

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
	const struct notices *notices;
	const struct feed_source *source;
	void *own;
	int signals; /* signals.h */
	bool follow; /* the end of a file is not the end */
	/* The last piece. */
	const char *bytes;
	size_t length;
	uint64_t place;   /* behind it */
	uint64_t message; /* its first message; 0: not from a queue */
	/* Messages missing before it, from and until; 0: none. */
	uint64_t gone_from, gone_until;
	double away_since; /* by clock_seconds(): the source does not answer; 0: it does */
	bool was_away;     /* since this was last reset */
};

/* Failures are reported. */
struct feed_source {
	bool whole_lines; /* a piece ends at a line end */
	/* Starts at f->place. Without has_places that is 0, and the source needs no places. */
	bool (*open)(struct feed *f, const char *path, bool has_places);
	/* The mark of the stream at this place. */
	bool (*mark)(const struct feed *f, uint64_t at, uint64_t *mark);
	/* Waits at most so many milliseconds (-1: no limit). */
	enum feed_result (*wait)(struct feed *f, int milliseconds);
	void (*close)(struct feed *f);
};

extern const struct feed_source feed_file, feed_nats;

/* path: a file, "-" for standard input, or nats://host:port/STREAM. from: where to start; NULL: at
 * the start, and feed_mark() is not called. */
bool feed_open(struct feed *f, const struct notices *notices, const char *path, bool follow,
               const struct feed_place *from);
/* The place, with its mark. */
bool feed_mark(const struct feed *f, uint64_t at, struct feed_place *place);
enum feed_result feed_wait(struct feed *f, int milliseconds);
void feed_close(struct feed *f);

/* ---- for sources ---- */

bool feed_error(const struct feed *f, const char *what, const char *why); /* false */
/* FEED_STOPPED or FEED_HUNG_UP, by the pending signal. */
enum feed_result feed_signalled(const struct feed *f);

struct deadline {
	double step; /* seconds between samples; 0: no deadline */
	double next;
	size_t count;
	alibi_stamp newest[2 * DEADLINE_STEPS + 1]; /* samples, newest first */
};

void deadline_start(struct deadline *d, double seconds);
int deadline_milliseconds(const struct deadline *d); /* until the next sample; -1: none */
void deadline_restart(struct deadline *d);           /* forgets all samples */
/* Advances the watermark if it is time. False: the watch failed. */
bool deadline_check(struct deadline *d, alibi_watch *w);

static inline alibi_watch_stats watch_stats(const alibi_watch *w)
{
	alibi_watch_stats stats = {ALIBI_INIT(alibi_watch_stats)};
	alibi_watch_statistics(w, &stats);
	return stats;
}

#endif
