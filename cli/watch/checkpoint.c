/* checkpoint: see checkpoint.h. */
#include "checkpoint.h"

#include "clock.h"
#include "fingerprint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool report_error(const struct checkpoint *c, const char *path, const char *what)
{
	notice(c->notices, NOTICE_ERROR, path, "%s", what);
	return false;
}

/* ---- the first line ---- */

/* The positions in the stream and the log; the rest is the library's, with its own checksum. */
enum { LINE_BYTES = 120 };

static void make_line(char line[LINE_BYTES], const struct feed_place *place, uint64_t log)
{
	int n = snprintf(line, LINE_BYTES, "alibi checkpoint 1 %" PRIu64 " %016" PRIx64 " %" PRIu64,
	                 place->at, place->mark, log);
	snprintf(line + n, LINE_BYTES - (size_t)n, " %016" PRIx64 "\n",
	         fingerprint(line, (size_t)n));
}

static bool take_line(struct checkpoint *c, const char *line)
{
	char as_made[LINE_BYTES];
	uint64_t sum;
	if (sscanf(line, "alibi checkpoint 1 %" SCNu64 " %" SCNx64 " %" SCNu64 " %" SCNx64,
	           &c->place.at, &c->place.mark, &c->log, &sum) != 4)
		return report_error(c, c->path,
		                    "this is not a checkpoint, or one of another version; name "
		                    "another file, or remove it to start over");
	make_line(as_made, &c->place, c->log);
	return !strcmp(line, as_made) ||
	       report_error(c, c->path, "the checkpoint is damaged; remove it to start over");
}

/* ---- reading ---- */

static bool take(struct checkpoint *c, alibi *job, alibi_watch *w, const char *bytes, size_t length)
{
	char line[LINE_BYTES] = "";
	const char *end = memchr(bytes, '\n', length < sizeof line ? length : sizeof line - 1);
	if (end)
		memcpy(line, bytes, (size_t)(end + 1 - bytes));
	if (!take_line(c, line))
		return false;
	if (alibi_watch_load(w, end + 1, length - (size_t)(end + 1 - bytes)))
		return true;
	return report_error(c, c->path, alibi_last_error(job)->text);
}

/* Is this the file at the path? */
static bool stands_at(FILE *f, const char *path)
{
	struct stat file, there;
	return f && !fstat(fileno(f), &file) && !stat(path, &there) &&
	       file.st_dev == there.st_dev && file.st_ino == there.st_ino;
}

/* As long as it is open. Without file locks in the system there is no lock. */
static bool lock(struct checkpoint *c, FILE *f, const char *path)
{
	if ((!flock(fileno(f), LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) && stands_at(f, path))
		return true;
	return report_error(c, path,
	                    "another watch uses this checkpoint; end it, or name another file");
}

bool checkpoint_load(struct checkpoint *c, alibi *job, alibi_watch *w)
{
	struct stat status;
	c->next = clock_seconds() + c->every;
	if (!c->path)
		return true;
	c->held = fopen(c->path, "rbe");
	if (!c->held)
		return errno == ENOENT || report_error(c, c->path, strerror(errno));
	if (!lock(c, c->held, c->path))
		return false;
	bool ok = !fstat(fileno(c->held), &status) && S_ISREG(status.st_mode) && status.st_size > 0;
	size_t length = ok ? (size_t)status.st_size : 0;
	void *bytes = MAP_FAILED;
	if (ok)
		bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fileno(c->held), 0);
	if (bytes == MAP_FAILED)
		return report_error(c, c->path, ok ? strerror(errno) : "this is not a checkpoint");
	ok = take(c, job, w, bytes, length);
	c->written = clock_seconds() - difftime(time(NULL), status.st_mtime);
	munmap(bytes, length);
	return ok;
}

void checkpoint_close(struct checkpoint *c)
{
	if (c->held)
		fclose(c->held);
	c->held = NULL;
}

/* ---- writing ---- */

static bool write_to(void *data, const void *bytes, size_t length)
{
	return fwrite(bytes, 1, length, data) == length;
}

bool checkpoint_is_due(const struct checkpoint *c, uint64_t at)
{
	return c->path && at != c->place.at && clock_seconds() >= c->next;
}

/* Writes the new file, and renames it over the old one. */
static bool replace(struct checkpoint *c, FILE *f, const char *beside, alibi_watch *w,
                    const struct feed_place *place, uint64_t log)
{
	struct stat status;
	char line[LINE_BYTES];
	if (!stands_at(c->held, c->path) && !stat(c->path, &status))
		return report_error(c, c->path,
		                    "another watch has written this checkpoint; end it, or name "
		                    "another file");
	make_line(line, place, log);
	if (!ftruncate(fileno(f), 0) && fputs(line, f) >= 0 && alibi_watch_save(w, write_to, f) &&
	    !fflush(f) && !fsync(fileno(f)) && !rename(beside, c->path))
		return true;
	notice(c->notices, NOTICE_ERROR, c->path,
	       "the checkpoint could not be written: %s; fix this, and start the watch again: it "
	       "resumes from the previous checkpoint",
	       strerror(errno));
	unlink(beside);
	return false;
}

bool checkpoint_save(struct checkpoint *c, alibi_watch *w, struct feed_place place, uint64_t log)
{
	size_t room = c->path ? strlen(c->path) + sizeof ".new" : 0;
	char *beside = c->path ? malloc(room) : NULL;
	if (!c->path)
		return true;
	if (!beside)
		return report_error(c, c->path, "out of memory");
	snprintf(beside, room, "%s.new", c->path);
	FILE *f = fopen(beside, "abe");
	if (!f)
		notice(c->notices, NOTICE_ERROR, c->path,
		       "no checkpoint can be written here: %s; fix this, or name another file",
		       strerror(errno));
	bool ok = f && lock(c, f, beside) && replace(c, f, beside, w, &place, log);
	free(beside);
	if (!ok) {
		if (f)
			fclose(f);
		return false;
	}
	checkpoint_close(c);
	c->held = f;
	c->place = place;
	c->log = log;
	c->written = clock_seconds();
	c->next = c->written + c->every;
	notice(c->notices, NOTICE_CHECKPOINT, c->path,
	       "written, at position %" PRIu64 " of the stream", place.at);
	return true;
}
