/*
 * fuzz_verdict: histories into the search, certificates into the verifier.
 *
 * Whatever the history is: the verifier accepts what the search found; what holds at
 * a level holds at every weaker one; what the database's timestamps explain, the search
 * does not call a violation; and a certificate with one byte changed proves nothing
 * else than before, if it proves anything.
 */
#include "alibi.h"
#include "format/unpack.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const char *const levels[] = {"rc", "ra",  "cc",  "pc",
                                     "si", "ser", "sser"}; /* weaker ones first */
enum { LEVELS = 7 };

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why ? why : "");
	abort();
}

static int memory_file(const void *bytes, size_t size, char path[64])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	assert(fd >= 0);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	if (write(fd, bytes, size) != (ssize_t)size)
		abort();
	return fd;
}

/* NULL: this level is not for this order. */
static const alibi_result *check(alibi *a, const alibi_history *h, const char *level,
                                 enum alibi_order order)
{
	const alibi_result *r =
	        alibi_check(a, h, &(alibi_check_options){.level = level, .order = order});
	if (!r && alibi_last_error(a)->code != ALIBI_USAGE)
		fail("cannot be checked", alibi_last_error(a)->text);
	if (r && r->reason && !strncmp(r->reason, "a fault of Alibi", 16))
		fail(level, r->reason);
	return r;
}

static void try_certificate(alibi *a, const alibi_history *h, const char *level,
                            const alibi_result *r, const unsigned char *data, size_t size)
{
	char path[64];
	int fd = memory_file(r->certificate, r->certificate_length, path);
	const alibi_verification *v = alibi_verify(a, h, path);
	if (!v || !v->accepted || v->verdict != r->verdict)
		fail("its own certificate is refused", level);
	size_t at = data[size / 2] * 7919u % r->certificate_length;
	unsigned char byte = (unsigned char)(r->certificate[at] ^ (1 + data[0] % 255));
	if (pwrite(fd, &byte, 1, (off_t)at) != 1)
		abort();
	v = alibi_verify(a, h, path);
	if (v && v->accepted && v->verdict != r->verdict && !strcmp(v->level, level))
		fail("a damaged certificate proves the contrary", level);
	close(fd);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	enum alibi_verdict verdict[LEVELS];
	char path[64];
	if (!size || unpacker_for((const char *)data, size))
		return 0;
	int fd = memory_file(data, size, path);
	alibi *a = alibi_new(NULL);
	const alibi_history *h = alibi_load(a, path, &(alibi_load_options){.format = "alibi"});
	for (int i = 0; h && i < LEVELS; i++) {
		const alibi_result *r = check(a, h, levels[i], ALIBI_ORDER_NONE);
		const alibi_result *t = check(a, h, levels[i], ALIBI_ORDER_TIMESTAMPS);
		verdict[i] = r ? r->verdict : ALIBI_UNKNOWN;
		if (t && t->verdict == ALIBI_VALID && verdict[i] == ALIBI_VIOLATES)
			fail("timestamps explain what the search does not", levels[i]);
		if (r && r->certificate)
			try_certificate(a, h, levels[i], r, data, size);
		if (i && verdict[i] == ALIBI_VALID && verdict[i - 1] == ALIBI_VIOLATES)
			fail("a stronger level holds, this one does not", levels[i - 1]);
	}
	alibi_free(a);
	close(fd);
	return 0;
}
