/* findings: see findings.h. */
#include "findings.h"

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const kind_names[] = {"SESSION", "INT", "EXT", "NOCONFLICT", NULL};
static const char *const what_names[] = {"violation", "undecided", "unverified"};

bool findings_open(struct findings *f, const char *level, bool json, const char *log)
{
	*f = (struct findings){.level = level, .json = json, .log = -1, .log_name = log};
	if (!log)
		return true;
	f->log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (f->log < 0)
		fprintf(stderr, "alibi watch: %s: cannot write: %s\n", log, strerror(errno));
	return f->log >= 0;
}

void findings_close(struct findings *f)
{
	if (f->log >= 0)
		close(f->log);
	text_release(&f->line);
}

static void member(struct text *t, const char *name, const char *json)
{
	if (json)
		text_print(t, ",\"%s\":%s", name, json);
}

static void member_text(struct text *t, const char *name, const char *text)
{
	text_print(t, ",\"%s\":", name);
	text_json(t, text);
}

static void make_line(struct findings *f, const alibi_watch_event *e)
{
	struct text *t = &f->line;
	const alibi_violation *v = &e->about;
	text_cut(t, 0);
	text_print(t, "{\"what\":\"%s\",\"id\":\"%s\",\"level\":\"%s\",\"kind\":\"%s\"",
	           what_names[e->what], e->id, f->level, v->kind);
	member(t, "txn", v->txn);
	member(t, "other", v->other);
	member(t, "key", v->key);
	member(t, "expected", v->expected);
	member(t, "found", v->found);
	member(t, "keys", e->keys);
	member(t, "from", e->from);
	member(t, "until", e->until);
	member_text(t, "text", v->text);
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
	fprintf(stderr, "alibi watch: %s: cannot write: %s\n", f->log_name,
	        n < 0 ? strerror(errno) : "no room");
	return false;
}

bool findings_take(struct findings *f, alibi_watch *w)
{
	const alibi_watch_event *e;
	static const enum colour colours[] = {COLOUR_BAD, COLOUR_DOUBT, COLOUR_DOUBT};
	bool any = false;
	while ((e = alibi_watch_next(w))) {
		any = true;
		for (size_t i = 0; kind_names[i] && e->what == ALIBI_WATCH_VIOLATION; i++)
			f->kinds[i] += !strcmp(kind_names[i], e->about.kind);
		if (f->json || f->log >= 0)
			make_line(f, e);
		if (f->log >= 0 && !append(f))
			return false;
		if (f->json) {
			fwrite(f->line.data, 1, f->line.length, stdout);
			continue;
		}
		print_coloured(colours[e->what], what_names[e->what]);
		printf("  %-10s %s\n", e->about.kind, e->about.text);
	}
	if (any)
		fflush(stdout);
	return true;
}

/* ---- the sum ---- */

static void sum_json(const struct findings *f, const alibi_watch_stats *s, double seconds,
                     bool ended)
{
	bool first = true;
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
	json_member_count(&first, "violations", s->violations);
	for (size_t i = 0; kind_names[i]; i++)
		json_member_count(&first, kind_names[i], f->kinds[i]);
	json_member_count(&first, "undecided", s->undecided);
	json_member_count(&first, "unverified", s->unverified);
	json_member_count(&first, "waiting", s->waiting);
	json_member_count(&first, "keys", s->keys);
	json_member_count(&first, "versions", s->versions);
	json_member_count(&first, "sessions", s->sessions);
	json_member_count(&first, "bytes", s->bytes);
	printf(",\"seconds\":%.3f}\n", seconds);
}

static void sum_part(const char *before, uint64_t count, const char *what)
{
	if (count)
		printf("%s%" PRIu64 " %s", before, count, what);
}

static void sum_text(const struct findings *f, const alibi_watch_stats *s, double seconds,
                     bool ended)
{
	static const enum colour colours[] = {COLOUR_GOOD, COLOUR_BAD, COLOUR_DOUBT};
	print_coloured(colours[s->verdict], alibi_verdict_name(s->verdict));
	printf("  %s, %" PRIu64 " transactions in %.1f s", f->level, s->txns, seconds);
	if (seconds > 0)
		printf(" (%.0f/s)", (double)s->txns / seconds);
	sum_part("; ", s->violations, "violations");
	const char *between = " (";
	for (size_t i = 0; kind_names[i]; i++) {
		sum_part(between, f->kinds[i], kind_names[i]);
		between = f->kinds[i] ? ", " : between;
	}
	if (s->violations)
		putchar(')');
	sum_part("; ", s->undecided, "undecided");
	sum_part("; ", s->unverified, "not verified");
	sum_part("; ", s->duplicates, "came again");
	if (!ended)
		sum_part("; stopped before ", s->waiting, "could be judged");
	if (!s->committed)
		printf("; nothing committed, which proves nothing");
	putchar('\n');
}

void findings_sum(struct findings *f, const alibi_watch_stats *stats, double seconds, bool ended)
{
	(f->json ? sum_json : sum_text)(f, stats, seconds, ended);
	fflush(stdout);
}
