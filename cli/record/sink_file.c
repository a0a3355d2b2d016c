/*
 * sink_file: a file, or standard output. If its name ends in .zst it is compressed, each block as a
 * frame of its own, so that a file cut off between two blocks is still valid.
 *
 * The file is truncated only when the first block is written: a recording that never begins
 * destroys nothing.
 */
#include "output.h"
#include "sink.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { PART_BYTES = 1 << 20, PATIENCE_NS = 1000000000, PACK_LEVEL = 1 };

struct file {
	const char *path;
	int fd;
	bool packed, begun;
	int error; /* the first errno */
	struct text frame;
};

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);
	return n >= m && !strcmp(path + n - m, end);
}

static void *file_open(const char *path)
{
	if (ends_in(path, ".gz") || ends_in(path, ".xz")) {
		print_error("record", "%s: only .zst files can be compressed", path);
		return NULL;
	}
	struct file *f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	f->path = path;
	f->packed = ends_in(path, ".zst");
	f->fd = strcmp(path, "-") ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666)
	                          : STDOUT_FILENO;
	if (f->fd < 0) {
		print_error("record", "%s: %s", path, strerror(errno));
		free(f);
		return NULL;
	}
	return f;
}

static void write_all(struct file *f, const char *data, size_t length)
{
	while (length && !f->error) {
		ssize_t n = write(f->fd, data, length);
		if (n < 0 && errno != EINTR)
			f->error = errno;
		if (n > 0) {
			data += n;
			length -= (size_t)n;
		}
	}
}

/* Truncates a regular file. */
static void begin(struct file *f)
{
	struct stat is;
	f->begun = true;
	if (f->fd != STDOUT_FILENO && !fstat(f->fd, &is) && S_ISREG(is.st_mode) &&
	    ftruncate(f->fd, 0))
		f->error = errno;
}

static void file_write(void *own, const char *data, size_t length)
{
	struct file *f = own;
	if (!f->begun)
		begin(f);
	if (!f->packed) {
		write_all(f, data, length);
		return;
	}
	size_t bound = ZSTD_compressBound(length);
	text_cut(&f->frame, 0);
	text_room(&f->frame, bound);
	size_t n = ZSTD_compress(f->frame.data, bound, data, length, PACK_LEVEL);
	if (ZSTD_isError(n))
		f->error = ENOMEM;
	else
		write_all(f, f->frame.data, n);
}

static bool file_is_full(void *own)
{
	(void)own;
	return false;
}

static bool file_failed(void *own)
{
	return ((struct file *)own)->error;
}

static bool file_close(void *own)
{
	struct file *f = own;
	if (f->fd != STDOUT_FILENO && close(f->fd) && !f->error)
		f->error = errno;
	bool ok = !f->error;
	if (!ok)
		print_error("record", "%s: %s; the history is not whole", f->path,
		            strerror(f->error));
	text_release(&f->frame);
	free(f);
	return ok;
}

const struct journal_sink journal_file = {
        .part_bytes = PART_BYTES,
        .patience_ns = PATIENCE_NS,
        .open = file_open,
        .write = file_write,
        .is_full = file_is_full,
        .failed = file_failed,
        .close = file_close,
};
