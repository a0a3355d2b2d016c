/*
 * fuzz_format: bytes into one format's reader.
 *
 * Whatever the bytes are, loading them ends in a history or in a message; takes
 * memory of at most a constant times their number; and a history that was
 * loaded can be saved as Alibi's own format and loaded again with the same
 * counts. Which format is the macro FUZZ_FORMAT. The same file is built into
 * the fuzzer (main is libFuzzer's) and into the test that replays its corpus.
 */
#include "alibi.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES_FIXED = 2 << 20, BYTES_EACH = 400 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static int memory_file(char path[64])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	assert(fd >= 0);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	abort();
}

static void load_again(const char *path, const alibi_stats *before)
{
	alibi *a = alibi_new(NULL);
	const alibi_history *h = alibi_load(a, path, &(alibi_load_options){.format = "alibi"});
	if (!h)
		fail("what was saved cannot be loaded", alibi_last_error(a)->text);
	alibi_stats s = alibi_history_stats(h);
	if (s.txns != before->txns || s.committed != before->committed ||
	    s.aborted != before->aborted || s.sessions != before->sessions ||
	    s.ops != before->ops || s.reads != before->reads || s.writes != before->writes ||
	    s.deletes != before->deletes || s.appends != before->appends ||
	    s.annotations != before->annotations || s.with_info != before->with_info ||
	    s.reads_with_writer != before->reads_with_writer ||
	    s.with_timestamps != before->with_timestamps ||
	    s.with_client_times != before->with_client_times)
		fail("what was saved", "has other counts when loaded");
	alibi_free(a);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char in[64], out[64];
	int from = memory_file(in), to = memory_file(out);
	if (write(from, data, size) != (ssize_t)size)
		abort();
	alibi *a = alibi_new(NULL);
	const alibi_history *h = alibi_load(a, in, &(alibi_load_options){.format = FUZZ_FORMAT});
	if (alibi_peak_bytes(a) > BYTES_FIXED + BYTES_EACH * size)
		fail("too much memory", FUZZ_FORMAT);
	if (!h && alibi_last_error(a)->code != ALIBI_INPUT)
		fail("a failure that is not the input's", alibi_last_error(a)->text);
	if (h) {
		alibi_stats s = alibi_history_stats(h);
		if (!alibi_save(a, h, out, "alibi", NULL))
			fail("cannot be saved", alibi_last_error(a)->text);
		load_again(out, &s);
		alibi_check(a, h,
		            &(alibi_check_options){.level = "si", .order = ALIBI_ORDER_TIMESTAMPS});
		alibi_check(
		        a, h,
		        &(alibi_check_options){.level = "ser", .order = ALIBI_ORDER_TIMESTAMPS});
	}
	alibi_free(a);
	close(from);
	close(to);
	return 0;
}
