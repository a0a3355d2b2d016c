/* findings: see findings.h. */
#include "findings.h"

#include "finding.h"
#include "output.h"
#include "status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALIKE_SHOWN = 20 };

static bool report_error(const struct findings *f, const char *what)
{
	notice(f->notices, NOTICE_ERROR, f->log_name, "cannot write: %s", what);
	return false;
}

/* ---- the log ---- */

static int by_id(const void *a, const void *b)
{
	return memcmp(a, b, FINDING_ID);
}

static bool is_known(const struct findings *f, const char *id)
{
	return f->known_count && bsearch(id, f->known, f->known_count, FINDING_ID, by_id);
}

/* Is it a line of a log, or the beginning of one? Other lines are not cut off. */
static bool is_ours(const char *line, size_t length)
{
	static const char first[] = "{\"what\":\"";
	return !memcmp(line, first, length < strlen(first) ? length : strlen(first));
}

/* The ids from this byte on, and the end of the last whole line. False: it is not a log, or cannot
 * be read (errno). */
static bool read_ids(struct findings *f, FILE *log, uint64_t from, uint64_t *end)
{
	static const char before[] = "\"id\":\"";
	char *line = NULL;
	size_t room = 0, known_room = 0;
	ssize_t length;
	bool ok = !fseeko(log, (off_t)from, SEEK_SET);
	*end = from;
	errno = 0;
	while (ok && (length = getline(&line, &room, log)) > 0) {
		const char *id = strstr(line, before);
		ok = is_ours(line, (size_t)length);
		if (!ok || line[length - 1] != '\n')
			break;
		*end += (uint64_t)length;
		if (!id || strlen(id) < strlen(before) + FINDING_ID)
			continue;
		if (f->known_count == known_room) {
			known_room = known_room ? 2 * known_room : 64;
			void *more = realloc(f->known, known_room * FINDING_ID);
			ok = more != NULL;
			f->known = ok ? more : f->known;
		}
		if (ok)
			memcpy(f->known[f->known_count++], id + strlen(before), FINDING_ID);
	}
	free(line);
	if (f->known_count)
		qsort(f->known, f->known_count, FINDING_ID, by_id);
	return ok;
}

static bool look_through(struct findings *f, uint64_t from)
{
	struct stat status;
	uint64_t end = 0;
	FILE *log = fopen(f->log_name, "rb");
	bool ok = log && !fstat(fileno(log), &status);
	if (ok && S_ISREG(status.st_mode)) {
		bool ends_line =
		        from && !fseeko(log, (off_t)from - 1, SEEK_SET) && getc(log) == '\n';
		if (!ends_line) /* it was replaced */
			from = 0;
		f->known_from = from;
		ok = read_ids(f, log, from, &end) &&
		     (end == (uint64_t)status.st_size || !ftruncate(f->log, (off_t)end));
	}
	if (log)
		fclose(log);
	return ok;
}

/* Locked, because an incomplete last line is cut off. */
static int open_log(const struct findings *f)
{
	struct stat status;
	int log = open(f->log_name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (log < 0 || fstat(log, &status)) {
		report_error(f, strerror(errno));
	} else if (S_ISREG(status.st_mode) && flock(log, LOCK_EX | LOCK_NB) &&
	           errno == EWOULDBLOCK) {
		report_error(f, "another watch uses this log; end it, or name another file");
	} else {
		return log;
	}
	if (log >= 0)
		close(log);
	return -1;
}

bool findings_open(struct findings *f, const char *level, const struct notices *notices,
                   const char *log, uint64_t from)
{
	*f = (struct findings){.level = level, .notices = notices, .log = -1, .log_name = log};
	if (!log)
		return true;
	f->log = open_log(f);
	return f->log >= 0 && (look_through(f, from) ||
	                       report_error(f, errno ? strerror(errno)
	                                             : "the file is not a log of alibi watch; "
	                                               "name another one"));
}

bool findings_sync(struct findings *f, uint64_t *from)
{
	struct stat status = {0};
	*from = 0;
	if (f->log < 0)
		return true;
	if (fstat(f->log, &status) || (S_ISREG(status.st_mode) && fdatasync(f->log)))
		return report_error(f, strerror(errno));
	*from = f->found_again < f->known_count ? f->known_from : (uint64_t)status.st_size;
	return true;
}

bool findings_reopen(struct findings *f)
{
	struct stat old, new;
	uint64_t from;
	if (!findings_sync(f, &from))
		return false;
	if (fstat(f->log, &old))
		return report_error(f, strerror(errno));
	if (!stat(f->log_name, &new) && old.st_dev == new.st_dev && old.st_ino == new.st_ino)
		return true;
	int log = open_log(f);
	if (log < 0)
		return false;
	f->known_from = 0;
	close(f->log);
	f->log = log;
	return true;
}

void findings_close(struct findings *f)
{
	free(f->known);
	if (f->log >= 0)
		close(f->log);
	text_release(&f->line);
}

/* Not JSON? */
static bool is_plain(const char *name)
{
	return !strcmp(name, "kind") || !strcmp(name, "text");
}

static void make_line(struct findings *f, const alibi_watch_event *e)
{
	struct text *t = &f->line;
	struct finding_member members[FINDING_MEMBERS];
	size_t count = finding_members(e, members);
	text_cut(t, 0);
	text_print(t, "{\"what\":\"%s\",\"id\":\"%s\",\"level\":\"%s\"",
	           finding_what(alibi_watch_event_what(e)), alibi_watch_event_id(e), f->level);
	for (size_t i = 0; i < count; i++) {
		text_print(t, ",\"%s\":", members[i].name);
		(is_plain(members[i].name) ? text_json : text_word)(t, members[i].text);
	}
	text_word(t, "}\n");
}

static bool append(struct findings *f)
{
	ssize_t n;
	do
		n = write(f->log, f->line.data, f->line.length);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)f->line.length)
		return true;
	return report_error(f, n < 0 ? strerror(errno) : "no space left for a whole line");
}

/* Has it been printed often enough? Lines that name keys are always printed. */
static bool is_repeated(struct findings *f, const alibi_watch_event *e)
{
	const char *kind = finding_violation(e).kind;
	enum alibi_watch_what what = alibi_watch_event_what(e);
	if (what == ALIBI_WATCH_VIOLATION || alibi_watch_event_keys(e) ||
	    strcmp(kind, f->kind) != 0)
		f->alike = 0;
	snprintf(f->kind, sizeof f->kind, "%s", kind);
	if (++f->alike == ALIKE_SHOWN + 1) {
		const char *title = alibi_kind_title(kind);
		print_out("%s  %s%smore like these are only counted; --json and --log have all of "
		          "them\n",
		          finding_what(what), title ? title : "", title ? ": " : "");
	}
	return f->alike > ALIKE_SHOWN;
}

static void print(struct findings *f, const alibi_watch_event *e)
{
	static const enum colour colours[] = {COLOUR_BAD, COLOUR_DOUBT, COLOUR_DOUBT};
	if (f->notices->json) {
		fwrite(f->line.data, 1, f->line.length, stdout);
		return;
	}
	if (is_repeated(f, e))
		return;
	enum alibi_watch_what what = alibi_watch_event_what(e);
	print_coloured(colours[what], finding_what(what));
	alibi_violation about = finding_violation(e);
	const char *title = alibi_kind_title(about.kind);
	print_out("  %s%s%s\n", title ? title : "", title ? ": " : "", about.text);
}

bool findings_take(struct findings *f, alibi_watch *w)
{
	const alibi_watch_event *e;
	bool any = false, ok = true;
	while ((e = alibi_watch_next(w))) {
		any = true;
		if (f->status)
			status_add(f->status, e);
		if (is_known(f, alibi_watch_event_id(e))) {
			f->found_again++;
			continue;
		}
		if (f->notices->json || f->log >= 0)
			make_line(f, e);
		print(f, e);
		ok = ok && (f->log < 0 || append(f));
	}
	if (!any || (!fflush(stdout) && !ferror(stdout)))
		return ok;
	notice(f->notices, NOTICE_ERROR, "standard output", "cannot write: %s", strerror(errno));
	return false;
}

/* ---- the summary ---- */

void findings_kinds(const alibi_watch_stats *s, struct kind_count kinds[FINDING_KINDS])
{
	kinds[0] = (struct kind_count){"SESSION", s->by_session};
	kinds[1] = (struct kind_count){"INT", s->by_int};
	kinds[2] = (struct kind_count){"EXT", s->by_ext};
	kinds[3] = (struct kind_count){"NOCONFLICT", s->by_noconflict};
	kinds[4] = (struct kind_count){"ORDER", s->by_order};
}

static void sum_json(const struct findings *f, const alibi_watch_stats *s, double seconds,
                     bool ended)
{
	bool first = true;
	struct kind_count kinds[FINDING_KINDS];
	findings_kinds(s, kinds);
	putchar('{');
	json_member_text(&first, "what", "summary");
	json_member_text(&first, "level", f->level);
	json_member_text(&first, "verdict", alibi_verdict_name(s->verdict));
	json_member_raw(&first, "ended", ended ? "true" : "false");
	json_member_count(&first, "txns", s->txns);
	json_member_count(&first, "committed", s->committed);
	json_member_count(&first, "aborted", s->aborted);
	json_member_count(&first, "unknown", s->unknown);
	json_member_count(&first, "duplicates", s->duplicates);
	json_member_count(&first, "ops", s->ops);
	json_member_count(&first, "violations", s->violations);
	json_member_raw(&first, "stands", s->stands ? "true" : "false");
	for (size_t i = 0; i < FINDING_KINDS; i++)
		json_member_count(&first, kinds[i].name, kinds[i].count);
	json_member_count(&first, "undecided", s->undecided);
	json_member_count(&first, "unverified", s->unverified);
	for (int i = 0; i < ALIBI_WATCH_REASONS; i++)
		json_member_count(&first, alibi_watch_reason_name((enum alibi_watch_reason)i),
		                  s->by_reason[i]);
	json_member_count(&first, "lost_messages", s->lost);
	json_member_count(&first, "waiting", s->waiting);
	json_member_count(&first, "keys", s->keys);
	json_member_count(&first, "versions", s->versions);
	json_member_count(&first, "sessions", s->sessions);
	json_member_count(&first, "rounds", s->rounds);
	json_member_count(&first, "gone", s->gone);
	json_member_count(&first, "fences", s->fences);
	json_member_count(&first, "bytes", s->bytes);
	print_out(",\"seconds\":%.3f}\n", seconds);
}

static void sum_part(const char *before, uint64_t count, const char *what)
{
	if (count)
		print_out("%s%" PRIu64 " %s", before, count, what);
}

static void sum_text(const struct findings *f, const alibi_watch_stats *s, double seconds,
                     bool ended)
{
	static const enum colour colours[] = {COLOUR_GOOD, COLOUR_BAD, COLOUR_DOUBT};
	struct kind_count kinds[FINDING_KINDS];
	findings_kinds(s, kinds);
	print_coloured(colours[s->verdict], alibi_verdict_name(s->verdict));
	print_out("  %s, %" PRIu64 " %s in %.1f s", f->level, s->txns,
	          s->txns == 1 ? "transaction" : "transactions", seconds);
	if (seconds > 0)
		print_out(" (%.0f/s)", (double)s->txns / seconds);
	sum_part("; ", s->violations, s->violations == 1 ? "violation" : "violations");
	const char *between = " (";
	for (size_t i = 0; i < FINDING_KINDS; i++) {
		const char *title = alibi_kind_title(kinds[i].name);
		if (!title || !kinds[i].count)
			continue;
		print_out("%s%s: %" PRIu64, between, title, kinds[i].count);
		between = ", ";
	}
	if (*between == ',')
		putchar(')');
	if (s->violations && !s->stands)
		print_out(", all of which later transactions may explain");
	sum_part("; ", s->undecided, "undecided");
	sum_part("; ", s->unverified, "not verified");
	sum_part("; ", s->lost, "messages were lost");
	sum_part("; ", s->duplicates, "arrived again");
	if (!ended)
		sum_part("; stopped with ", s->waiting, "unchecked");
	if (!s->committed)
		print_out("; nothing committed, so this proves nothing");
	putchar('\n');
}

void findings_sum(struct findings *f, const alibi_watch_stats *stats, double seconds, bool ended)
{
	(f->notices->json ? sum_json : sum_text)(f, stats, seconds, ended);
	fflush(stdout);
}
