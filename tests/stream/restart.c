/*
 * restart: streams watched in ways that must make no difference, many in one process.
 *
 *     restart <QUESTIONS     each a line: WAY LEVEL HORIZON LONGEST SEED FILE
 *
 * Keys may go to a store whenever they can. WAY is one of
 *   plain   one watch, on one to three threads
 *   killed  at random points all that the watch knows is saved; at others it is thrown
 *           away, and a new watch goes on from what was saved last and from where the
 *           file was then. Findings go to a log that knows them by their ids, as the
 *           program's does.
 *   shards  several watches, each of a part of the keys
 *
 * The file is fed in pieces that are cut anywhere. Prints what alibi watch --json prints,
 * as far as stream.py looks at it.
 */
#include "../random.h"
#include "stats.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDS_MAX = 1 << 14, ID_BYTES = 32 };

struct bytes {
	char *data;
	size_t length, room;
};

/* A question, and what the watch of it has come to. */
struct asked {
	bool killed, shards;
	alibi_watch_options options;
	struct bytes text, saved;
	size_t position; /* in the text, of what is saved */
	char reported[IDS_MAX][ID_BYTES];
	size_t reported_count;
	alibi_watch_stats sum;
};

static uint64_t seed;
static _Atomic unsigned long stored_again; /* keys that came back from a store */

static size_t draw(size_t below)
{
	return random_below(&seed, (uint32_t)below);
}

static bool add(void *data, const void *bytes, size_t length)
{
	struct bytes *b = data;
	if (b->length + length > b->room) {
		b->room = 2 * (b->length + length);
		b->data = realloc(b->data, b->room);
		if (!b->data)
			return false;
	}
	memcpy(b->data + b->length, bytes, length);
	b->length += length;
	return true;
}

static bool is_new(struct asked *q, const char *id)
{
	for (size_t i = 0; i < q->reported_count; i++)
		if (!memcmp(q->reported[i], id, ID_BYTES))
			return false;
	if (q->reported_count < IDS_MAX)
		memcpy(q->reported[q->reported_count++], id, ID_BYTES);
	return true;
}

static void tell(struct asked *q, alibi_watch *w)
{
	static const char *const what[] = {"violation", "undecided", "unverified"};
	const alibi_watch_event *e;
	while ((e = alibi_watch_next(w))) {
		if (q->killed && !is_new(q, alibi_watch_event_id(e)))
			continue;
		printf("{\"what\":\"%s\",\"id\":\"%s\",\"kind\":\"%s\",\"txn\":%s",
		       what[alibi_watch_event_what(e)], alibi_watch_event_id(e),
		       event_about(e).kind, event_about(e).txn);
		if (event_about(e).other)
			printf(",\"other\":%s", event_about(e).other);
		printf(",\"key\":%s}\n", event_about(e).key ? event_about(e).key : "null");
	}
}

/* ---- a store for keys ---- */

struct entry {
	struct entry *next;
	struct bytes key, value;
	bool flushed;
};

static void *store_open(void *data, uint32_t number)
{
	(void)data, (void)number;
	return calloc(1, sizeof(struct entry *));
}

static struct entry *entry_of(void *store, const void *key, size_t key_length)
{
	struct entry *e = *(struct entry **)store;
	while (e && (e->key.length != key_length || memcmp(e->key.data, key, key_length) != 0))
		e = e->next;
	return e;
}

static bool store_put(void *store, const void *key, size_t key_length, const void *bytes,
                      size_t length)
{
	struct entry **first = store, *e = entry_of(store, key, key_length);
	if (!e) {
		e = calloc(1, sizeof *e);
		e->next = *first;
		*first = e;
		add(&e->key, key, key_length);
	}
	e->value.length = 0;
	e->flushed = false;
	return add(&e->value, bytes, length);
}

static bool store_flush(void *store)
{
	for (struct entry *e = *(struct entry **)store; e; e = e->next)
		e->flushed = true;
	return true;
}

static bool store_get(void *store, const void *key, size_t key_length, const void **bytes,
                      size_t *length)
{
	struct entry *e = entry_of(store, key, key_length);
	*bytes = e ? e->value.data : NULL;
	*length = e ? e->value.length : 0;
	stored_again += e != NULL;
	return !e || e->flushed;
}

static bool store_each(void *store, alibi_store_fn *fn, void *data)
{
	bool ok = true;
	for (struct entry *e = *(struct entry **)store; e && ok; e = e->next)
		ok = fn(data, e->key.data, e->key.length, e->value.data, e->value.length);
	return ok;
}

static const char *store_why(void *store)
{
	(void)store;
	return NULL;
}

static void store_close(void *store)
{
	for (struct entry *e = *(struct entry **)store, *next; e; e = next) {
		next = e->next;
		free(e->key.data);
		free(e->value.data);
		free(e);
	}
	free(store);
}

static const alibi_store store = {ALIBI_INIT(alibi_store), .open = store_open,  .put = store_put,
                                  .flush = store_flush,    .get = store_get,    .each = store_each,
                                  .why = store_why,        .close = store_close};

/* ---- watching ---- */

static bool read_file(const char *path, struct bytes *b)
{
	char piece[4096];
	FILE *f = fopen(path, "rb");
	size_t n;
	while (f && (n = fread(piece, 1, sizeof piece, f)) > 0)
		add(b, piece, n);
	return f && !fclose(f);
}

/* Of all shards together; what each of them counts alike must be alike. */
static bool add_up(struct asked *q, const alibi_watch_stats *s)
{
	alibi_watch_stats *sum = &q->sum;
	if (!q->options.shard)
		*sum = (alibi_watch_stats){.txns = s->txns, .duplicates = s->duplicates};
	sum->violations += s->violations;
	sum->undecided += s->undecided + s->unverified + !s->committed;
	sum->stands |= s->stands;
	sum->verdict = sum->stands                         ? ALIBI_VIOLATES
	               : sum->violations || sum->undecided ? ALIBI_UNKNOWN
	                                                   : ALIBI_VALID;
	return sum->txns == s->txns && sum->duplicates == s->duplicates;
}

/* True: to the end, or it failed; false: killed. */
static bool watch(struct asked *q)
{
	alibi *a = alibi_new();
	alibi_watch *w = alibi_watch_new(a, &q->options);
	size_t at = q->position;
	bool ok = w && (!q->saved.length || alibi_watch_load(w, q->saved.data, q->saved.length));
	bool killed = false;
	while (ok && !killed && at < q->text.length) {
		size_t piece = 1 + draw(draw(4) ? 300 : 20000);
		if (piece > q->text.length - at)
			piece = q->text.length - at;
		ok = alibi_watch_text(w, "stream", q->text.data + at, piece);
		at += piece;
		tell(q, w);
		if (ok && q->killed && !draw(3)) {
			q->saved.length = 0;
			ok = alibi_watch_save(w, add, &q->saved);
			q->position = at - watch_stats(w).unread;
		}
		killed = q->killed && !draw(6);
	}
	if (ok && !killed && alibi_watch_finish(w)) {
		tell(q, w);
		alibi_watch_stats s = watch_stats(w);
		if (!add_up(q, &s))
			fprintf(stderr, "restart: shards count differently\n");
	}
	if (alibi_last_error(a)->code != ALIBI_OK) {
		fprintf(stderr, "restart: %s\n", alibi_last_error(a)->text);
		killed = false;
	}
	alibi_free(a);
	return !killed;
}

static void answer(struct asked *q)
{
	q->options.threads = 1 + (uint32_t)draw(3);
	q->options.store = draw(2) ? &store : NULL; /* what can be spilled is */
	q->options.shards = q->shards ? 2 + (uint32_t)draw(3) : 1;
	for (; q->options.shard < q->options.shards; q->options.shard++) {
		q->position = 0;
		while (!watch(q))
			;
	}
	printf("{\"what\":\"summary\",\"verdict\":\"%s\",\"txns\":%" PRIu64
	       ",\"duplicates\":%" PRIu64 ",\"stored\":%lu}\n",
	       alibi_verdict_name(q->sum.verdict), q->sum.txns, q->sum.duplicates, stored_again);
	stored_again = 0;
	fflush(stdout);
}

int main(void)
{
	static struct asked q;
	char line[4096], way[16], level[16], path[2048];
	while (fgets(line, sizeof line, stdin)) {
		q = (struct asked){.options = {ALIBI_INIT(alibi_watch_options), .level = level,
		                               .has_horizon = true}};
		if (sscanf(line, "%15s %15s %" SCNu64 " %" SCNu64 " %" SCNu64 " %2047s", way, level,
		           &q.options.horizon, &q.options.longest, &seed, path) != 6 ||
		    !read_file(path, &q.text))
			return 2;
		q.killed = !strcmp(way, "killed");
		q.shards = !strcmp(way, "shards");
		answer(&q);
		free(q.text.data);
		free(q.saved.data);
	}
	return 0;
}
