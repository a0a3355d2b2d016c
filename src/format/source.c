/* source: see source.h. */
#include "format/source.h"

#include "base/guard.h"
#include "format/unpack.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RAW_BYTES = 1 << 16, WINDOW_BYTES = 1 << 18, MAGIC_BYTES = 6 };

static _Noreturn void fail_io(struct guard *g, const char *name, const char *what)
{
	struct place place = {.file = name};
	guard_fail(g, ALIBI_IO, &place, "%s: %s", what, strerror(errno));
}

static void close_fd(void *data)
{
	struct source *s = data;
	if (s->fd > STDIN_FILENO)
		close(s->fd);
}

/* More of the input as it is; 0: it has ended. */
static size_t read_some(struct source *s, char *to, size_t room)
{
	size_t n = s->bytes.length < room ? s->bytes.length : room;
	if (s->fd < 0) {
		memcpy(to, s->bytes.bytes, n);
		s->bytes.bytes += n;
		s->bytes.length -= n;
	} else {
		ssize_t got;
		do
			got = read(s->fd, to, room);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			fail_io(s->guard, s->name, "cannot read");
		n = (size_t)got;
	}
	s->guard->done += n;
	guard_look(s->guard);
	return n;
}

static void read_raw(struct source *s)
{
	if (s->raw_ended)
		return;
	size_t n = read_some(s, s->raw + s->raw_end, RAW_BYTES - s->raw_end);
	s->raw_end += n;
	s->raw_ended = n == 0;
}

static void start_unpacking(struct source *s)
{
	while (s->raw_end < MAGIC_BYTES && !s->raw_ended)
		read_raw(s);
	s->unpacker = unpacker_for(s->raw, s->raw_end);
	if (!s->unpacker)
		return;
	s->unpacking = s->unpacker->open(s->pool);
	if (!s->unpacking)
		guard_fail(s->guard, ALIBI_MEMORY, NULL, "no memory to unpack %s", s->name);
}

static struct source *source_new(struct pool *pool, const char *name)
{
	struct pool *own = pool_child(pool);
	struct source *s = pool_zalloc(own, sizeof *s);
	s->pool = own;
	s->guard = pool_guard(own);
	s->name = pool_text(own, name, strlen(name));
	s->fd = -1;
	return s;
}

/* total: bytes of the input; 0: not known. */
static struct source *start(struct source *s, uint64_t total)
{
	guard_stage(s->guard, "loading", total);
	s->raw = pool_alloc(s->pool, RAW_BYTES);
	s->capacity = WINDOW_BYTES;
	s->window = pool_zalloc(s->pool, s->capacity + SOURCE_PADDING);
	start_unpacking(s);
	return s;
}

struct source *source_open(struct pool *pool, const char *path)
{
	bool standard = !strcmp(path, "-");
	struct source *s = source_new(pool, standard ? "standard input" : path);
	struct stat status;
	s->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0)
		fail_io(s->guard, s->name, "cannot open");
	pool_defer(s->pool, close_fd, s);
	if (fstat(s->fd, &status))
		fail_io(s->guard, s->name, "cannot open");
	return start(s, S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0);
}

struct source *source_memory(struct pool *pool, const char *name, struct text bytes)
{
	struct source *s = source_new(pool, name);
	s->bytes = bytes;
	return start(s, bytes.length);
}

void source_close(struct source *s)
{
	pool_release(s->pool);
}

/* The end of the window, where unpacked bytes go. */
static size_t unpack_into_window(struct source *s)
{
	struct unpack_step step = {
	        .in = s->raw, .out = s->window, .out_at = s->end, .out_end = s->capacity};
	while (step.out_at == s->end) {
		if (s->raw_at == s->raw_end) {
			s->raw_at = s->raw_end = 0;
			read_raw(s);
		}
		step.in_at = s->raw_at;
		step.in_end = s->raw_end;
		step.last = s->raw_ended;
		enum unpack_result result = s->unpacker->step(s->unpacking, &step);
		s->raw_at = step.in_at;
		if (result == UNPACK_BROKEN)
			guard_fail(s->guard, ALIBI_INPUT, &(struct place){.file = s->name},
			           "the %s data is damaged or cut off", s->unpacker->name);
		if (result == UNPACK_TOO_LARGE)
			guard_fail(
			        s->guard, ALIBI_MEMORY, &(struct place){.file = s->name},
			        "unpacking this %s data takes more memory than is allowed; "
			        "decompress it first, or compress it again with a smaller window",
			        s->unpacker->name);
		if (result == UNPACK_DONE) {
			s->ended = true;
			break;
		}
	}
	return step.out_at - s->end;
}

static size_t read_into_window(struct source *s)
{
	if (s->raw_at < s->raw_end) { /* what was read to look for a magic */
		size_t n = s->raw_end - s->raw_at;
		memcpy(s->window + s->end, s->raw + s->raw_at, n);
		s->raw_at = s->raw_end;
		return n;
	}
	size_t n = read_some(s, s->window + s->end, s->capacity - s->end);
	s->ended = n == 0;
	return n;
}

/* Moves what is left to the front and adds to it; false: there is no more. */
static bool fill(struct source *s)
{
	if (s->ended)
		return false;
	if (s->at) {
		memmove(s->window, s->window + s->at, s->end - s->at);
		s->end -= s->at;
		s->at = 0;
	}
	if (s->capacity - s->end < RAW_BYTES) {
		s->capacity *= 2;
		s->window = pool_resize(s->pool, s->window, s->capacity + SOURCE_PADDING);
	}
	size_t n = s->unpacker ? unpack_into_window(s) : read_into_window(s);
	s->end += n;
	memset(s->window + s->end, 0, SOURCE_PADDING);
	return n > 0;
}

struct text source_peek(struct source *s, size_t wanted)
{
	while (s->end - s->at < wanted && fill(s))
		;
	size_t have = s->end - s->at;
	return (struct text){.bytes = s->window + s->at, .length = have < wanted ? have : wanted};
}

void source_skip_mark(struct source *s)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct text head = source_peek(s, sizeof mark);
	/* Three bytes and a zero would be a number of 64 bits. */
	if (head.length == sizeof mark && !memcmp(head.bytes, mark, 3) && head.bytes[3])
		s->at += 3;
}

bool source_line(struct source *s, struct text *line)
{
	size_t looked = 0;
	for (;;) {
		char *from = s->window + s->at;
		char *newline = memchr(from + looked, '\n', s->end - s->at - looked);
		if (newline) {
			*line = (struct text){.bytes = from, .length = (size_t)(newline - from)};
			s->at += line->length + 1;
			return true;
		}
		looked = s->end - s->at;
		if (!fill(s))
			break;
	}
	*line = (struct text){.bytes = s->window + s->at, .length = s->end - s->at};
	s->at = s->end;
	return line->length > 0;
}

struct text source_whole(struct source *s)
{
	while (fill(s))
		;
	struct text all = {.bytes = s->window + s->at, .length = s->end - s->at};
	s->at = s->end;
	return all;
}

/* ---- directories ---- */

bool source_is_directory(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Digits compare as numbers, the rest as bytes. */
static int natural(const void *x, const void *y)
{
	const char *a = *(const char *const *)x, *b = *(const char *const *)y;
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			char *a_end, *b_end;
			unsigned long long m = strtoull(a, &a_end, 10), n = strtoull(b, &b_end, 10);
			if (m != n)
				return m < n ? -1 : 1;
			a = a_end;
			b = b_end;
		} else if (*a != *b) {
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	return *a ? 1 : *b ? -1 : strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void close_directory(void *directory)
{
	closedir(directory);
}

void source_list(struct pool *pool, const char *directory, const char *suffix, path_vec *paths)
{
	struct pool *own = pool_child(pool);
	struct dirent *entry;
	DIR *d = opendir(directory);
	if (!d)
		fail_io(pool_guard(pool), directory, "cannot open");
	pool_defer(own, close_directory, d);
	while ((entry = readdir(d))) {
		if (!unpacker_suffix_matches(entry->d_name, suffix))
			continue;
		size_t length = strlen(directory) + strlen(entry->d_name) + 2;
		char *path = pool_alloc(pool, length);
		snprintf(path, length, "%s/%s", directory, entry->d_name);
		struct stat status;
		if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
			vec_push(pool, paths, path);
	}
	pool_release(own);
	if (paths->count)
		qsort(paths->items, paths->count, sizeof *paths->items, natural);
}
