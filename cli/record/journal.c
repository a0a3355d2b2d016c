/* journal: see journal.h. */
#include "journal.h"

#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

enum { PART_BYTES = 1 << 20, PACK_LEVEL = 1 };

struct journal {
	pthread_mutex_t lock;
	const char *path;
	int fd;
	bool packed;
	int error; /* errno of what went wrong first */
	time_t written;
	struct text part, frame;
};

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);
	return n >= m && !strcmp(path + n - m, end);
}

struct journal *journal_open(const char *path)
{
	if (ends_in(path, ".gz") || ends_in(path, ".xz")) {
		fprintf(stderr, "alibi record: %s: only .zst can be packed\n", path);
		return NULL;
	}
	struct journal *j = calloc(1, sizeof *j);
	if (!j)
		return NULL;
	j->path = path;
	j->packed = ends_in(path, ".zst");
	j->fd = strcmp(path, "-") ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
	                          : STDOUT_FILENO;
	if (j->fd < 0) {
		fprintf(stderr, "alibi record: %s: %s\n", path, strerror(errno));
		free(j);
		return NULL;
	}
	pthread_mutex_init(&j->lock, NULL);
	return j;
}

static void write_all(struct journal *j, const char *data, size_t length)
{
	while (length && !j->error) {
		ssize_t n = write(j->fd, data, length);
		if (n < 0 && errno != EINTR)
			j->error = errno;
		if (n > 0) {
			data += n;
			length -= (size_t)n;
		}
	}
}

/* Under the lock. */
static void write_part(struct journal *j)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	j->written = now.tv_sec;
	if (!j->part.length)
		return;
	if (j->packed) {
		size_t bound = ZSTD_compressBound(j->part.length);
		text_cut(&j->frame, 0);
		text_room(&j->frame, bound);
		size_t n = ZSTD_compress(j->frame.data, bound, j->part.data, j->part.length,
		                         PACK_LEVEL);
		if (ZSTD_isError(n))
			j->error = ENOMEM;
		else
			write_all(j, j->frame.data, n);
	} else {
		write_all(j, j->part.data, j->part.length);
	}
	text_cut(&j->part, 0);
}

void journal_add(struct journal *j, const char *lines, size_t length)
{
	pthread_mutex_lock(&j->lock);
	text_add(&j->part, lines, length);
	if (j->part.length >= PART_BYTES)
		write_part(j);
	pthread_mutex_unlock(&j->lock);
}

void journal_tick(struct journal *j)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&j->lock);
	if (now.tv_sec > j->written)
		write_part(j);
	pthread_mutex_unlock(&j->lock);
}

bool journal_failed(struct journal *j)
{
	pthread_mutex_lock(&j->lock);
	bool failed = j->error;
	pthread_mutex_unlock(&j->lock);
	return failed;
}

bool journal_close(struct journal *j)
{
	write_part(j);
	if (j->fd != STDOUT_FILENO && close(j->fd) && !j->error)
		j->error = errno;
	bool ok = !j->error;
	if (!ok)
		fprintf(stderr, "alibi record: %s: %s; the history is not whole\n", j->path,
		        strerror(j->error));
	pthread_mutex_destroy(&j->lock);
	text_release(&j->part);
	text_release(&j->frame);
	free(j);
	return ok;
}
