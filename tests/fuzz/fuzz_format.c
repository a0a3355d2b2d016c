/*
 * fuzz_format: bytes into one format's reader.
 *
 * Whatever the bytes are, loading them ends in a history or in a message, and
 * takes memory of at most a constant times their number. A history that was
 * loaded can be saved as Alibi's own format; that loads again with the same
 * counts, and saved again it is the same text. Saved in the format it came from,
 * it is refused, or something is said to be dropped, or it loads again as a
 * history that is the same text as Alibi's own (a directory of no files is no
 * history, though). It can be checked.
 *
 * Which format is the macro FUZZ_FORMAT. The same file is built into the fuzzer
 * (main is libFuzzer's) and into the test that replays its corpus.
 *
 * Packed input is passed over: what it unpacks to may be a thousand times as
 * large. It is fuzz_unpack's.
 */
#include "alibi.h"
#include "format/unpack.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES_FIXED = 2 << 20, BYTES_EACH = 400 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	abort();
}

/* ---- files in memory, and a directory ---- */

struct file {
	int fd;
	char path[64];
};

static struct file memory_file(void)
{
	struct file f = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};
	assert(f.fd >= 0);
	snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
	return f;
}

static bool same_bytes(struct file x, struct file y)
{
	struct stat a, b;
	if (fstat(x.fd, &a) || fstat(y.fd, &b))
		abort();
	size_t size = (size_t)a.st_size;
	if (a.st_size != b.st_size || !size)
		return a.st_size == b.st_size;
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, x.fd, 0);
	void *q = mmap(NULL, size, PROT_READ, MAP_PRIVATE, y.fd, 0);
	if (p == MAP_FAILED || q == MAP_FAILED)
		abort();
	bool same = !memcmp(p, q, size);
	munmap(p, size);
	munmap(q, size);
	return same;
}

static char directory[] = "/tmp/fuzz-format-XXXXXX";

static void empty_directory(void)
{
	struct dirent *entry;
	DIR *d = opendir(directory);
	if (!d)
		abort();
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(d), entry->d_name, 0);
	closedir(d);
}

static void remove_directory(void)
{
	empty_directory();
	rmdir(directory);
}

static bool is_directory(void)
{
	for (size_t i = 0; i < alibi_format_count(); i++)
		if (!strcmp(alibi_format(i).name, FUZZ_FORMAT))
			return alibi_format(i).directory;
	return false;
}

/* A file under the name that it has where the format is a directory of files:
 * there it is the name of the session. */
static struct file named(struct file f)
{
	static bool made;
	if (!is_directory())
		return f;
	if (!made && (!mkdtemp(directory) || atexit(remove_directory)))
		abort();
	made = true;
	struct file link = {.fd = f.fd};
	snprintf(link.path, sizeof link.path, "%s/%s", directory,
	         strcmp(FUZZ_FORMAT, "cobra") ? "J1.log" : "T1.log");
	if (symlink(f.path, link.path))
		abort();
	return link;
}

/* ---- the claims ---- */

static const alibi_history *load_again(alibi *a, const char *path, const char *format)
{
	const alibi_history *h = alibi_load(a, path, &(alibi_load_options){.format = format});
	if (!h)
		fail("what was saved cannot be loaded", alibi_last_error(a)->text);
	return h;
}

static void save(alibi *a, const alibi_history *h, struct file f)
{
	if (!alibi_save(a, h, f.path, "alibi", NULL))
		fail("cannot be saved", alibi_last_error(a)->text);
}

static void same_counts(alibi_stats s, alibi_stats t)
{
	if (s.txns != t.txns || s.committed != t.committed || s.aborted != t.aborted ||
	    s.sessions != t.sessions || s.ops != t.ops || s.reads != t.reads ||
	    s.writes != t.writes || s.deletes != t.deletes || s.appends != t.appends ||
	    s.keys != t.keys || s.list_keys != t.list_keys || s.list_reads != t.list_reads ||
	    s.annotations != t.annotations || s.with_info != t.with_info ||
	    s.reads_with_writer != t.reads_with_writer || s.with_timestamps != t.with_timestamps ||
	    s.with_client_times != t.with_client_times)
		fail("what was saved", "has other counts when loaded");
}

/* saved: h as Alibi's own format. */
static void there_and_back(const alibi_history *h, struct file saved)
{
	struct file again = memory_file();
	alibi *a = alibi_new(NULL);
	const alibi_history *back = load_again(a, saved.path, "alibi");
	same_counts(alibi_history_stats(h), alibi_history_stats(back));
	save(a, back, again);
	if (!same_bytes(saved, again))
		fail("what was saved", "is another text when loaded and saved again");
	alibi_free(a);
	close(again.fd);
}

static void own_format_and_back(alibi *a, const alibi_history *h, struct file saved)
{
	struct file own = memory_file(), again = memory_file();
	const char *path = is_directory() ? directory : own.path, *dropped = NULL;
	bool no_files = is_directory() && !alibi_history_stats(h).txns;
	bool ok = alibi_save(a, h, path, FUZZ_FORMAT, &dropped);
	if (getenv("FUZZ_STRICT") && (!ok || dropped))
		fail("strict", ok ? dropped : alibi_last_error(a)->text);
	if (!ok && alibi_last_error(a)->code != ALIBI_INPUT)
		fail("not saved, and not refused", alibi_last_error(a)->text);
	if (ok && !dropped && !no_files) {
		alibi *other = alibi_new(NULL);
		save(other, load_again(other, path, FUZZ_FORMAT), again);
		if (!same_bytes(saved, again))
			fail("saved in its own format", "it is another history when loaded");
		alibi_free(other);
	}
	if (is_directory())
		empty_directory();
	close(own.fd);
	close(again.fd);
}

static void check(alibi *a, const alibi_history *h, const char *level)
{
	if (!alibi_check(a, h,
	                 &(alibi_check_options){.level = level, .order = ALIBI_ORDER_TIMESTAMPS}))
		fail("cannot be checked", alibi_last_error(a)->text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	if (unpacker_for((const char *)data, size))
		return 0;
	struct file in = memory_file(), saved = memory_file();
	if (write(in.fd, data, size) != (ssize_t)size)
		abort();
	alibi *a = alibi_new(NULL);
	const alibi_history *h =
	        alibi_load(a, named(in).path, &(alibi_load_options){.format = FUZZ_FORMAT});
	if (is_directory())
		empty_directory();
	if (alibi_peak_bytes(a) > BYTES_FIXED + BYTES_EACH * size)
		fail("too much memory", FUZZ_FORMAT);
	if (!h && alibi_last_error(a)->code != ALIBI_INPUT)
		fail("a failure that is not the input's", alibi_last_error(a)->text);
	if (h) {
		save(a, h, saved);
		there_and_back(h, saved);
		own_format_and_back(a, h, saved);
		check(a, h, "si");
		check(a, h, "ser");
		if (alibi_peak_bytes(a) > BYTES_FIXED + BYTES_EACH * size)
			fail("too much memory for checking", FUZZ_FORMAT);
	}
	alibi_free(a);
	close(in.fd);
	close(saved.fd);
	return 0;
}
