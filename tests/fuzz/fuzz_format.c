/*
 * fuzz_format: bytes into one format's reader.
 *
 * Whatever the bytes are, loading them ends in a history or in a message, and
 * takes memory of at most a constant times their number. A history that was
 * loaded can be saved as Alibi's own format; that loads again with the same
 * counts, and saved again it is the same text. It can be checked.
 *
 * Saved in the format it came from, it is refused, or something is said to be
 * dropped, or it loads again and is, saved as Alibi's own, the same text. Three
 * formats claim less:
 * - A directory without files is no history, so Cobra's and Viper's are left out
 *   if there are no transactions.
 * - Viper's writer decides itself for which keys it says that they start as
 *   null: the header is not compared.
 * - Jepsen's writer sorts operations by time, as far as they have any, and gives
 *   members of an operation an order of its own: the counts are compared, and
 *   that its text, loaded and written again, has the same bytes in some order.
 *
 * A history in Alibi's own format is saved in all others, too: it is refused, or
 * loads again with the same counts if nothing is said to be dropped.
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

static alibi_stats stats_of(const alibi_history *h)
{
	alibi_stats stats = {ALIBI_INIT(alibi_stats)};
	alibi_history_stats(h, &stats);
	return stats;
}

static alibi_format_info format_info(size_t index)
{
	alibi_format_info info = {ALIBI_INIT(alibi_format_info)};
	alibi_format_at(index, &info);
	return info;
}

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

enum likeness { EXACTLY, BUT_FOR_HEADER, IN_SOME_ORDER };

struct bytes {
	const char *at;
	size_t length;
};

static struct bytes mapped(struct file f)
{
	struct stat status;
	if (fstat(f.fd, &status))
		abort();
	struct bytes all = {.at = "", .length = (size_t)status.st_size};
	if (all.length)
		all.at = mmap(NULL, all.length, PROT_READ, MAP_PRIVATE, f.fd, 0);
	if (all.at == MAP_FAILED)
		abort();
	return all;
}

/* Without its header, if it has one. */
static struct bytes body(struct bytes text)
{
	static const char header[] = "{\"alibi\"";
	const char *end = text.length ? memchr(text.at, '\n', text.length) : NULL;
	if (!end || strncmp(text.at, header, strlen(header)) != 0)
		return text;
	size_t length = (size_t)(end + 1 - text.at);
	return (struct bytes){.at = text.at + length, .length = text.length - length};
}

static bool same_bytes(struct bytes x, struct bytes y)
{
	return x.length == y.length && !memcmp(x.at, y.at, x.length);
}

static bool same_bytes_in_some_order(struct bytes x, struct bytes y)
{
	size_t count[256] = {0};
	for (size_t i = 0; i < x.length; i++)
		count[(unsigned char)x.at[i]]++;
	for (size_t i = 0; i < y.length; i++)
		count[(unsigned char)y.at[i]]--;
	for (size_t i = 0; i < 256; i++)
		if (count[i])
			return false;
	return true;
}

static bool same_text(struct file x, struct file y, enum likeness how)
{
	struct bytes a = mapped(x), b = mapped(y);
	bool same = how == EXACTLY          ? same_bytes(a, b)
	            : how == BUT_FOR_HEADER ? same_bytes(body(a), body(b))
	                                    : same_bytes_in_some_order(a, b);
	if (a.length)
		munmap((void *)(uintptr_t)a.at, a.length);
	if (b.length)
		munmap((void *)(uintptr_t)b.at, b.length);
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

static void make_directory(void)
{
	static bool made;
	if (!made && (!mkdtemp(directory) || atexit(remove_directory)))
		abort();
	made = true;
}

static bool is_directory(void)
{
	for (size_t i = 0; i < alibi_format_count(); i++)
		if (!strcmp(format_info(i).name, FUZZ_FORMAT))
			return format_info(i).directory;
	return false;
}

/* A file under the name that it has where the format is a directory of files:
 * there it is the name of the session. */
static struct file named(struct file f)
{
	if (!is_directory())
		return f;
	make_directory();
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
	const alibi_history *h = alibi_load(
	        a, path, &(alibi_load_options){ALIBI_INIT(alibi_load_options), .format = format});
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
	    s.queries != t.queries || s.reads_with_writer != t.reads_with_writer ||
	    s.with_timestamps != t.with_timestamps || s.with_client_times != t.with_client_times)
		fail("what was saved", "has other counts when loaded");
}

/* saved: h as Alibi's own format. */
static void there_and_back(const alibi_history *h, struct file saved)
{
	struct file again = memory_file();
	alibi *a = alibi_new();
	const alibi_history *back = load_again(a, saved.path, "alibi");
	same_counts(stats_of(h), stats_of(back));
	save(a, back, again);
	if (!same_text(saved, again, EXACTLY))
		fail("what was saved", "is another text when loaded and saved again");
	alibi_free(a);
	close(again.fd);
}

/* own: h in the format it came from. */
static void back_from_jepsen(const alibi_history *h, struct file own)
{
	struct file again = memory_file();
	alibi *a = alibi_new();
	const char *dropped;
	const alibi_history *back = load_again(a, own.path, FUZZ_FORMAT);
	same_counts(stats_of(h), stats_of(back));
	if (!alibi_save(a, back, again.path, FUZZ_FORMAT, &dropped))
		fail("saved in its own format once, but not twice", alibi_last_error(a)->text);
	if (!same_text(own, again, IN_SOME_ORDER))
		fail("saved in its own format twice", "it is another text");
	alibi_free(a);
	close(again.fd);
}

static void back_from(const char *path, struct file saved)
{
	struct file again = memory_file();
	alibi *a = alibi_new();
	save(a, load_again(a, path, FUZZ_FORMAT), again);
	if (!same_text(saved, again, strcmp(FUZZ_FORMAT, "viper") ? EXACTLY : BUT_FOR_HEADER))
		fail("saved in its own format", "it is another history when loaded");
	alibi_free(a);
	close(again.fd);
}

static void own_format_and_back(alibi *a, const alibi_history *h, struct file saved)
{
	struct file own = memory_file();
	const char *path = is_directory() ? directory : own.path, *dropped = NULL;
	bool ok = alibi_save(a, h, path, FUZZ_FORMAT, &dropped);
	if (!ok && alibi_last_error(a)->code != ALIBI_INPUT)
		fail("not saved, and not refused", alibi_last_error(a)->text);
	bool whole = ok && !dropped && (!is_directory() || stats_of(h).txns);
	if (whole && !strncmp(FUZZ_FORMAT, "jepsen", strlen("jepsen")))
		back_from_jepsen(h, own);
	else if (whole)
		back_from(path, saved);
	if (is_directory())
		empty_directory();
	close(own.fd);
}

/* In any other format it is refused, or loads again; and with the same counts, if
 * nothing is said to be dropped. */
static void other_format_and_back(alibi *a, const alibi_history *h, alibi_format_info format)
{
	struct file own = memory_file();
	const char *path = format.directory ? directory : own.path, *dropped = NULL;
	bool ok = alibi_save(a, h, path, format.name, &dropped);
	if (!ok && alibi_last_error(a)->code != ALIBI_INPUT)
		fail("not saved, and not refused", alibi_last_error(a)->text);
	alibi_stats s = stats_of(h);
	if (ok && (!format.directory || s.txns)) {
		alibi *other = alibi_new();
		alibi_stats t = stats_of(load_again(other, path, format.name));
		if (!dropped &&
		    (s.txns != t.txns || s.committed != t.committed || s.aborted != t.aborted ||
		     s.sessions != t.sessions || s.ops != t.ops || s.reads != t.reads ||
		     s.writes != t.writes || s.appends != t.appends || s.keys != t.keys ||
		     s.with_client_times != t.with_client_times ||
		     s.with_timestamps != t.with_timestamps))
			fail("has other counts in another format", format.name);
		alibi_free(other);
	}
	if (format.directory)
		empty_directory();
	close(own.fd);
}

static void other_formats_and_back(alibi *a, const alibi_history *h)
{
	make_directory();
	for (size_t i = 0; i < alibi_format_count(); i++)
		if (strcmp(format_info(i).name, FUZZ_FORMAT) != 0)
			other_format_and_back(a, h, format_info(i));
}

static void check(alibi *a, const alibi_history *h, const char *level)
{
	if (!alibi_check(a, h,
	                 &(alibi_check_options){ALIBI_INIT(alibi_check_options), .level = level,
	                                        .order = ALIBI_ORDER_TIMESTAMPS}))
		fail("cannot be checked", alibi_last_error(a)->text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	if (unpacker_for((const char *)data, size))
		return 0;
	struct file in = memory_file(), saved = memory_file();
	if (write(in.fd, data, size) != (ssize_t)size)
		abort();
	alibi *a = alibi_new();
	const alibi_history *h = alibi_load(
	        a, named(in).path,
	        &(alibi_load_options){ALIBI_INIT(alibi_load_options), .format = FUZZ_FORMAT});
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
		if (!strcmp(FUZZ_FORMAT, "alibi")) /* it can say all that can be said */
			other_formats_and_back(a, h);
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
