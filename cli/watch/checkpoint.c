/* checkpoint: see checkpoint.h. */
#include "checkpoint.h"

#include "moment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool complain(const struct checkpoint *c, const char *path, const char *what)
{
	note(c->notes, NOTE_ERROR, path, "%s", what);
	return false;
}

/* ---- reading ---- */

/* The first line says where the stream and the log were; the rest is the library's. */
static bool take(struct checkpoint *c, alibi *job, alibi_watch *w, const char *bytes, size_t length)
{
	char line[80] = "";
	const char *end = memchr(bytes, '\n', length < sizeof line ? length : sizeof line - 1);
	if (end)
		memcpy(line, bytes, (size_t)(end - bytes));
	if (sscanf(line, "alibi checkpoint 1 %" SCNu64 " %" SCNu64, &c->place, &c->log) != 2)
		return complain(c, c->path, "this is not a checkpoint");
	if (alibi_watch_load(w, end + 1, length - (size_t)(end + 1 - bytes)))
		return true;
	return complain(c, c->path, alibi_last_error(job)->text);
}

bool checkpoint_load(struct checkpoint *c, alibi *job, alibi_watch *w)
{
	struct stat status;
	c->next = moment() + c->every;
	if (!c->path)
		return true;
	int fd = open(c->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || complain(c, c->path, strerror(errno));
	bool ok = !fstat(fd, &status) && status.st_size > 0;
	size_t length = ok ? (size_t)status.st_size : 0;
	void *bytes = ok ? mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	close(fd);
	if (bytes == MAP_FAILED)
		return complain(c, c->path, ok ? strerror(errno) : "this is not a checkpoint");
	ok = take(c, job, w, bytes, length);
	c->written = moment() - difftime(time(NULL), status.st_mtime);
	munmap(bytes, length);
	return ok;
}

/* ---- writing ---- */

static bool write_to(void *data, const void *bytes, size_t length)
{
	return fwrite(bytes, 1, length, data) == length;
}

bool checkpoint_is_due(const struct checkpoint *c, uint64_t place)
{
	return c->path && place != c->place && moment() >= c->next;
}

bool checkpoint_save(struct checkpoint *c, alibi *job, alibi_watch *w, uint64_t place, uint64_t log)
{
	size_t room = c->path ? strlen(c->path) + sizeof ".new" : 0;
	char *beside = c->path ? malloc(room) : NULL;
	if (!c->path)
		return true;
	if (!beside)
		return complain(c, c->path, "the system has no memory left");
	snprintf(beside, room, "%s.new", c->path);
	FILE *f = fopen(beside, "wb");
	bool ok = f && fprintf(f, "alibi checkpoint 1 %" PRIu64 " %" PRIu64 "\n", place, log) > 0;
	bool made = ok && alibi_watch_save(w, write_to, f);
	ok = made && !fflush(f) && !fsync(fileno(f));
	if (f && fclose(f))
		ok = false;
	ok = ok && !rename(beside, c->path);
	if (!ok)
		complain(c, beside,
		         f && !made && alibi_last_error(job)->code != ALIBI_OK
		                 ? alibi_last_error(job)->text
		                 : strerror(errno));
	free(beside);
	c->place = place;
	c->log = log;
	c->written = moment();
	c->next = c->written + c->every;
	if (ok)
		note(c->notes, NOTE_CHECKPOINT, c->path,
		     "written, at place %" PRIu64 " of the stream", place);
	return ok;
}
