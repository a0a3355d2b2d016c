/*
 * fuzz_unpack: bytes into gzip, xz and zstd, or into none of them.
 *
 * Whatever the bytes are, taking them whole ends within a memory limit of
 * 64 MiB in their text, in "damaged" or in "too much memory"; taking them line
 * by line ends in the same text. What is not packed comes out as it went in.
 */
#include "base/guard.h"
#include "format/source.h"
#include "format/unpack.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_MEMORY = 64 << 20 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	abort();
}

/* What came out: its bytes, line ends not counted, and a hash of them. */
struct outcome {
	enum alibi_code code;
	uint64_t bytes, hash;
};

static void add(struct outcome *o, struct text t)
{
	for (size_t i = 0; i < t.length; i++) {
		if (t.bytes[i] == '\n')
			continue;
		o->bytes++;
		o->hash = (o->hash ^ (unsigned char)t.bytes[i]) * 0x100000001b3u;
	}
	const volatile char *padding = t.bytes + t.length; /* must be there to read */
	for (size_t i = 0; i < SOURCE_PADDING; i++)
		(void)padding[i];
}

static struct outcome unpack(const char *path, bool by_line)
{
	struct guard guard;
	guard_init(&guard);
	guard.max_memory = MAX_MEMORY;
	struct pool *pool = pool_root(&guard);
	struct outcome *o = calloc(1, sizeof *o);
	assert(pool && o);
	if (guard_enter(&guard)) {
		struct source *s = source_open(pool, path);
		struct text t;
		if (by_line)
			while (source_line(s, &t))
				add(o, t);
		else
			add(o, source_whole(s));
		source_close(s);
	}
	guard_leave(&guard);
	o->code = guard.error.code;
	if (o->code != ALIBI_OK && o->code != ALIBI_INPUT && o->code != ALIBI_MEMORY)
		fail("neither the input's fault nor the limit's", guard.error.text);
	if (guard.peak > MAX_MEMORY)
		fail("the limit", "was passed");
	pool_release(pool);
	if (guard.used)
		fail("memory", "that is counted and not given back");
	struct outcome result = *o;
	free(o);
	return result;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	assert(fd >= 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (write(fd, data, size) != (ssize_t)size)
		abort();
	struct outcome whole = unpack(path, false), lines = unpack(path, true);
	bool out_of_memory = whole.code == ALIBI_MEMORY; /* lines need less */
	if (!out_of_memory && whole.code != lines.code)
		fail("whole and by line", "have other ends");
	if (whole.code == ALIBI_OK && (whole.bytes != lines.bytes || whole.hash != lines.hash))
		fail("whole and by line", "are other texts");
	if (!unpacker_for((const char *)data, size)) {
		struct outcome plain = {0};
		char *copy = calloc(1, size + SOURCE_PADDING);
		assert(copy);
		memcpy(copy, data, size);
		add(&plain, (struct text){.bytes = copy, .length = size});
		free(copy);
		if (whole.code != ALIBI_OK || whole.hash != plain.hash)
			fail("what is not packed", "came out changed");
	}
	close(fd);
	return 0;
}
