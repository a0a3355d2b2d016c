/* feed: see feed.h. */
#include "feed.h"

#include "clock.h"
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

bool feed_error(const struct feed *f, const char *what, const char *why)
{
	notice(f->notices, NOTICE_ERROR, f->name, "%s: %s", what, why);
	return false;
}

enum feed_result feed_signalled(const struct feed *f)
{
	return signals_take(f->signals) == SIGHUP ? FEED_HUNG_UP : FEED_STOPPED;
}

/* Is it the stream of the checkpoint? */
static bool is_same(const struct feed *f, const struct feed_place *from)
{
	struct feed_place here;
	return feed_mark(f, from->at, &here) &&
	       (here.mark == from->mark ||
	        feed_error(
	                f, "cannot resume from the checkpoint",
	                "it is of another stream; name the one that was watched (if the file was "
	                "rotated, concatenate its parts), or remove the checkpoint to start over"));
}

bool feed_open(struct feed *f, const struct notices *notices, const char *path, bool follow,
               const struct feed_place *from)
{
	bool nats = !strncmp(path, "nats://", strlen("nats://"));
	*f = (struct feed){.name = strcmp(path, "-") != 0 ? path : "standard input",
	                   .notices = notices,
	                   .follow = follow,
	                   .place = from ? from->at : 0};
	f->signals = signals_open(notices);
	if (f->signals < 0)
		return feed_error(f, "cannot open", strerror(errno));
	f->source = nats ? &feed_nats : &feed_file;
	return f->source->open(f, path, from) && (!from || !from->mark || is_same(f, from));
}

bool feed_mark(const struct feed *f, uint64_t at, struct feed_place *place)
{
	place->at = at;
	return f->source->mark(f, at, &place->mark);
}

enum feed_result feed_wait(struct feed *f, int milliseconds)
{
	f->length = 0;
	f->gone_from = f->gone_until = 0;
	return f->source->wait(f, milliseconds);
}

void feed_close(struct feed *f)
{
	if (f->own)
		f->source->close(f);
}

/* ---- the deadline ---- */

void deadline_start(struct deadline *d, double seconds)
{
	*d = (struct deadline){.step = seconds / DEADLINE_STEPS};
	d->next = clock_seconds() + d->step;
}

int deadline_milliseconds(const struct deadline *d)
{
	double left = d->next - clock_seconds();
	if (d->step <= 0)
		return -1;
	return left <= 0 ? 0 : (int)(left * 1e3) + 1;
}

void deadline_restart(struct deadline *d)
{
	d->count = 0;
	d->next = clock_seconds() + d->step;
}

bool deadline_check(struct deadline *d, alibi_watch *w)
{
	if (d->step <= 0 || clock_seconds() < d->next)
		return true;
	d->next = clock_seconds() + d->step;
	alibi_watch_stats stats = watch_stats(w);
	if (!stats.any_stamp)
		return true;
	memmove(d->newest + 1, d->newest, sizeof d->newest - sizeof *d->newest);
	d->newest[0] = stats.newest;
	if (d->count < sizeof d->newest / sizeof *d->newest)
		d->count++;
	if (d->count <= DEADLINE_STEPS)
		return true;
	alibi_stamp oldest = {.physical = INT64_MIN, .logical = INT64_MIN};
	if (d->count > 2 * DEADLINE_STEPS)
		oldest = d->newest[2 * DEADLINE_STEPS];
	return alibi_watch_advance(w, d->newest[DEADLINE_STEPS], oldest);
}
