/*
 * status: what a running watch shows through --http.
 *
 * The checking thread must not wait for requests. So it publishes copies, several times a second:
 * some figures, and the latest findings as lines of JSON. Requests copy these. The lock is held
 * only while copying, and only the checking thread calls the library.
 *
 * Findings can be long (a list that was read has all its elements), so they are truncated.
 */
#ifndef ALIBI_WATCH_STATUS_H
#define ALIBI_WATCH_STATUS_H

#include "text.h"

#include <alibi.h>
#include <stdbool.h>
#include <stdint.h>

enum { STATUS_LATEST = 50, STATUS_RATES = 120, STATUS_WAKE_MILLISECONDS = 250 };

/* Times are those of clock_seconds(); 0: it never happened. */
struct status_facts {
	alibi_watch_stats stats;
	bool has_checkpoint;
	double checkpoint; /* when the latest was written */
	double away_since; /* since when the source does not answer */
	uint64_t place;
	double published, came; /* when these were published; when a transaction last arrived */
	/* Transactions a second, second by second, the latest first. */
	size_t rate_count;
	double rates[STATUS_RATES];
};

struct status;

/* The texts must outlive it. NULL: no memory. */
struct status *status_new(const char *stream, const char *level, bool by_timestamps);
void status_free(struct status *b);

/* ---- for the checking thread ---- */

bool status_is_due(const struct status *b);
/* Takes all members but `published`, `came` and the rates. */
void status_publish(struct status *b, const struct status_facts *facts);
void status_add(struct status *b, const alibi_watch_event *e);
/* The next bytes of the stream: findings are shown with their transactions. */
void status_take_bytes(struct status *b, const char *bytes, size_t length);

/* ---- for other threads ---- */

struct status_view {
	const char *stream, *level;
	double started;  /* seconds since 1970 */
	double now;      /* clock_seconds() */
	size_t resident; /* memory of the program, bytes */
	struct status_facts facts;
};

struct status_view status_read(struct status *b);
/* Adds the latest findings, violations or others, newest first, as a JSON list. */
void status_latest(struct status *b, bool violations, struct text *t);

/* Adds the picture of the violation with this number; false: there is none. */
bool status_picture(struct status *b, uint64_t number, struct text *t);

/* Recent transactions a second. */
double status_rate(const struct status_view *v);
/* How far the watermark is behind the newest commit; false: there is no watermark yet. */
bool status_lag(const struct status_view *v, uint64_t *lag);
/* Why nothing is being checked; NULL: it is. */
const char *status_problem(const struct status_view *v);

#endif
