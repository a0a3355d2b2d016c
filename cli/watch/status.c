/* status: see status.h. */
#include "status.h"

#include "clock.h"
#include "finding.h"
#include "picture.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 2000, LATELY_SECONDS = 5, SILENT_SECONDS = 30 };
static const double PUBLISH_SECONDS = 0.1;

/* A ring buffer of the latest findings. */
struct latest {
	char *lines[STATUS_LATEST];
	char *pictures[STATUS_LATEST]; /* SVG; NULL: none */
	uint64_t count;                /* ever */
};

struct status {
	struct text stream; /* its name, as it can be shown */
	const char *level;
	double started;
	double next;       /* when to publish again: at once after a finding */
	double rated;      /* when the latest rate was taken, … */
	uint64_t rated_at; /* … and how many transactions there were then */
	bool any_rate;
	bool by_timestamps;
	struct recent recent;
	double second;     /* the last one in which pictures were made, … */
	unsigned pictured; /* … and how many */
	struct text line;
	pthread_mutex_t lock; /* of what follows */
	struct status_facts facts;
	struct latest latest[2]; /* others, violations */
};

static double seconds_since_1970(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct status *status_new(const char *stream, const char *level, bool by_timestamps)
{
	struct status *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	text_escaped(&b->stream, ALIBI_ESCAPE_TEXT, stream, strlen(stream));
	b->level = level;
	b->by_timestamps = by_timestamps;
	b->started = seconds_since_1970();
	pthread_mutex_init(&b->lock, NULL);
	return b;
}

void status_free(struct status *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < STATUS_LATEST; k++) {
			free(b->latest[i].lines[k]);
			free(b->latest[i].pictures[k]);
		}
	recent_release(&b->recent);
	text_release(&b->line);
	text_release(&b->stream);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* ---- for the checking thread ---- */

bool status_is_due(const struct status *b)
{
	return clock_seconds() >= b->next;
}

static uint64_t arrived(const alibi_watch_stats *s)
{
	return s->txns + s->duplicates;
}

/* One rate a second. Transactions of a checkpoint do not count as arrived. */
static void rate(struct status *b, double now, const alibi_watch_stats *s)
{
	struct status_facts *f = &b->facts;
	if (b->any_rate && now - b->rated < 1)
		return;
	if (b->any_rate) {
		memmove(f->rates + 1, f->rates, sizeof f->rates - sizeof *f->rates);
		f->rates[0] = (double)(arrived(s) - b->rated_at) / (now - b->rated);
		f->rate_count += f->rate_count < STATUS_RATES;
	}
	b->any_rate = true;
	b->rated = now;
	b->rated_at = arrived(s);
}

void status_publish(struct status *b, const struct status_facts *facts)
{
	double now = clock_seconds();
	struct status_facts *f = &b->facts;
	pthread_mutex_lock(&b->lock);
	bool any_new = f->published > 0 && arrived(&facts->stats) > arrived(&f->stats);
	f->stats = facts->stats;
	f->has_checkpoint = facts->has_checkpoint;
	f->checkpoint = facts->checkpoint;
	f->away_since = facts->away_since;
	f->place = facts->place;
	f->published = now;
	f->came = any_new ? now : f->came;
	rate(b, now, &f->stats);
	pthread_mutex_unlock(&b->lock);
	b->next = now + PUBLISH_SECONDS;
}

/* A text as JSON, truncated between two characters. */
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

void status_take_bytes(struct status *b, const char *bytes, size_t length)
{
	recent_add(&b->recent, bytes, length);
}

/* Of a violation, and not too often: the stream goes on meanwhile. */
static struct picture picture(struct status *b, const alibi_watch_event *e)
{
	double now = clock_seconds();
	if (now - b->second > 1) {
		b->second = now;
		b->pictured = 0;
	}
	if (alibi_watch_event_what(e) != ALIBI_WATCH_VIOLATION ||
	    b->pictured++ >= PICTURES_A_SECOND)
		return (struct picture){0};
	return picture_of(&b->recent, b->level, b->by_timestamps, e);
}

/* Line by line, as a terminal or a page may show them. */
static void member_lines(struct text *t, const char *lines)
{
	struct text shown = {0};
	for (const char *end; *lines; lines = end + !!*end) {
		end = lines + strcspn(lines, "\n");
		text_escaped(&shown, ALIBI_ESCAPE_TEXT, lines, (size_t)(end - lines));
		text_add(&shown, end, !!*end);
	}
	if (shown.data)
		member(t, "lines", shown.data);
	text_release(&shown);
}

static void add_picture(struct text *t, const struct picture *p)
{
	if (p->title.data) {
		member(t, "name", p->name.data);
		member(t, "title", p->title.data);
		member(t, "summary", p->summary.data);
	}
	if (p->lines.data)
		member_lines(t, p->lines.data);
	text_word(t, p->svg.data ? ",\"picture\":true" : "");
}

void status_add(struct status *b, const alibi_watch_event *e)
{
	struct latest *latest = &b->latest[alibi_watch_event_what(e) == ALIBI_WATCH_VIOLATION];
	struct text *t = &b->line;
	struct finding_member members[FINDING_MEMBERS];
	size_t count = finding_members(e, members), at = latest->count % STATUS_LATEST;
	struct picture drawn = picture(b, e);
	text_cut(t, 0);
	text_print(t, "{\"number\":%" PRIu64 ",\"time\":%.3f,\"what\":\"%s\",\"id\":\"%s\"",
	           latest->count + 1, seconds_since_1970(), finding_what(alibi_watch_event_what(e)),
	           alibi_watch_event_id(e));
	for (size_t i = 0; i < count; i++)
		member(t, members[i].name, members[i].text);
	add_picture(t, &drawn);
	text_word(t, "}");
	char *line = strdup(t->data);
	if (line) {
		pthread_mutex_lock(&b->lock);
		free(latest->lines[at]);
		free(latest->pictures[at]);
		latest->lines[at] = line;
		latest->pictures[at] = drawn.svg.data;
		latest->count++;
		pthread_mutex_unlock(&b->lock);
		drawn.svg = (struct text){0};
	}
	picture_release(&drawn);
	b->next = 0;
}

/* ---- for other threads ---- */

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

struct status_view status_read(struct status *b)
{
	struct status_view v = {.stream = b->stream.data,
	                        .level = b->level,
	                        .started = b->started,
	                        .resident = resident_bytes()};
	pthread_mutex_lock(&b->lock);
	v.facts = b->facts;
	v.now = clock_seconds();
	pthread_mutex_unlock(&b->lock);
	return v;
}

void status_latest(struct status *b, bool violations, struct text *t)
{
	const struct latest *latest = &b->latest[violations];
	text_word(t, "[");
	pthread_mutex_lock(&b->lock);
	for (uint64_t i = 0; i < latest->count && i < STATUS_LATEST; i++) {
		text_word(t, i ? "," : "");
		text_word(t, latest->lines[(latest->count - 1 - i) % STATUS_LATEST]);
	}
	pthread_mutex_unlock(&b->lock);
	text_word(t, "]");
}

bool status_picture(struct status *b, uint64_t number, struct text *t)
{
	const struct latest *latest = &b->latest[true];
	pthread_mutex_lock(&b->lock);
	bool kept = number && number <= latest->count && latest->count - number < STATUS_LATEST;
	const char *svg = kept ? latest->pictures[(number - 1) % STATUS_LATEST] : NULL;
	if (svg)
		text_word(t, svg);
	pthread_mutex_unlock(&b->lock);
	return svg;
}

double status_rate(const struct status_view *v)
{
	double sum = 0;
	size_t n = v->facts.rate_count < LATELY_SECONDS ? v->facts.rate_count : LATELY_SECONDS;
	for (size_t i = 0; i < n; i++)
		sum += v->facts.rates[i];
	return n ? sum / (double)n : 0;
}

bool status_lag(const struct status_view *v, uint64_t *lag)
{
	int64_t newest = v->facts.stats.newest.physical, settled = v->facts.stats.settled.physical;
	*lag = newest > settled ? (uint64_t)newest - (uint64_t)settled : 0;
	return v->facts.stats.any_stamp && settled != INT64_MIN;
}

const char *status_problem(const struct status_view *v)
{
	if (v->facts.away_since > 0)
		return "the source of the stream does not answer";
	if (v->now - v->facts.published > SILENT_SECONDS)
		return "the watch has been busy with one step for a long time";
	return NULL;
}
