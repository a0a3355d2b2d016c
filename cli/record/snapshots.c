/* snapshots: see snapshots.h. */
#include "snapshots.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A writer, by its xid. */
struct writer {
	uint64_t xid;
	struct snapshot_txn *txn;
};

/* The walk: what each snapshot sees beyond those before it. */
struct walk {
	struct snapshots *s;
	struct writer *writers; /* by xid */
	size_t writer_count;
	struct snapshot_txn **order; /* snapshots without a number, by what they see */
	size_t order_count;
	size_t unstarted; /* final ones among them */
	size_t next;      /* the first writer beyond all xmax so far */
	size_t *waiting;  /* writers below that, not seen yet */
	size_t wait_count;
	struct snapshot_txn **gap; /* commits between two snapshots */
	uint64_t visible;          /* commits that have a number */
};

/* ---- reading ---- */

void snapshots_parse(struct snapshots *s, struct snapshot_txn *t, const char *text)
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

bool snapshots_take(struct snapshots *s, struct snapshot_txn *t, const char *line)
{
	static const char snapshot[] = ",\"info\":{\"snapshot\":\"", xid[] = "\",\"xid\":";
	const char *found = strstr(line, snapshot);
	if (!found)
		return false;
	snapshots_parse(s, t, found + sizeof snapshot - 1);
	found = strstr(found, xid);
	t->xid = found ? strtoull(found + sizeof xid - 1, NULL, 10) : 0;
	return true;
}

void snapshots_add(struct snapshots *s, const struct snapshot_txn *t)
{
	s->txns = items_grown(s->txns, s->count, &s->room, sizeof *s->txns);
	s->txns[s->count++] = *t;
}

void snapshots_drop_written(struct snapshots *s)
{
	size_t count = 0, running = 0;
	for (size_t i = 0; i < s->count; i++) {
		struct snapshot_txn t = s->txns[i];
		if (t.written)
			continue;
		if (t.running)
			memmove(s->running + running, s->running + t.first,
			        t.running * sizeof *s->running);
		t.first = running;
		running += t.running;
		s->txns[count++] = t;
	}
	s->count = count;
	s->running_count = running;
}

void snapshots_release(struct snapshots *s)
{
	free(s->txns);
	free(s->running);
	*s = (struct snapshots){0};
}

/* ---- ordering ---- */

static int by_xid(const void *a, const void *b)
{
	uint64_t x = ((const struct writer *)a)->xid, y = ((const struct writer *)b)->xid;
	return x < y ? -1 : x > y;
}

static int by_visible(const void *a, const void *b)
{
	const struct snapshot_txn *x = *(const struct snapshot_txn *const *)a,
	                          *y = *(const struct snapshot_txn *const *)b;
	return x->visible < y->visible ? -1 : x->visible > y->visible;
}

static int by_position(const void *a, const void *b)
{
	const struct snapshot_txn *x = *(const struct snapshot_txn *const *)a,
	                          *y = *(const struct snapshot_txn *const *)b;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->xid < y->xid ? -1 : x->xid > y->xid;
}

/* The index of the first writer whose xid is not below this one. */
static size_t find_writer(const struct walk *w, uint64_t xid)
{
	size_t low = 0, high = w->writer_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (w->writers[middle].xid < xid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool sees(const struct snapshots *s, const struct snapshot_txn *t, uint64_t xid)
{
	assert(!t->running || s->running);
	for (size_t i = 0; i < t->running; i++)
		if (s->running[t->first + i] == xid)
			return false;
	return xid < t->xmax;
}

static void count_visible(const struct walk *w, struct snapshot_txn *t)
{
	t->visible = find_writer(w, t->xmax);
	for (size_t i = 0; i < t->running; i++) {
		uint64_t xid = w->s->running[t->first + i];
		size_t at = find_writer(w, xid);
		t->visible -= at < w->writer_count && w->writers[at].xid == xid;
	}
}

static void collect(struct walk *w)
{
	for (size_t i = 0; i < w->s->count; i++) {
		struct snapshot_txn *t = &w->s->txns[i];
		if (t->xid)
			w->writers[w->writer_count++] = (struct writer){t->xid, t};
		w->visible += t->xid && t->commit_ts;
	}
	qsort(w->writers, w->writer_count, sizeof *w->writers, by_xid);
	for (size_t i = 0; i < w->s->count; i++) {
		struct snapshot_txn *t = &w->s->txns[i];
		if (t->started || t->misplaced)
			continue;
		count_visible(w, t);
		w->order[w->order_count++] = t;
		w->unstarted += t->final;
	}
	qsort(w->order, w->order_count, sizeof *w->order, by_visible);
}

static void commit_gap(struct walk *w, size_t count)
{
	if (count > 1)
		qsort(w->gap, count, sizeof *w->gap, by_position);
	for (size_t i = 0; i < count; i++)
		w->gap[i]->commit_ts = ++w->s->clock;
	w->visible += count;
}

static void visit(struct walk *w, struct snapshot_txn *t)
{
	size_t kept = 0, count = 0;
	for (; w->next < w->writer_count && w->writers[w->next].xid < t->xmax; w->next++)
		if (!w->writers[w->next].txn->commit_ts)
			w->waiting[w->wait_count++] = w->next;
	for (size_t i = 0; i < w->wait_count; i++) {
		const struct writer *writer = &w->writers[w->waiting[i]];
		if (sees(w->s, t, writer->xid))
			w->gap[count++] = writer->txn;
		else
			w->waiting[kept++] = w->waiting[i];
	}
	w->wait_count = kept;
	commit_gap(w, count);
	w->unstarted -= t->final;
	t->started = true;
	t->start_ts = w->s->clock;
	if (!t->xid)
		t->commit_ts = ++w->s->clock;
	t->misplaced = w->visible != t->visible;
}

static bool is_due(const struct snapshot_txn *t)
{
	return t->final && t->xid && !t->commit_ts;
}

/* What it does not see comes after it, and is not placed yet. */
static bool sees_all_due(const struct walk *w, const struct snapshot_txn *t)
{
	for (size_t i = 0; i < w->s->count; i++)
		if (is_due(&w->s->txns[i]) && !sees(w->s, t, w->s->txns[i].xid))
			return false;
	return true;
}

static void walk_snapshots(struct walk *w)
{
	struct snapshots *s = w->s;
	size_t rest = 0;
	for (size_t i = 0; i < w->order_count; i++) {
		if (!w->unstarted && sees_all_due(w, w->order[i]))
			break;
		visit(w, w->order[i]);
	}
	for (size_t i = 0; i < s->count; i++)
		if (is_due(&s->txns[i]))
			w->gap[rest++] = &s->txns[i];
	commit_gap(w, rest);
}

bool snapshots_place(struct snapshots *s)
{
	struct walk w = {.s = s};
	w.writers = calloc(s->count + 1, sizeof *w.writers);
	w.order = calloc(s->count + 1, sizeof *w.order);
	w.waiting = calloc(s->count + 1, sizeof *w.waiting);
	w.gap = calloc(s->count + 1, sizeof *w.gap);
	bool ok = w.writers && w.order && w.waiting && w.gap;
	if (ok) {
		collect(&w);
		walk_snapshots(&w);
	}
	free(w.writers);
	free(w.order);
	free(w.waiting);
	free(w.gap);
	return ok;
}

/* ---- writing ---- */

void snapshot_txn_print(const struct snapshot_txn *t, bool has_start, struct text *to)
{
	text_print(to, "{\"id\":%" PRIu64, t->id);
	if (has_start)
		text_print(to, ",\"start_ts\":%" PRIu64, t->start_ts);
	text_print(to, ",\"commit_ts\":%" PRIu64, t->commit_ts);
}
