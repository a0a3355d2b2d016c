/* stamps: see stamps.h. */
#include "stamps.h"

#include "journal.h"
#include "text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One committed transaction. */
struct seen {
	uint64_t id;       /* in the history */
	uint64_t xid;      /* 0: it wrote nothing */
	uint64_t xmax;     /* of its snapshot … */
	size_t first;      /* … and the running ones, in stamps.running, … */
	uint32_t running;  /* … so many */
	uint64_t visible;  /* how many writers it sees */
	uint64_t position; /* in the log or the binlog; 0: none */
	uint64_t start_ts, commit_ts;
};

/* A writer, by its xid. */
struct writer {
	uint64_t xid;
	size_t txn; /* in stamps.txns */
};

struct stamps {
	struct seen *txns;
	size_t count, room;
	uint64_t *running;
	size_t running_count, running_room;
	struct writer *writers;
	size_t writer_count;
	const struct commit_log *log;
	size_t snapshots;   /* how many have one; the others have a position only */
	struct text domain; /* what positions begin with, 0-1- */
	bool mixed;         /* they do not all begin alike */
	bool in_order;
};

static const char logged[] = "\"logged\":true";

/* ---- reading ---- */

/* "731:735:731,733" */
static void parse_snapshot(struct stamps *s, struct seen *t, const char *text)
{
	char *end;
	strtoull(text, &end, 10);
	t->xmax = *end == ':' ? strtoull(end + 1, &end, 10) : 0;
	t->first = s->running_count;
	while (*end == ':' || *end == ',') {
		const char *digits = end + 1;
		uint64_t xid = strtoull(digits, &end, 10);
		if (end == digits)
			break;
		s->running = items_grown(s->running, s->running_count, &s->running_room,
		                         sizeof *s->running);
		s->running[s->running_count++] = xid;
		t->running++;
	}
}

/* 0-1-55: domain, server, number; only one domain and server are in an order. */
static void take_position(struct stamps *s, struct seen *t, const char *text)
{
	size_t length = strspn(text, "0123456789-");
	const char *number = text + length;
	while (number > text && number[-1] != '-')
		number--;
	if (!s->domain.length)
		text_add(&s->domain, text, (size_t)(number - text));
	s->mixed |= strncmp(s->domain.data, text, s->domain.length) != 0;
	t->position = strtoull(number, NULL, 10);
}

/* False: the database told nothing of it. */
static bool take_told(struct stamps *s, struct seen *t, const char *line)
{
	static const char snapshot[] = ",\"info\":{\"snapshot\":\"",
	                  xid[] = "\",\"xid\":", gtid[] = ",\"info\":{\"gtid\":\"";
	const char *found = strstr(line, snapshot);
	const struct commit_entry *entry = commit_log_find(s->log, t->id);
	if (found) {
		parse_snapshot(s, t, found + sizeof snapshot - 1);
		found = strstr(found, xid);
		t->xid = found ? strtoull(found + sizeof xid - 1, NULL, 10) : 0;
		t->position = entry ? entry->position : 0;
		return true;
	}
	if (entry && strstr(line, logged)) {
		parse_snapshot(s, t, s->log->texts.data + entry->snapshot);
		t->xid = entry->xid;
		t->position = entry->position;
		return true;
	}
	found = strstr(line, gtid);
	if (found)
		take_position(s, t, found + sizeof gtid - 1);
	return found;
}

static void take_line(struct stamps *s, const char *line)
{
	if (strncmp(line, "{\"id\":", 6) != 0)
		return;
	struct seen t = {.id = strtoull(line + 6, NULL, 10)};
	if (!take_told(s, &t, line))
		return;
	s->snapshots += t.xmax > 0;
	s->txns = items_grown(s->txns, s->count, &s->room, sizeof *s->txns);
	s->txns[s->count++] = t;
}

/* ---- ordering ---- */

static int by_xid(const void *a, const void *b)
{
	uint64_t x = ((const struct writer *)a)->xid, y = ((const struct writer *)b)->xid;
	return x < y ? -1 : x > y;
}

static int by_visible(const void *a, const void *b)
{
	const struct seen *x = *(const struct seen *const *)a, *y = *(const struct seen *const *)b;
	return x->visible < y->visible ? -1 : x->visible > y->visible;
}

/* The index of the first writer whose xid is not below this one. */
static size_t find_writer(const struct stamps *s, uint64_t xid)
{
	size_t low = 0, high = s->writer_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->writers[middle].xid < xid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_running(const struct stamps *s, const struct seen *t, uint64_t xid)
{
	assert(!t->running || s->running);
	for (size_t i = 0; i < t->running; i++)
		if (s->running[t->first + i] == xid)
			return true;
	return false;
}

static bool collect_writers(struct stamps *s)
{
	s->writers = calloc(s->count + 1, sizeof *s->writers);
	for (size_t i = 0; s->writers && i < s->count; i++)
		if (s->txns[i].xid)
			s->writers[s->writer_count++] = (struct writer){s->txns[i].xid, i};
	if (s->writers)
		qsort(s->writers, s->writer_count, sizeof *s->writers, by_xid);
	return s->writers;
}

static void count_visible(const struct stamps *s, struct seen *t)
{
	t->visible = find_writer(s, t->xmax);
	for (size_t i = 0; i < t->running; i++) {
		size_t w = find_writer(s, s->running[t->first + i]);
		t->visible -= w < s->writer_count && s->writers[w].xid == s->running[t->first + i];
	}
}

/* The walk: what each snapshot sees beyond those before it. */
struct walk {
	struct stamps *s;
	size_t next;     /* the first writer beyond all xmax so far */
	size_t *waiting; /* writers below that, not seen yet */
	size_t wait_count;
	struct seen **gap; /* those who commit between two snapshots */
	uint64_t clock, visible;
};

static int by_position(const void *a, const void *b)
{
	const struct seen *x = *(const struct seen *const *)a, *y = *(const struct seen *const *)b;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->xid < y->xid ? -1 : x->xid > y->xid;
}

static void commit_gap(struct walk *w, size_t count)
{
	if (count > 1)
		qsort(w->gap, count, sizeof(struct seen *), by_position);
	for (size_t i = 0; i < count; i++)
		w->gap[i]->commit_ts = ++w->clock;
	w->visible += count;
}

/* False: it does not see all that an earlier one saw. */
static bool visit(struct walk *w, struct seen *t)
{
	size_t kept = 0, count = 0;
	for (; w->next < w->s->writer_count && w->s->writers[w->next].xid < t->xmax; w->next++)
		w->waiting[w->wait_count++] = w->next;
	for (size_t i = 0; i < w->wait_count; i++) {
		const struct writer *writer = &w->s->writers[w->waiting[i]];
		if (writer->xid < t->xmax && !is_running(w->s, t, writer->xid))
			w->gap[count++] = &w->s->txns[writer->txn];
		else
			w->waiting[kept++] = w->waiting[i];
	}
	w->wait_count = kept;
	commit_gap(w, count);
	t->start_ts = w->clock;
	return w->visible == t->visible;
}

static bool walk_snapshots(struct stamps *s, struct seen **order, struct walk *w)
{
	size_t rest = 0;
	for (size_t i = 0; i < s->count; i++)
		if (!visit(w, order[i]))
			return false;
	for (size_t i = 0; i < s->writer_count; i++)
		if (!s->txns[s->writers[i].txn].commit_ts)
			w->gap[rest++] = &s->txns[s->writers[i].txn];
	commit_gap(w, rest);
	for (size_t i = 0; i < s->count; i++)
		if (!s->txns[i].xid)
			s->txns[i].commit_ts = s->txns[i].start_ts;
	return true;
}

static bool order_snapshots(struct stamps *s)
{
	struct seen **order = calloc(s->count + 1, sizeof(struct seen *));
	struct walk w = {.s = s};
	w.waiting = calloc(s->count + 1, sizeof *w.waiting);
	w.gap = calloc(s->count + 1, sizeof(struct seen *));
	bool ok = order && w.waiting && w.gap && collect_writers(s);
	for (size_t i = 0; ok && i < s->count; i++) {
		order[i] = &s->txns[i];
		count_visible(s, order[i]);
	}
	if (ok) {
		qsort(order, s->count, sizeof *order, by_visible);
		ok = walk_snapshots(s, order, &w);
	}
	free(order);
	free(w.waiting);
	free(w.gap);
	return ok;
}

static bool put_in_order(struct stamps *s)
{
	if (s->snapshots)
		return s->snapshots == s->count && order_snapshots(s);
	for (size_t i = 0; i < s->count; i++)
		s->txns[i].commit_ts = s->txns[i].position;
	return !s->mixed;
}

/* ---- writing ---- */

/* Copies text, with the first `old` in it replaced, if there is one. */
static void print_changed(struct text *to, const char *text, const char *old, const char *new)
{
	const char *found = strstr(text, old);
	if (found) {
		text_add(to, text, (size_t)(found - text));
		text_word(to, new);
		text = found + strlen(old);
	}
	text_word(to, text);
}

/* What the log says of a transaction whose COMMIT had no answer; committed: it has it. */
static void print_fate(const struct stamps *s, const char *line, bool committed, struct text *to,
                       struct fates *fates)
{
	static const char unknown[] = "\"status\":\"unknown\",";
	struct text part = {0};
	bool aborted = !committed && s->log->complete;
	print_changed(&part, line, unknown,
	              committed ? ""
	              : aborted ? "\"status\":\"abort\","
	                        : unknown);
	print_changed(to, part.data, logged,
	              committed ? "\"log\":\"commit\""
	              : aborted ? "\"log\":\"abort\""
	                        : logged);
	fates->committed += committed;
	fates->aborted += aborted;
	text_release(&part);
}

/* next: the transactions come in the order in which they were read. */
static void write_line(const struct stamps *s, size_t *next, const char *line, struct journal *to,
                       struct text *stamped, struct fates *fates)
{
	const struct seen *t = *next < s->count ? &s->txns[*next] : NULL;
	const char *rest = strchr(line, ',');
	bool is_txn = !strncmp(line, "{\"id\":", 6) && rest;
	bool is_next = is_txn && t && t->id == strtoull(line + 6, NULL, 10);
	text_cut(stamped, 0);
	if (is_next && s->in_order) {
		text_print(stamped, "{\"id\":%" PRIu64, t->id);
		if (s->snapshots)
			text_print(stamped, ",\"start_ts\":%" PRIu64, t->start_ts);
		text_print(stamped, ",\"commit_ts\":%" PRIu64, t->commit_ts);
		line = rest;
	}
	if (is_txn && strstr(line, logged))
		print_fate(s, line, is_next, stamped, fates);
	else
		text_word(stamped, line);
	journal_add(to, stamped->data, stamped->length);
	*next += is_next;
}

static bool copy_lines(const struct stamps *s, FILE *from, const char *path, struct fates *fates)
{
	struct journal *to = journal_open(path);
	struct text stamped = {0};
	char *line = NULL;
	size_t room = 0, next = 0;
	while (to && getline(&line, &room, from) > 0)
		write_line(s, &next, line, to, &stamped, fates);
	free(line);
	text_release(&stamped);
	return to && journal_close(to);
}

bool stamps_add(const char *from, const char *to, const struct commit_log *log, struct fates *fates)
{
	struct stamps s = {.log = log};
	FILE *f = fopen(from, "r");
	char *line = NULL;
	size_t room = 0;
	*fates = (struct fates){0};
	if (!f) {
		fprintf(stderr, "alibi record: %s: %s\n", from, strerror(errno));
		return false;
	}
	while (getline(&line, &room, f) > 0)
		take_line(&s, line);
	free(line);
	s.in_order = put_in_order(&s);
	if (!s.count)
		fputs("alibi record: the database told no order; the history has no timestamps\n",
		      stderr);
	else if (!s.in_order)
		fprintf(stderr,
		        "alibi record: the %s have no order; the history has no timestamps\n",
		        s.snapshots ? "snapshots" : "binlogs");
	rewind(f);
	bool ok = copy_lines(&s, f, to, fates);
	fclose(f);
	free(s.txns);
	free(s.running);
	free(s.writers);
	text_release(&s.domain);
	return ok;
}
