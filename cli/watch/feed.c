/* feed: see feed.h. */
#include "feed.h"

#include "moment.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLLOW_MILLISECONDS = 50, PIPE_BYTES = 1 << 20 };

static bool complain(const struct feed *f, const char *what)
{
	fprintf(stderr, "alibi watch: %s: %s: %s\n", f->name, what, strerror(errno));
	return false;
}

/* From where it was; only of a file. */
static bool go_to(struct feed *f, const struct stat *status, uint64_t position)
{
	if (!S_ISREG(status->st_mode)) {
		fprintf(stderr,
		        "alibi watch: %s: a checkpoint says where in a file the watch was; "
		        "this is none\n",
		        f->name);
		return false;
	}
	if ((uint64_t)status->st_size < position) {
		fprintf(stderr,
		        "alibi watch: %s is shorter than it was at the checkpoint: it is "
		        "another file; name that one, or remove the checkpoint\n",
		        f->name);
		return false;
	}
	f->position = position;
	return lseek(f->input, (off_t)position, SEEK_SET) >= 0 || complain(f, "cannot read");
}

bool feed_open(struct feed *f, const char *path, bool follow, const uint64_t *position)
{
	bool standard = !strcmp(path, "-");
	struct stat status;
	sigset_t signals;
	*f = (struct feed){.name = standard ? "standard input" : path, .signals = -1};
	f->input = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (f->input < 0 || fstat(f->input, &status))
		return complain(f, "cannot open");
	f->follow = follow && S_ISREG(status.st_mode);
	if (position && !go_to(f, &status, *position))
		return false;
	fcntl(f->input, F_SETPIPE_SZ, PIPE_BYTES); /* of a pipe, if the system lets us */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	f->signals = signalfd(-1, &signals, SFD_CLOEXEC);
	f->bytes = malloc(FEED_BYTES);
	if (f->signals < 0 || !f->bytes)
		return complain(f, "cannot open");
	return true;
}

void feed_close(struct feed *f)
{
	if (f->input > STDIN_FILENO)
		close(f->input);
	if (f->signals >= 0)
		close(f->signals);
	free(f->bytes);
}

enum feed_result feed_wait(struct feed *f, int milliseconds, size_t *length)
{
	struct pollfd both[] = {{.fd = f->signals, .events = POLLIN},
	                        {.fd = f->input, .events = POLLIN}};
	*length = 0;
	int ready = poll(both, 2, milliseconds);
	if (ready < 0 && errno != EINTR)
		return complain(f, "cannot read"), FEED_FAILED;
	if (ready <= 0)
		return FEED_NOTHING_YET;
	if (both[0].revents)
		return FEED_STOPPED;
	ssize_t n = read(f->input, f->bytes, FEED_BYTES);
	if (n < 0 && errno != EINTR && errno != EAGAIN)
		return complain(f, "cannot read"), FEED_FAILED;
	if (n < 0)
		return FEED_NOTHING_YET;
	*length = (size_t)n;
	f->position += *length;
	if (n)
		return FEED_BYTES_CAME;
	if (!f->follow)
		return FEED_ENDED;
	if (milliseconds < 0 || milliseconds > FOLLOW_MILLISECONDS)
		milliseconds = FOLLOW_MILLISECONDS;
	return poll(both, 1, milliseconds) > 0 ? FEED_STOPPED : FEED_NOTHING_YET;
}

/* ---- the deadline ---- */

void deadline_start(struct deadline *d, double seconds)
{
	*d = (struct deadline){.step = seconds / DEADLINE_STEPS};
	d->next = moment() + d->step;
}

int deadline_milliseconds(const struct deadline *d)
{
	double left = d->next - moment();
	if (d->step <= 0)
		return -1;
	return left <= 0 ? 0 : (int)(left * 1e3) + 1;
}

bool deadline_look(struct deadline *d, alibi_watch *w)
{
	if (d->step <= 0 || moment() < d->next)
		return true;
	d->next = moment() + d->step;
	alibi_watch_stats stats = alibi_watch_statistics(w);
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
