/* live: see live.h. */
#include "live.h"

#include "journal.h"
#include "snapshots.h"
#include "text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { FULL_BYTES = 32 << 20, FLUSH_LINES = 256, RECENT = 1 << 16 };

/* A line that is held back. */
struct held {
	uint64_t ended; /* when */
	bool committed; /* it has the next of the snapshots */
	struct text line;
	struct snapshot_txn *seen; /* that one, during flush() */
};

struct live {
	pthread_mutex_t lock;
	struct journal *to;
	uint64_t now;    /* counts beginnings and ends */
	uint64_t *begun; /* when each client's transaction began; 0: none is running */
	uint64_t clients;
	uint64_t oldest;   /* the oldest in flight at the last flush() */
	struct held *held; /* by their ends */
	size_t count, room;
	size_t bytes, fresh;        /* of their lines; how many came since the last flush() */
	struct snapshots snapshots; /* of the committed ones among them */
	struct held *due;           /* those that are written now */
	size_t due_count, due_room;
	struct text ready;
	/* Of what is written already: the newest id, and the latest ids, each at its place. */
	uint64_t newest, recent[RECENT];
	uint64_t misplaced;
};

struct live *live_new(struct journal *to, uint64_t clients)
{
	struct live *l = calloc(1, sizeof *l);
	uint64_t *begun = calloc(clients, sizeof *begun);
	if (!l || !begun) {
		free(l);
		free(begun);
		return NULL;
	}
	l->to = to;
	l->begun = begun;
	l->clients = clients;
	pthread_mutex_init(&l->lock, NULL);
	return l;
}

/* ---- what can be written ---- */

/* Does it see everything that is written already? */
static bool sees_the_past(const struct live *l, const struct snapshot_txn *t)
{
	bool all = t->xmax > l->newest;
	for (size_t i = 0; i < t->running; i++) {
		uint64_t xid = l->snapshots.running[t->first + i];
		all = all && l->recent[xid % RECENT] != xid;
	}
	return all;
}

/* The watermark: what ended before it is final. */
static uint64_t oldest_running(const struct live *l)
{
	uint64_t oldest = UINT64_MAX;
	for (uint64_t i = 0; i < l->clients; i++)
		if (l->begun[i] && l->begun[i] < oldest)
			oldest = l->begun[i];
	return oldest;
}

/* Assigns numbers. Final ones below the result can be written: no other will precede them. */
static uint64_t settle(struct live *l, uint64_t oldest)
{
	uint64_t limit = UINT64_MAX;
	struct snapshot_txn *next = l->snapshots.txns;
	for (size_t i = 0; i < l->count; i++) {
		struct held *h = &l->held[i];
		h->seen = h->committed ? next++ : NULL;
		if (!h->committed)
			continue;
		h->seen->final = h->ended < oldest;
		h->seen->misplaced |= !h->seen->started && !sees_the_past(l, h->seen);
	}
	if (!snapshots_place(&l->snapshots))
		return 0; /* no memory now: try later */
	for (size_t i = 0; i < l->snapshots.count; i++) {
		const struct snapshot_txn *t = &l->snapshots.txns[i];
		if (!t->final && !t->misplaced && t->commit_ts && t->commit_ts < limit)
			limit = t->commit_ts;
	}
	return limit;
}

/* 0: none. */
static uint64_t number_of(const struct held *h)
{
	return h->seen && !h->seen->misplaced ? h->seen->commit_ts : 0;
}

static int by_number(const void *a, const void *b)
{
	const struct held *x = a, *y = b;
	uint64_t m = number_of(x), n = number_of(y);
	if (m != n)
		return m < n ? -1 : 1;
	return x->ended < y->ended ? -1 : x->ended > y->ended;
}

/* ---- writing ---- */

static void write_line(struct live *l, struct held *h)
{
	const char *line = h->line.data;
	struct snapshot_txn *t = h->seen;
	if (number_of(h)) {
		snapshot_txn_print(t, true, &l->ready);
		line = strchr(line, ',');
	}
	text_word(&l->ready, line);
	l->bytes -= h->line.length;
	text_release(&h->line);
	if (!t)
		return;
	t->written = true;
	l->misplaced += t->misplaced;
	if (t->xid > l->newest)
		l->newest = t->xid;
	if (t->xid)
		l->recent[t->xid % RECENT] = t->xid;
}

/* Under the lock. */
static void flush(struct live *l)
{
	uint64_t oldest = oldest_running(l);
	size_t kept = 0;
	l->due_count = l->fresh = 0;
	if (oldest == l->oldest && oldest != UINT64_MAX)
		return; /* the same long transaction */
	l->oldest = oldest;
	uint64_t limit = settle(l, oldest);
	for (size_t i = 0; i < l->count; i++) {
		struct held h = l->held[i];
		if (h.seen && (!h.seen->final || number_of(&h) >= limit)) {
			l->held[kept++] = h;
			continue;
		}
		l->due = items_grown(l->due, l->due_count, &l->due_room, sizeof *l->due);
		l->due[l->due_count++] = h;
	}
	l->count = kept;
	if (!l->due_count)
		return;
	qsort(l->due, l->due_count, sizeof *l->due, by_number);
	text_cut(&l->ready, 0);
	for (size_t i = 0; i < l->due_count; i++)
		write_line(l, &l->due[i]);
	journal_add(l->to, l->ready.data, l->ready.length);
	snapshots_drop_written(&l->snapshots);
}

/* ---- events ---- */

void live_begin(struct live *l, uint64_t client)
{
	pthread_mutex_lock(&l->lock);
	l->begun[client] = ++l->now;
	pthread_mutex_unlock(&l->lock);
}

/* Under the lock. */
static void hold(struct live *l, const char *line, size_t length)
{
	static const char id[] = "{\"id\":";
	struct snapshot_txn t = {.id = strtoull(line + sizeof id - 1, NULL, 10)};
	struct held h = {.ended = ++l->now, .committed = snapshots_take(&l->snapshots, &t, line)};
	if (h.committed)
		snapshots_add(&l->snapshots, &t);
	text_add(&h.line, line, length);
	l->held = items_grown(l->held, l->count, &l->room, sizeof *l->held);
	l->held[l->count++] = h;
	l->bytes += length;
	if (++l->fresh >= FLUSH_LINES)
		flush(l);
}

void live_end(struct live *l, uint64_t client, const char *line, size_t length)
{
	pthread_mutex_lock(&l->lock);
	l->begun[client] = 0;
	if (length)
		hold(l, line, length);
	pthread_mutex_unlock(&l->lock);
}

void live_tick(struct live *l)
{
	pthread_mutex_lock(&l->lock);
	flush(l);
	pthread_mutex_unlock(&l->lock);
}

bool live_is_full(struct live *l)
{
	pthread_mutex_lock(&l->lock);
	bool full = l->bytes >= FULL_BYTES;
	pthread_mutex_unlock(&l->lock);
	return full;
}

uint64_t live_close(struct live *l)
{
	flush(l);
	uint64_t misplaced = l->misplaced;
	pthread_mutex_destroy(&l->lock);
	snapshots_release(&l->snapshots);
	text_release(&l->ready);
	free(l->held);
	free(l->due);
	free(l->begun);
	free(l);
	return misplaced;
}
