/* support: see support.h. Files are anonymous, in memory. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct test test_start(void)
{
	struct test t = {.job = alibi_new()};
	assert_non_null(t.job);
	return t;
}

void test_release(struct test *t)
{
	alibi_free(t->job);
	free(t->text);
	*t = (struct test){0};
}

static int memory_file(const void *bytes, size_t length, char path[64])
{
	int fd = memfd_create("history", 0);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), (ssize_t)length);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static const struct history *load(struct test *t, const char *format, const void *bytes,
                                  size_t length)
{
	char path[64];
	int fd = memory_file(bytes, length, path);
	const alibi_history *h =
	        alibi_load(t->job, path,
	                   &(alibi_load_options){ALIBI_INIT(alibi_load_options), .format = format});
	close(fd);
	return (const struct history *)h;
}

const struct history *load_bytes(struct test *t, const char *format, const void *bytes,
                                 size_t length)
{
	const struct history *h = load(t, format, bytes, length);
	if (!h)
		fail_msg("refused: %s", alibi_last_error(t->job)->text);
	return h;
}

const struct history *load_text(struct test *t, const char *format, const char *text)
{
	return load_bytes(t, format, text, strlen(text));
}

static const char *message_without_file(struct test *t)
{
	const alibi_error *e = alibi_last_error(t->job);
	if (!e->file)
		return e->text;
	const char *text = e->text + strlen(e->file);
	return *text == ':' ? text + 1 + (text[1] == ' ') : text;
}

const char *load_error_bytes(struct test *t, const char *format, const void *bytes, size_t length)
{
	if (load(t, format, bytes, length))
		fail_msg("accepted, but it should have been refused");
	return message_without_file(t);
}

const char *load_error(struct test *t, const char *format, const char *text)
{
	return load_error_bytes(t, format, text, strlen(text));
}

const char *saved(struct test *t, const struct history *h, const char *format, size_t *length)
{
	char path[64];
	int fd = memory_file("", 0, path);
	if (!alibi_save(t->job, (const alibi_history *)h, path, format, NULL))
		fail_msg("not saved: %s", alibi_last_error(t->job)->text);
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = malloc((size_t)size + 1);
	assert_non_null(text);
	free(t->text);
	t->text = text;
	assert_int_equal(pread(fd, text, (size_t)size, 0), size);
	text[size] = 0;
	close(fd);
	if (length)
		*length = (size_t)size;
	return text;
}

const char *save_error(struct test *t, const struct history *h, const char *format)
{
	if (alibi_save(t->job, (const alibi_history *)h, "/dev/null", format, NULL))
		fail_msg("written, but it should have been refused");
	return message_without_file(t);
}

const char *save_drops(struct test *t, const struct history *h, const char *format)
{
	const char *dropped = NULL;
	if (!alibi_save(t->job, (const alibi_history *)h, "/dev/null", format, &dropped))
		fail_msg("not saved: %s", alibi_last_error(t->job)->text);
	return dropped ? dropped : "";
}

void loads_refused(const char *format, const struct refusal *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct test t = test_start();
		assert_string_equal(load_error(&t, format, cases[i].text), cases[i].message);
		test_release(&t);
	}
}

void saves_refused(const char *format, const struct refusal *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct test t = test_start();
		const struct history *h = load_text(&t, "alibi", cases[i].text);
		assert_string_equal(save_error(&t, h, format), cases[i].message);
		test_release(&t);
	}
}
