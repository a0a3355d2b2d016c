/*
 * fuzz_stream: JSON Lines into a watch, by timestamps, by clocks and by fences.
 *
 * Whatever the text is, with whatever horizon: a watch ends in a verdict or in a message
 * about the input. It tells the same, each thing once, if the text comes in pieces, if at
 * random points its state is saved and another watch resumes from there, and if two
 * watches check a part of the keys each. What was saved and then damaged is refused.
 *
 * If check can read the same text, and no transaction came twice, a watch never says the
 * contrary of what check says of the whole, however much comes too late.
 */
#include "../random.h"
#include "../stream/stats.h"
#include "findings/findings.h"
#include "loading.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { ID = 32, TOLD_MAX = 4096 };

/* What a watch is asked, and what check is asked to compare. */
struct question {
	const char *name;
	alibi_watch_options watch;
	alibi_check_options check;
	bool shards;
};

static const struct question questions[] = {
        {"si",
         {ALIBI_INIT(alibi_watch_options), .level = "si"},
         {ALIBI_INIT(alibi_check_options), .level = "si", .order = ALIBI_ORDER_TIMESTAMPS},
         true},
        {"ser",
         {ALIBI_INIT(alibi_watch_options), .level = "ser", .timestamps = "serial"},
         {ALIBI_INIT(alibi_check_options), .level = "ser", .order = ALIBI_ORDER_TIMESTAMPS,
          .timestamps = "serial"},
         true},
        {"ser by clocks",
         {ALIBI_INIT(alibi_watch_options), .level = "ser", .client_times = true},
         {ALIBI_INIT(alibi_check_options), .level = "ser", .assume_time_order = true},
         false},
        {"sser by clocks",
         {ALIBI_INIT(alibi_watch_options), .level = "sser", .client_times = true},
         {ALIBI_INIT(alibi_check_options), .level = "sser"},
         false},
        {"ser by fences",
         {ALIBI_INIT(alibi_watch_options), .level = "ser", .fence = "\"f\""},
         {ALIBI_INIT(alibi_check_options), .level = "ser"},
         false},
};

struct bytes {
	unsigned char *data;
	size_t length, room;
};

struct said {
	bool failed;
	alibi_watch_stats stats;
	size_t count;
	char ids[TOLD_MAX][ID + 1];
	char text[512]; /* why it failed */
};

struct trial {
	const char *text;
	size_t size;
	uint64_t random;
	const struct question *question;
	alibi_watch_options options;
	bool torn; /* in pieces, and with restarts */
};

static struct said whole, other;

static void fail(const struct trial *t, const char *what, const char *why)
{
	fprintf(stderr, "%s, horizon %llu, longest %llu, round %zu: %s: %s\n", t->question->name,
	        t->options.has_horizon ? (unsigned long long)t->options.horizon : 0,
	        (unsigned long long)t->options.longest, t->options.round, what, why);
	abort();
}

/* Derived from the input, so that findings repeat. */
static size_t below(struct trial *t, size_t n)
{
	return random_below(&t->random, (uint32_t)n);
}

static bool add(void *data, const void *bytes, size_t length)
{
	struct bytes *b = data;
	if (b->length + length > b->room) {
		b->room = 2 * (b->length + length);
		b->data = realloc(b->data, b->room);
		assert(b->data);
	}
	memcpy(b->data + b->length, bytes, length);
	b->length += length;
	return true;
}

/* ---- watching ---- */

static void tell(const struct trial *t, struct said *s, alibi_watch *w)
{
	const alibi_watch_event *e;
	while ((e = alibi_watch_next(w))) {
		for (size_t i = 0; i < s->count; i++)
			if (!strcmp(s->ids[i], e->id) && strcmp(e->about.kind, "LATE") != 0)
				fail(t, "reported twice",
				     e->about.text ? e->about.text : e->about.kind);
		if (s->count < TOLD_MAX)
			snprintf(s->ids[s->count++], ID + 1, "%s", e->id);
	}
}

static void try_damaged(struct trial *t, const struct bytes *saved)
{
	struct bytes damaged = {0};
	add(&damaged, saved->data, saved->length);
	damaged.data[below(t, saved->length)] ^= (unsigned char)(1u << below(t, 8));
	size_t length = below(t, 4) ? saved->length : below(t, saved->length);
	alibi *a = alibi_new();
	alibi_watch *w = alibi_watch_new(a, &t->options);
	if (alibi_watch_load(w, damaged.data, length))
		fail(t, "what was damaged is loaded", "");
	alibi_free(a);
	free(damaged.data);
}

/* Another watch that resumes from the checkpoint of this one. */
static alibi_watch *restart(struct trial *t, alibi **a, alibi_watch *w)
{
	struct bytes saved = {0};
	if (!alibi_watch_save(w, add, &saved))
		fail(t, "cannot be saved", alibi_last_error(*a)->text);
	alibi_free(*a);
	*a = alibi_new();
	w = alibi_watch_new(*a, &t->options);
	if (!alibi_watch_load(w, saved.data, saved.length))
		fail(t, "cannot be loaded", alibi_last_error(*a)->text);
	try_damaged(t, &saved);
	free(saved.data);
	return w;
}

/* Or say what is wrong with the input. */
static void must_work(const struct trial *t, struct said *s, const alibi *a, bool works)
{
	const alibi_error *e = alibi_last_error(a);
	if (!works && e->code != ALIBI_INPUT)
		fail(t, "fails", e->text);
	s->failed = !works;
	snprintf(s->text, sizeof s->text, "%s", e->text ? e->text : "");
}

static void watch(struct trial *t, struct said *s)
{
	alibi *a = alibi_new();
	alibi_watch *w = alibi_watch_new(a, &t->options);
	if (!w)
		fail(t, "cannot begin", alibi_last_error(a)->text);
	for (size_t at = 0; !s->failed && at < t->size;) {
		size_t piece = t->torn ? 1 + below(t, 200) : t->size;
		piece = piece < t->size - at ? piece : t->size - at;
		must_work(t, s, a, alibi_watch_text(w, "stream", t->text + at, piece));
		at += piece;
		tell(t, s, w);
		if (!s->failed && t->torn && !below(t, 4)) {
			at -= watch_stats(w).unread;
			w = restart(t, &a, w);
		}
	}
	if (!s->failed)
		must_work(t, s, a, alibi_watch_finish(w));
	tell(t, s, w);
	s->stats = watch_stats(w);
	alibi_free(a);
}

static int by_id(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void must_agree(struct trial *t, const char *way)
{
	if (whole.failed != other.failed)
		fail(t, way, whole.failed ? whole.text : other.text);
	if (whole.failed || whole.count == TOLD_MAX || other.count == TOLD_MAX)
		return;
	qsort(whole.ids, whole.count, sizeof whole.ids[0], by_id);
	qsort(other.ids, other.count, sizeof other.ids[0], by_id);
	if (whole.count != other.count ||
	    memcmp(whole.ids, other.ids, whole.count * sizeof whole.ids[0]) != 0)
		fail(t, way, "other findings");
	if (whole.stats.txns != other.stats.txns ||
	    whole.stats.duplicates != other.stats.duplicates)
		fail(t, way, "it counts differently");
}

/* ---- and checking ---- */

static void compare_with_check(struct trial *t, alibi *a, const alibi_history *h)
{
	if (!h || whole.failed || whole.stats.duplicates)
		return;
	const alibi_result *r = alibi_check(a, h, &t->question->check);
	if (!r)
		fail(t, "cannot be checked", alibi_last_error(a)->text);
	enum alibi_verdict says = whole.stats.verdict;
	if ((says == ALIBI_VALID && r->verdict == ALIBI_VIOLATES) ||
	    (says == ALIBI_VIOLATES && r->verdict == ALIBI_VALID))
		fail(t, "check says the contrary of", alibi_verdict_name(says));
}

static void ask(struct trial *t, alibi *a, const alibi_history *h)
{
	t->options = t->question->watch;
	t->options.has_horizon = below(t, 3) > 0;
	t->options.horizon = t->options.has_horizon ? below(t, 30) : 0;
	t->options.longest = below(t, 20);
	t->options.round = 1 + below(t, 8);
	t->options.fence_sessions = t->options.fence ? 1 + below(t, 4) : 0;
	memset(&whole, 0, sizeof whole);
	watch(t, &whole);
	compare_with_check(t, a, h);
	memset(&other, 0, sizeof other);
	t->torn = true;
	watch(t, &other);
	t->torn = false;
	must_agree(t, "in pieces");
	if (!whole.failed && whole.stats.verdict != other.stats.verdict)
		fail(t, "in pieces", "it has another verdict");
	if (!t->question->shards)
		return;
	memset(&other, 0, sizeof other);
	t->options.shards = 2;
	for (t->options.shard = 0; t->options.shard < 2; t->options.shard++)
		watch(t, &other);
	must_agree(t, "in two shards");
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct trial t = {.text = (const char *)data, .size = size, .random = 1};
	for (size_t i = 0; i < size; i++)
		t.random = (t.random ^ data[i]) * 1099511628211u;
	alibi *a = alibi_new();
	const alibi_history *h = load_bytes(a, data, size);
	for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
		t.question = &questions[i];
		ask(&t, a, h);
	}
	alibi_free(a);
	return 0;
}
