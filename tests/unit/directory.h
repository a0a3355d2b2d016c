/*
 * directory: a temporary directory, for the formats that are one.
 */
#ifndef ALIBI_TESTS_DIRECTORY_H
#define ALIBI_TESTS_DIRECTORY_H

#include "support.h"

struct directory {
	char path[40];
};

struct directory directory_make(void);
void directory_remove(struct directory *d);

void directory_put(const struct directory *d, const char *name, const void *bytes, size_t length);
void directory_put_text(const struct directory *d, const char *name, const char *text);
/* With a NUL at the end; to be freed. Fails the test when there is no such file. */
char *directory_get(const struct directory *d, const char *name, size_t *length);
size_t directory_count(const struct directory *d);

/* Loading, and writing what was loaded; they fail the test when it is refused. */
const struct history *directory_load(struct test *t, const struct directory *d, const char *format);
/* Returns what was dropped, or "". */
const char *directory_save(struct test *t, const struct directory *d, const struct history *h,
                           const char *format);
/* The message with which writing is refused, without the path. */
const char *directory_save_error(struct test *t, const struct history *h, const char *format);

#endif
