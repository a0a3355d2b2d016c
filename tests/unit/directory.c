/* directory: see directory.h. */
#include "directory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct directory directory_make(void)
{
	struct directory d = {.path = "/tmp/alibi-test-XXXXXX"};
	assert_non_null(mkdtemp(d.path));
	return d;
}

static void path_in(const struct directory *d, const char *name, char path[512])
{
	assert_true(snprintf(path, 512, "%s/%s", d->path, name) < 512);
}

/* Calls what() on each file, if it is not NULL, and counts them. */
static size_t each_file(const struct directory *d, int (*what)(const char *path))
{
	size_t count = 0;
	char path[512];
	struct dirent *entry;
	DIR *all = opendir(d->path);
	assert_non_null(all);
	while ((entry = readdir(all))) {
		if (entry->d_name[0] == '.')
			continue;
		path_in(d, entry->d_name, path);
		if (what)
			assert_int_equal(what(path), 0);
		count++;
	}
	closedir(all);
	return count;
}

size_t directory_count(const struct directory *d)
{
	return each_file(d, NULL);
}

void directory_remove(struct directory *d)
{
	each_file(d, unlink);
	assert_int_equal(rmdir(d->path), 0);
}

void directory_put(const struct directory *d, const char *name, const void *bytes, size_t length)
{
	char path[512];
	path_in(d, name, path);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, length, f), length);
	assert_int_equal(fclose(f), 0);
}

void directory_put_text(const struct directory *d, const char *name, const char *text)
{
	directory_put(d, name, text, strlen(text));
}

char *directory_get(const struct directory *d, const char *name, size_t *length)
{
	char path[512];
	enum { MAX = 4096 };
	path_in(d, name, path);
	FILE *f = fopen(path, "rb");
	if (!f)
		fail_msg("there is no file %s", name);
	char *text = calloc(1, MAX);
	assert_non_null(text);
	size_t n = fread(text, 1, MAX - 1, f);
	fclose(f);
	if (length)
		*length = n;
	return text;
}

const struct history *directory_load(struct test *t, const struct directory *d, const char *format)
{
	const alibi_history *h =
	        alibi_load(t->job, d->path,
	                   &(alibi_load_options){ALIBI_INIT(alibi_load_options), .format = format});
	if (!h)
		fail_msg("refused: %s", alibi_last_error(t->job)->text);
	return (const struct history *)h;
}

const char *directory_save(struct test *t, const struct directory *d, const struct history *h,
                           const char *format)
{
	const char *dropped = NULL;
	if (!alibi_save(t->job, (const alibi_history *)h, d->path, format, &dropped))
		fail_msg("not saved: %s", alibi_last_error(t->job)->text);
	return dropped ? dropped : "";
}

const char *directory_save_error(struct test *t, const struct history *h, const char *format)
{
	struct directory d = directory_make();
	bool saved = alibi_save(t->job, (const alibi_history *)h, d.path, format, NULL);
	directory_remove(&d);
	if (saved)
		fail_msg("written, but it should have been refused");
	const alibi_error *e = alibi_last_error(t->job);
	return e->file ? e->text + strlen(e->file) + 2 : e->text;
}
