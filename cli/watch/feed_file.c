/*
 * feed_file: a stream from a file, which may grow, a pipe, or standard input. A place is a byte
 * offset, and its mark a fingerprint of the bytes right before it.
 */
#include "feed.h"

#include "fingerprint.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18, PIPE_BYTES = 1 << 20, MARK_BYTES = 4096, FOLLOW_MILLISECONDS = 50 };

struct file {
	int fd;
	const char *path; /* NULL: it has no name */
	bool regular;
	bool renamed; /* another file has this name now */
	char bytes[BUFFER_BYTES];
};

/* To the place of the checkpoint. */
static bool seek_to_place(struct feed *f, const struct stat *status)
{
	struct file *file = f->own;
	if (!file->regular)
		return feed_error(f, "cannot resume from a checkpoint", "it is not a regular file");
	if ((uint64_t)status->st_size < f->place)
		return feed_error(f, "cannot resume from the checkpoint",
		                  "the file is shorter than it was; name the file that was "
		                  "watched, or remove the checkpoint");
	return lseek(file->fd, (off_t)f->place, SEEK_SET) >= 0 ||
	       feed_error(f, "cannot read", strerror(errno));
}

static bool file_open(struct feed *f, const char *path, bool has_places)
{
	struct stat status;
	struct file *file = f->own = malloc(sizeof *file);
	if (!file)
		return feed_error(f, "cannot open", strerror(errno));
	file->path = strcmp(path, "-") != 0 ? path : NULL;
	/* Non-blocking: a named pipe without a writer must not block here. */
	file->fd = file->path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : STDIN_FILENO;
	if (file->fd < 0 || fstat(file->fd, &status))
		return feed_error(f, "cannot open", strerror(errno));
	file->renamed = false;
	file->regular = S_ISREG(status.st_mode);
	fcntl(file->fd, F_SETPIPE_SZ, PIPE_BYTES); /* of a pipe, if the system lets us */
	return !has_places || seek_to_place(f, &status);
}

static bool file_mark(const struct feed *f, uint64_t at, uint64_t *mark)
{
	const struct file *file = f->own;
	char before[MARK_BYTES];
	size_t length = at < MARK_BYTES ? (size_t)at : MARK_BYTES;
	ssize_t n = pread(file->fd, before, length, (off_t)(at - length));
	if (n < 0)
		return feed_error(f, "cannot read", strerror(errno));
	*mark = fingerprint(before, (size_t)n);
	return true;
}

/* At the end of the file: can it grow? It may have been truncated or replaced; bytes appended
 * before that are read first. */
static enum feed_result can_grow(const struct feed *f)
{
	struct file *file = f->own;
	struct stat ours, named;
	if (fstat(file->fd, &ours))
		return feed_error(f, "cannot read", strerror(errno)), FEED_FAILED;
	if ((uint64_t)ours.st_size < f->place)
		return feed_error(f, "cannot continue",
		                  "the file is shorter than what was read of it, so new "
		                  "transactions would be missed; start the watch again, "
		                  "without the checkpoint"),
		       FEED_FAILED;
	if (!file->renamed) {
		file->renamed = file->path && !stat(file->path, &named) &&
		                (ours.st_dev != named.st_dev || ours.st_ino != named.st_ino);
		return FEED_NOTHING_YET;
	}
	feed_error(f, "the end", "another file has this name now");
	return FEED_ENDED;
}

/* Are the first bytes those of a compressed stream? Then the error has been reported. */
static bool is_compressed(const struct feed *f, const char *bytes, size_t length)
{
	static const struct {
		size_t length;
		const char *magic, *what;
	} kinds[] = {
	        {2, "\x1f\x8b",
	         "it is compressed by gzip; decompress it: zcat FILE | alibi watch … -"},
	        {4, "\x28\xb5\x2f\xfd",
	         "it is compressed by zstd; decompress it: zstdcat FILE | alibi watch … -"},
	        {6,
	         "\xfd"
	         "7zXZ",
	         "it is compressed by xz; decompress it: xzcat FILE | alibi watch … -"},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (length >= kinds[i].length && !memcmp(bytes, kinds[i].magic, kinds[i].length))
			return !feed_error(f, "cannot read", kinds[i].what);
	return false;
}

static enum feed_result file_wait(struct feed *f, int milliseconds)
{
	struct file *file = f->own;
	struct pollfd both[] = {{.fd = f->signals, .events = POLLIN},
	                        {.fd = file->fd, .events = POLLIN}};
	int ready = poll(both, 2, milliseconds);
	if (ready < 0 && errno != EINTR)
		return feed_error(f, "cannot read", strerror(errno)), FEED_FAILED;
	if (ready <= 0)
		return FEED_NOTHING_YET;
	if (both[0].revents)
		return feed_signalled(f);
	ssize_t n = read(file->fd, file->bytes, BUFFER_BYTES);
	if (n < 0 && errno != EINTR && errno != EAGAIN)
		return feed_error(f, "cannot read", strerror(errno)), FEED_FAILED;
	if (n < 0)
		return FEED_NOTHING_YET;
	if (!f->place && is_compressed(f, file->bytes, (size_t)n))
		return FEED_FAILED;
	if (n) {
		f->bytes = file->bytes;
		f->length = (size_t)n;
		f->place += f->length;
		return FEED_BYTES_CAME;
	}
	enum feed_result more = f->follow && file->regular ? can_grow(f) : FEED_ENDED;
	if (more != FEED_NOTHING_YET)
		return more;
	if (milliseconds < 0 || milliseconds > FOLLOW_MILLISECONDS)
		milliseconds = FOLLOW_MILLISECONDS;
	return poll(both, 1, milliseconds) > 0 ? feed_signalled(f) : FEED_NOTHING_YET;
}

static void file_close(struct feed *f)
{
	struct file *file = f->own;
	if (file->fd > STDIN_FILENO)
		close(file->fd);
	free(file);
}

const struct feed_source feed_file = {
        .open = file_open, .mark = file_mark, .wait = file_wait, .close = file_close};
