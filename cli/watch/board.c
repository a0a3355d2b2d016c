/* board: see board.h. */
#include "board.h"

#include "clock.h"
#include "findings.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 2000, LATELY_SECONDS = 5, SILENT_SECONDS = 30 };
static const double PIN_SECONDS = 0.1;

/* The latest findings, around in a circle. */
struct latest {
	char *lines[BOARD_LATEST];
	uint64_t count; /* ever */
};

struct board {
	const char *stream, *level;
	double started;
	double next;       /* when to pin again: at once after a finding, which counts */
	double rated;      /* when the latest rate was taken, … */
	uint64_t rated_at; /* … and how many transactions there were then */
	bool any_rate;
	struct text line;
	pthread_mutex_t lock; /* of what follows */
	struct board_facts facts;
	struct latest latest[2]; /* others, violations */
};

static double seconds_since_1970(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct board *board_new(const char *stream, const char *level)
{
	struct board *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->stream = stream;
	b->level = level;
	b->started = seconds_since_1970();
	pthread_mutex_init(&b->lock, NULL);
	return b;
}

void board_free(struct board *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < BOARD_LATEST; k++)
			free(b->latest[i].lines[k]);
	text_release(&b->line);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* ---- for who checks ---- */

bool board_is_due(const struct board *b)
{
	return clock_seconds() >= b->next;
}

static uint64_t all_that_came(const alibi_watch_stats *s)
{
	return s->txns + s->duplicates;
}

/* One rate a second. What was known at the start, from a checkpoint, did not come now. */
static void rate(struct board *b, double now, const alibi_watch_stats *s)
{
	struct board_facts *f = &b->facts;
	if (b->any_rate && now - b->rated < 1)
		return;
	if (b->any_rate) {
		memmove(f->rates + 1, f->rates, sizeof f->rates - sizeof *f->rates);
		f->rates[0] = (double)(all_that_came(s) - b->rated_at) / (now - b->rated);
		f->rate_count += f->rate_count < BOARD_RATES;
	}
	b->any_rate = true;
	b->rated = now;
	b->rated_at = all_that_came(s);
}

void board_pin(struct board *b, const struct board_facts *facts)
{
	double now = clock_seconds();
	struct board_facts *f = &b->facts;
	pthread_mutex_lock(&b->lock);
	bool any_came = f->pinned > 0 && all_that_came(&facts->stats) > all_that_came(&f->stats);
	f->stats = facts->stats;
	f->has_checkpoint = facts->has_checkpoint;
	f->checkpoint = facts->checkpoint;
	f->away_since = facts->away_since;
	f->place = facts->place;
	f->pinned = now;
	f->came = any_came ? now : f->came;
	rate(b, now, &f->stats);
	pthread_mutex_unlock(&b->lock);
	b->next = now + PIN_SECONDS;
}

/* Text of any length, as JSON, cut between two characters. */
static void member(struct text *t, const char *name, const char *text)
{
	char cut[TEXT_BYTES + sizeof "…"];
	size_t length = strlen(text);
	if (length > TEXT_BYTES) {
		length = TEXT_BYTES;
		while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
		memcpy(cut, text, length);
		memcpy(cut + length, "…", sizeof "…");
		text = cut;
	}
	text_print(t, ",\"%s\":", name);
	text_json(t, text);
}

void board_add(struct board *b, const alibi_watch_event *e)
{
	struct latest *latest = &b->latest[e->what == ALIBI_WATCH_VIOLATION];
	struct text *t = &b->line;
	struct finding_member members[FINDING_MEMBERS];
	size_t count = finding_members(e, members);
	text_cut(t, 0);
	text_print(t, "{\"number\":%" PRIu64 ",\"time\":%.3f,\"what\":\"%s\",\"id\":\"%s\"",
	           latest->count + 1, seconds_since_1970(), finding_what(e->what), e->id);
	for (size_t i = 0; i < count; i++)
		member(t, members[i].name, members[i].text);
	text_word(t, "}");
	char *line = strdup(t->data), **place = &latest->lines[latest->count % BOARD_LATEST];
	if (!line)
		return;
	pthread_mutex_lock(&b->lock);
	char *before = *place;
	*place = line;
	latest->count++;
	pthread_mutex_unlock(&b->lock);
	free(before);
	b->next = 0;
}

/* ---- for who looks ---- */

static size_t resident_bytes(void)
{
	unsigned long long all, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	if (!f)
		return 0;
	if (fscanf(f, "%llu %llu", &all, &resident) != 2)
		resident = 0;
	fclose(f);
	return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE);
}

struct board_view board_look(struct board *b)
{
	struct board_view v = {.stream = b->stream,
	                       .level = b->level,
	                       .started = b->started,
	                       .resident = resident_bytes()};
	pthread_mutex_lock(&b->lock);
	v.facts = b->facts;
	v.now = clock_seconds();
	pthread_mutex_unlock(&b->lock);
	return v;
}

void board_latest(struct board *b, bool violations, struct text *t)
{
	const struct latest *latest = &b->latest[violations];
	text_word(t, "[");
	pthread_mutex_lock(&b->lock);
	for (uint64_t i = 0; i < latest->count && i < BOARD_LATEST; i++) {
		text_word(t, i ? "," : "");
		text_word(t, latest->lines[(latest->count - 1 - i) % BOARD_LATEST]);
	}
	pthread_mutex_unlock(&b->lock);
	text_word(t, "]");
}

double board_rate(const struct board_view *v)
{
	double sum = 0;
	size_t n = v->facts.rate_count < LATELY_SECONDS ? v->facts.rate_count : LATELY_SECONDS;
	for (size_t i = 0; i < n; i++)
		sum += v->facts.rates[i];
	return n ? sum / (double)n : 0;
}

bool board_lag(const struct board_view *v, uint64_t *lag)
{
	int64_t newest = v->facts.stats.newest.physical, settled = v->facts.stats.settled.physical;
	*lag = newest > settled ? (uint64_t)newest - (uint64_t)settled : 0;
	return v->facts.stats.any_stamp && settled != INT64_MIN;
}

const char *board_trouble(const struct board_view *v)
{
	if (v->facts.away_since > 0)
		return "the source of the stream does not answer";
	if (v->now - v->facts.pinned > SILENT_SECONDS)
		return "the watch has been busy with one step for long";
	return NULL;
}
