/*
 * support: what the unit tests share. A job, histories from text and back.
 */
#ifndef ALIBI_TESTS_SUPPORT_H
#define ALIBI_TESTS_SUPPORT_H

/* cmocka wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings/findings.h"
#include "history/history.h"

/* One job a test; test_release() ends it and everything in it. */
struct test {
	alibi *job;
	char *text; /* what saved() returned last */
};

struct test test_start(void);
void test_release(struct test *t);

/* Loads text as if it were a file; fails the test when it is refused. */
const struct history *load_text(struct test *t, const char *format, const char *text);
const struct history *load_bytes(struct test *t, const char *format, const void *bytes,
                                 size_t length);
/* The message with which it is refused, the file's name cut off ("1:7: expected …");
 * fails the test when it is accepted. */
const char *load_error(struct test *t, const char *format, const char *text);
const char *load_error_bytes(struct test *t, const char *format, const void *bytes, size_t length);

/* The history in a format that is one file, as text with a NUL; valid until the next call. */
const char *saved(struct test *t, const struct history *h, const char *format, size_t *length);

/* The message with which writing it is refused, the file's name cut off; fails the
 * test when it is written. */
const char *save_error(struct test *t, const struct history *h, const char *format);
/* What writing it leaves out; "" if nothing. */
const char *save_drops(struct test *t, const struct history *h, const char *format);

/* What is refused, and the message. Texts to load, or histories (as Alibi writes them)
 * to save in a format. */
struct refusal {
	const char *text, *message;
};

void loads_refused(const char *format, const struct refusal *cases, size_t count);
void saves_refused(const char *format, const struct refusal *cases, size_t count);

#define assert_loads_refused(format, cases)                                                        \
	loads_refused((format), (cases), sizeof(cases) / sizeof *(cases))
#define assert_saves_refused(format, cases)                                                        \
	saves_refused((format), (cases), sizeof(cases) / sizeof *(cases))

#define assert_saved(t, h, format, expected)                                                       \
	assert_string_equal(saved((t), (h), (format), NULL), (expected))

#endif
