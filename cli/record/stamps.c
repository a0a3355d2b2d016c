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
	uint64_t id;      /* in the history */
	uint64_t xid;     /* 0: it wrote nothing */
	uint64_t xmax;    /* of its snapshot … */
	size_t first;     /* … and the running ones, in stamps.running, … */
	uint32_t running; /* … so many */
	uint64_t visible; /* how many writers it sees */
	uint64_t start_ts, commit_ts;
};

/* A writer, by its xid. */
struct writer {
	uint64_t xid;
	size_t txn; /* in stamps.txns */
	bool visible;
};

struct stamps {
	struct seen *txns;
	size_t count, room;
	uint64_t *running;
	size_t running_count, running_room;
	struct writer *writers;
	size_t writer_count;
};

static void *grown(void *items, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return items;
	*room = *room ? *room * 2 : 1024;
	items = realloc(items, *room * size);
	if (!items) {
		fputs("alibi record: the system has no memory left\n", stderr);
		exit(255);
	}
	return items;
}

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
		s->running =
		        grown(s->running, s->running_count, &s->running_room, sizeof *s->running);
		s->running[s->running_count++] = xid;
		t->running++;
	}
}

/* The committed transactions are the ones with a snapshot. */
static void take_line(struct stamps *s, const char *line)
{
	static const char snapshot[] = ",\"info\":{\"snapshot\":\"", xid[] = "\",\"xid\":";
	const char *found = strstr(line, snapshot);
	if (strncmp(line, "{\"id\":", 6) != 0 || !found)
		return;
	struct seen t = {.id = strtoull(line + 6, NULL, 10)};
	parse_snapshot(s, &t, found + sizeof snapshot - 1);
	found = strstr(found, xid);
	if (found)
		t.xid = strtoull(found + sizeof xid - 1, NULL, 10);
	s->txns = grown(s->txns, s->count, &s->room, sizeof *s->txns);
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
			s->writers[s->writer_count++] = (struct writer){s->txns[i].xid, i, false};
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
	uint64_t clock, visible;
};

static void commit(struct walk *w, size_t writer)
{
	w->s->writers[writer].visible = true;
	w->s->txns[w->s->writers[writer].txn].commit_ts = ++w->clock;
	w->visible++;
}

/* False: it does not see all that an earlier one saw. */
static bool visit(struct walk *w, struct seen *t)
{
	size_t kept = 0;
	for (; w->next < w->s->writer_count && w->s->writers[w->next].xid < t->xmax; w->next++)
		w->waiting[w->wait_count++] = w->next;
	for (size_t i = 0; i < w->wait_count; i++) {
		uint64_t xid = w->s->writers[w->waiting[i]].xid;
		if (xid < t->xmax && !is_running(w->s, t, xid))
			commit(w, w->waiting[i]);
		else
			w->waiting[kept++] = w->waiting[i];
	}
	w->wait_count = kept;
	t->start_ts = w->clock;
	return w->visible == t->visible;
}

static bool walk_snapshots(struct stamps *s, struct seen **order, size_t *waiting)
{
	struct walk w = {.s = s, .waiting = waiting};
	for (size_t i = 0; i < s->count; i++)
		if (!visit(&w, order[i]))
			return false;
	for (size_t i = 0; i < s->writer_count; i++)
		if (!s->writers[i].visible)
			commit(&w, i);
	for (size_t i = 0; i < s->count; i++)
		if (!s->txns[i].xid)
			s->txns[i].commit_ts = s->txns[i].start_ts;
	return true;
}

static bool put_in_order(struct stamps *s)
{
	struct seen **order = calloc(s->count + 1, sizeof(struct seen *));
	size_t *waiting = calloc(s->count + 1, sizeof *waiting);
	bool ok = order && waiting && collect_writers(s);
	for (size_t i = 0; ok && i < s->count; i++) {
		order[i] = &s->txns[i];
		count_visible(s, order[i]);
	}
	if (ok) {
		qsort(order, s->count, sizeof *order, by_visible);
		ok = walk_snapshots(s, order, waiting);
	}
	free(order);
	free(waiting);
	return ok;
}

/* ---- writing ---- */

/* next: the transactions come in the order in which they were read. */
static void write_line(struct stamps *s, size_t *next, const char *line, struct journal *to,
                       struct text *stamped)
{
	const struct seen *t = *next < s->count ? &s->txns[*next] : NULL;
	const char *rest = strchr(line, ',');
	if (strncmp(line, "{\"id\":", 6) != 0 || !t || t->id != strtoull(line + 6, NULL, 10) ||
	    !rest) {
		journal_add(to, line, strlen(line));
		return;
	}
	text_cut(stamped, 0);
	text_print(stamped,
	           "{\"id\":%" PRIu64 ",\"start_ts\":%" PRIu64 ",\"commit_ts\":%" PRIu64 "%s",
	           t->id, t->start_ts, t->commit_ts, rest);
	journal_add(to, stamped->data, stamped->length);
	++*next;
}

static bool copy_lines(struct stamps *s, FILE *from, const char *path)
{
	struct journal *to = journal_open(path);
	struct text stamped = {0};
	char *line = NULL;
	size_t room = 0, next = 0;
	while (to && getline(&line, &room, from) > 0)
		write_line(s, &next, line, to, &stamped);
	free(line);
	text_release(&stamped);
	return to && journal_close(to);
}

bool stamps_add(const char *from, const char *to)
{
	struct stamps s = {0};
	FILE *f = fopen(from, "r");
	char *line = NULL;
	size_t room = 0;
	if (!f) {
		fprintf(stderr, "alibi record: %s: %s\n", from, strerror(errno));
		return false;
	}
	while (getline(&line, &room, f) > 0)
		take_line(&s, line);
	free(line);
	if (!put_in_order(&s)) {
		fputs("alibi record: the snapshots have no order; the history has no timestamps\n",
		      stderr);
		s.count = 0;
	}
	rewind(f);
	bool ok = copy_lines(&s, f, to);
	fclose(f);
	free(s.txns);
	free(s.running);
	free(s.writers);
	return ok;
}
