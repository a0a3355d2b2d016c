/* feed: what is added to a followed file right before another one gets its name is read, too. */
#include "directory.h"

#include "feed.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What feed_file.c takes from feed.c: here there is no HTTP server, and no signal comes. */
bool feed_error(const struct feed *f, const char *what, const char *why)
{
	(void)f;
	(void)what;
	(void)why;
	return false;
}

enum feed_result feed_signalled(const struct feed *f)
{
	(void)f;
	return FEED_STOPPED;
}

/* The file is written at the worst moment: when the watch has found nothing more in
 * it, and asks for its name. The linker calls these instead of stat(). */
static const struct directory *rotated; /* NULL: it was, or shall not be */

static void rotate(void)
{
	char path[80], old[80];
	snprintf(path, sizeof path, "%s/stream", rotated->path);
	snprintf(old, sizeof old, "%s/stream.1", rotated->path);
	FILE *f = fopen(path, "a");
	assert_non_null(f);
	fputs("two\n", f);
	fclose(f);
	assert_int_equal(rename(path, old), 0);
	directory_put_text(rotated, "stream", "three\n");
	rotated = NULL;
}

int __wrap_stat(const char *path, struct stat *status);
int __wrap_stat64(const char *path, struct stat *status);

int __wrap_stat(const char *path, struct stat *status)
{
	if (rotated)
		rotate();
	return fstatat(AT_FDCWD, path, status, 0);
}

int __wrap_stat64(const char *path, struct stat *status)
{
	return __wrap_stat(path, status);
}

static void test_rotated(void **state)
{
	struct directory d = directory_make();
	struct feed f = {.follow = true};
	char path[80], read[80] = "";
	int signals[2];
	enum feed_result result = FEED_NOTHING_YET;
	(void)state;
	directory_put_text(&d, "stream", "one\n");
	snprintf(path, sizeof path, "%s/stream", d.path);
	assert_int_equal(pipe(signals), 0);
	f.signals = signals[0];
	assert_true(feed_file.open(&f, path, false));
	rotated = &d;
	for (int i = 0; i < 20 && (result == FEED_NOTHING_YET || result == FEED_BYTES_CAME); i++) {
		f.length = 0;
		result = feed_file.wait(&f, 10);
		snprintf(read + strlen(read), sizeof read - strlen(read), "%.*s", (int)f.length,
		         f.bytes);
	}
	assert_int_equal(result, FEED_ENDED);
	assert_string_equal(read, "one\ntwo\n");
	assert_int_equal(f.place, strlen(read));
	feed_file.close(&f);
	close(signals[0]);
	close(signals[1]);
	directory_remove(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rotated)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
