/* journal: see journal.h. */
#include "journal.h"

#include "clock.h"
#include "output.h"
#include "sink.h"
#include "text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct journal {
	pthread_mutex_t lock;
	const struct journal_sink *sink;
	void *own; /* the sink's */
	uint64_t written_ns;
	struct text part;
};

static const struct journal_sink *sink_for(const char *path)
{
	if (strncmp(path, "nats://", strlen("nats://")) != 0)
		return &journal_file;
#if HAVE_NATS
	return &journal_nats;
#else
	print_error("record",
	            "%s: this program was built without NATS; install libnats-dev and "
	            "build it again with -Dnats=enabled",
	            path);
	return NULL;
#endif
}

struct journal *journal_open(const char *path)
{
	struct journal *j = calloc(1, sizeof *j);
	if (!j)
		return NULL;
	j->sink = sink_for(path);
	j->own = j->sink ? j->sink->open(path) : NULL;
	if (!j->own) {
		free(j);
		return NULL;
	}
	pthread_mutex_init(&j->lock, NULL);
	return j;
}

/* Under the lock. */
static void write_part(struct journal *j)
{
	j->written_ns = clock_ns();
	if (j->part.length)
		j->sink->write(j->own, j->part.data, j->part.length);
	text_cut(&j->part, 0);
}

void journal_add(struct journal *j, const char *lines, size_t length)
{
	if (!j || !length)
		return;
	pthread_mutex_lock(&j->lock);
	text_add(&j->part, lines, length);
	if (j->part.length >= j->sink->part_bytes)
		write_part(j);
	pthread_mutex_unlock(&j->lock);
}

void journal_tick(struct journal *j)
{
	if (!j)
		return;
	pthread_mutex_lock(&j->lock);
	if (clock_ns() - j->written_ns >= j->sink->patience_ns)
		write_part(j);
	pthread_mutex_unlock(&j->lock);
}

bool journal_is_full(struct journal *j)
{
	return j && j->sink->is_full(j->own);
}

bool journal_failed(struct journal *j)
{
	if (!j)
		return false;
	pthread_mutex_lock(&j->lock);
	bool failed = j->sink->failed(j->own);
	pthread_mutex_unlock(&j->lock);
	return failed;
}

bool journal_close(struct journal *j)
{
	if (!j)
		return true;
	write_part(j);
	bool ok = j->sink->close(j->own);
	pthread_mutex_destroy(&j->lock);
	text_release(&j->part);
	free(j);
	return ok;
}
