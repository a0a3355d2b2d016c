/* sink: see sink.h. */
#include "format/sink.h"

#include "base/guard.h"
#include "format/source.h"
#include "history/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLUSH_BYTES = 1 << 16 };

static _Noreturn void fail_io(struct sink *s, const char *what)
{
	struct place place = {.file = s->name};
	guard_fail(s->guard, ALIBI_IO, &place, "%s: %s", what, strerror(errno));
}

/* When the job fails. Only a regular file is removed: not a device, not a pipe. */
static void abandon(void *data)
{
	struct sink *s = data;
	struct stat status;
	if (s->fd <= STDERR_FILENO)
		return;
	bool ours = fstat(s->fd, &status) == 0 && S_ISREG(status.st_mode);
	close(s->fd);
	if (ours)
		unlink(s->name);
}

struct sink *sink_open(struct pool *pool, const struct output *to, const char *suffix)
{
	struct pool *own = pool_child(pool);
	struct sink *s = pool_zalloc(own, sizeof *s);
	bool standard = to->path && !strcmp(to->path, "-");
	s->pool = own;
	s->guard = pool_guard(own);
	s->to = *to;
	s->name = standard ? "standard output" : to->path ? to->path : "the output";
	s->suffix = suffix;
	s->fd = standard ? STDOUT_FILENO : -1;
	pool_defer(own, abandon, s);
	guard_stage(s->guard, "writing", 0);
	if (suffix && (standard || !to->path))
		guard_fail(s->guard, ALIBI_USAGE, NULL,
		           "this format is a directory of files; name one to write to");
	return s;
}

struct sink *sink_in_memory(struct pool *pool)
{
	struct sink *s = pool_zalloc(pool, sizeof *s);
	*s = (struct sink){.pool = pool,
	                   .guard = pool_guard(pool),
	                   .name = "memory",
	                   .in_memory = true,
	                   .fd = -1};
	return s;
}

static void flush(struct sink *s)
{
	size_t at = 0;
	if (!s->to.path) {
		if (s->buffer.count && !s->to.write(s->to.data, s->buffer.items, s->buffer.count))
			guard_fail(s->guard, ALIBI_IO, NULL, "writing the output failed");
		at = s->buffer.count;
	} else if (s->fd < 0) {
		s->fd = open(s->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (s->fd < 0)
			fail_io(s, "cannot write");
	}
	while (at < s->buffer.count) {
		ssize_t n = write(s->fd, s->buffer.items + at, s->buffer.count - at);
		if (n < 0 && errno != EINTR)
			fail_io(s, "cannot write");
		if (n > 0)
			at += (size_t)n;
	}
	s->buffer.count = 0;
	guard_look(s->guard);
}

static void end_file(struct sink *s)
{
	flush(s);
	int fd = s->fd;
	s->fd = -1;
	if (fd > STDERR_FILENO && close(fd))
		fail_io(s, "cannot write");
}

static void start_directory(struct sink *s)
{
	path_vec there = {0};
	if (!mkdir(s->to.path, 0777))
		return;
	if (errno != EEXIST)
		fail_io(s, "cannot make the directory");
	source_list(s->pool, s->to.path, s->suffix, &there);
	if (there.count)
		guard_fail(s->guard, ALIBI_USAGE, NULL,
		           "%s exists, and the two histories would become one; name "
		           "another directory, or remove its files ending in %s",
		           there.items[0], s->suffix);
}

void sink_file(struct sink *s, const char *name)
{
	if (s->name != s->to.path)
		end_file(s);
	else
		start_directory(s);
	size_t length = strlen(s->to.path) + strlen(name) + 2;
	char *path = pool_alloc(s->pool, length);
	snprintf(path, length, "%s/%s", s->to.path, name);
	s->name = path;
}

void sink_close(struct sink *s, struct pool *pool, const char **dropped)
{
	if (!s->suffix || s->name != s->to.path)
		end_file(s);
	if (dropped)
		*dropped = s->dropped.count ? pool_text(pool, s->dropped.items, s->dropped.count)
		                            : NULL;
	pool_release(s->pool);
}

static void flush_if_full(struct sink *s)
{
	if (s->buffer.count >= FLUSH_BYTES && !s->in_memory)
		flush(s);
}

void sink_add(struct sink *s, const void *bytes, size_t length)
{
	text_add(s->pool, &s->buffer, bytes, length);
	flush_if_full(s);
}

void sink_text(struct sink *s, const char *text)
{
	sink_add(s, text, strlen(text));
}

void sink_escaped(struct sink *s, enum escape_style style, const char *text, size_t length)
{
	for (struct escape e = escape_of(style, text, length); escape_next(&e);) {
		sink_add(s, e.piece, e.length);
		guard_tick(s->guard);
	}
}

void sink_addf(struct sink *s, const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	sink_text(s, text);
}

void sink_integer(struct sink *s, int64_t n)
{
	text_add_integer(s->pool, &s->buffer, n);
	flush_if_full(s);
}

void sink_value(struct sink *s, alibi_value v)
{
	text_add_value(s->pool, &s->buffer, v);
	flush_if_full(s);
}

void sink_atom(struct sink *s, const struct history *h, uint32_t value)
{
	text_add_atom(s->pool, &s->buffer, h, value, SIZE_MAX);
	flush_if_full(s);
}

void sink_drops(struct sink *s, const char *what)
{
	size_t length = strlen(what);
	for (size_t at = 0; at + length <= s->dropped.count; at++)
		if (!memcmp(s->dropped.items + at, what, length))
			return;
	if (s->dropped.count)
		text_add(s->pool, &s->dropped, ", ", 2);
	text_add(s->pool, &s->dropped, what, length);
}

void sink_refuse(struct sink *s, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	guard_say(s->guard, ALIBI_INPUT, NULL, format, args);
	va_end(args);
	guard_out(s->guard);
}
