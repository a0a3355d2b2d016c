/* faults: see faults.h. */
#include "report/faults.h"

#include "base/guard.h"
#include "format/json.h"
#include "history/units.h"
#include "report/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_COLUMNS = 120, OPEN_MAX = 16 /* faults at a time */ };

/* ---- words ---- */

struct event {
	int64_t at;
	size_t place;             /* in the file */
	const char *name, *value; /* value: "" if there is none */
};

/* JSON to look at: without quotes, and without the colons of EDN's keywords. */
static const char *bare(struct pool *pool, const char *json, size_t length)
{
	text_vec t = {0};
	bool inside = false; /* of a string */
	for (size_t i = 0; i < length; i++) {
		if (json[i] == '"') {
			inside = !inside;
			i += inside && i + 1 < length && json[i + 1] == ':';
			continue;
		}
		if (!inside && strchr(" \t\n\r", json[i]))
			continue;
		text_add(pool, &t, &json[i], 1);
		if (inside && json[i] == '\\' && i + 1 < length)
			text_add(pool, &t, &json[++i], 1);
		else if (!inside && strchr(",:", json[i]))
			text_add(pool, &t, " ", 1);
	}
	return words_elided(pool, text_string(pool, &t), TEXT_COLUMNS);
}

static struct event event_of(struct pool *pool, const struct history *h, const struct annotation *a)
{
	struct json j;
	struct event e = {.at = a->at, .value = ""};
	struct text name;
	json_copy(&j, pool, "an annotation", h->texts.items + a->offset, a->length);
	if (json_peek(&j) == '{') {
		for (bool first = json_open(&j, '{', "an event"); json_member(&j, &first, &name);) {
			bool is_name = text_is(name, "f"), is_value = text_is(name, "value");
			struct text member = json_skip(&j);
			if (is_name)
				e.name = bare(pool, member.bytes, member.length);
			else if (is_value && !text_is(member, "null"))
				e.value = bare(pool, member.bytes, member.length);
		}
	}
	if (!e.name)
		e = (struct event){.at = a->at,
		                   .name = bare(pool, h->texts.items + a->offset, a->length),
		                   .value = ""};
	return e;
}

static const char *words_of(struct pool *pool, const char *name, const char *value)
{
	return *value ? text_format(pool, "%s %s", name, value) : name;
}

const char *faults_words(struct pool *pool, const struct history *h, const struct annotation *a)
{
	struct event e = event_of(pool, h, a);
	return words_of(pool, e.name, e.value);
}

/* ---- pairs ---- */

/* Names that begin or end like this; what they have in common names the fault. */
static const struct pair {
	const char *begins, *ends;
	bool behind; /* it stands at the end of the name: "partition starts" */
} pairs[] = {
        {"start-", "stop-", false}, {"start-", "heal-", false}, {" starts", " stops", true},
        {" starts", " ends", true}, {" begins", " ends", true}, {"kill", "restart", false},
        {"kill", "start", false},   {"pause", "resume", false}, {"partition", "heal", false},
        {"start", "stop", false},
};

/* The rest of a name that begins, or ends, like that; NULL: it does not. */
static const char *rest_of(struct pool *pool, const char *name, const char *word, bool behind)
{
	size_t length = strlen(name), part = strlen(word);
	if (length < part || strncmp(behind ? name + length - part : name, word, part) != 0)
		return NULL;
	if (!behind && isalnum((unsigned char)word[part - 1]) && isalnum((unsigned char)name[part]))
		return NULL; /* "killed" is another word */
	return behind ? pool_text(pool, name, length - part) : name + part;
}

static bool same_rest(struct pool *pool, const struct pair *p, const char *begun, const char *ended)
{
	const char *a = rest_of(pool, begun, p->begins, p->behind);
	const char *b = rest_of(pool, ended, p->ends, p->behind);
	return a && b && !strcmp(a, b);
}

static const struct pair *pair_that_begins(struct pool *pool, const char *name)
{
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (rest_of(pool, name, pairs[i].begins, pairs[i].behind))
			return &pairs[i];
	return NULL;
}

static bool may_end(struct pool *pool, const char *begun, const char *name)
{
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (same_rest(pool, &pairs[i], begun, name))
			return true;
	return false;
}

/* "partition" of "start-partition" and of "partition starts"; "kill" of "kill". */
static const char *fault_name(struct pool *pool, const struct event *begin)
{
	const struct pair *p = pair_that_begins(pool, begin->name);
	const char *rest = rest_of(pool, begin->name, p->begins, p->behind);
	bool names = *rest && (p->behind || !strcmp(p->begins, "start-"));
	if (!strcmp(begin->name, "start") && *begin->value)
		return begin->value;
	return words_of(pool, names ? rest : begin->name, begin->value);
}

/* ---- from events to faults ---- */

static int by_time(const void *x, const void *y)
{
	const struct event *a = x, *b = y;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* The names that began and ended a fault. */
struct open_fault {
	const char *begun, *ended;
};

struct pairing {
	struct pool *pool;
	struct faults found;
	VEC(struct open_fault) states; /* by fault */
	size_t latest;                 /* the fault that the event before ended, from 1; 0: none */
};

/* It ends an open fault, or says once more that one has begun or ended. */
static bool belongs(struct pairing *p, const struct event *e)
{
	size_t least = p->states.count > OPEN_MAX ? p->states.count - OPEN_MAX : 0;
	for (size_t i = p->states.count; i-- > least;) {
		struct open_fault *state = &p->states.items[i];
		struct fault *fault = &p->found.faults.items[i];
		bool again = !strcmp(state->ended ? state->ended : state->begun, e->name) &&
		             (!state->ended || p->latest == i + 1);
		if (again && !state->ended) {
			if (strlen(e->value) > 0)
				fault->text = fault_name(p->pool, e);
			return true;
		}
		if (again || (!state->ended && may_end(p->pool, state->begun, e->name))) {
			p->latest = i + 1;
			state->ended = e->name;
			fault->ends = true;
			fault->end = e->at;
			return true;
		}
	}
	return false;
}

struct faults faults_of(struct pool *pool, const struct history *h)
{
	VEC(struct event) events = {0};
	struct pairing p = {.pool = pool};
	for (size_t i = 0; i < h->annotations.count; i++) {
		const struct annotation *a = &h->annotations.items[i];
		guard_tick(pool_guard(pool));
		if (!a->has_at)
			continue;
		struct event e = event_of(pool, h, a);
		e.place = i;
		vec_push(pool, &events, e);
	}
	if (events.count)
		qsort(events.items, events.count, sizeof *events.items, by_time);
	for (size_t i = 0; i < events.count; i++) {
		const struct event *e = &events.items[i];
		guard_tick(pool_guard(pool));
		if (belongs(&p, e))
			continue;
		p.latest = 0;
		if (pair_that_begins(pool, e->name)) {
			vec_push(pool, &p.found.faults,
			         ((struct fault){e->at, e->at, false, fault_name(pool, e)}));
			vec_push(pool, &p.states, ((struct open_fault){e->name, NULL}));
		} else {
			struct happening m = {e->at, words_of(pool, e->name, e->value)};
			vec_push(pool, &p.found.moments, m);
		}
	}
	return p.found;
}

/* ---- time ---- */

const char *faults_distance(struct pool *pool, const struct history *h, uint64_t distance)
{
	if (units_are_nanoseconds(h))
		return units_distance(pool, h, distance);
	struct sink *s = sink_in_memory(pool);
	words_count(s, distance);
	return text_string(pool, &s->buffer);
}

/* ---- beside an anomaly ---- */

/* "it began 1.5 s before, and ended 20.0 ms after them" */
static const char *around(struct pool *pool, const struct history *h, const struct fault *f,
                          int64_t first, int64_t last)
{
	text_vec t = {0};
	bool before = f->begin <= first;
	text_addf(pool, &t, "%s, which began %s %s", f->text,
	          faults_distance(pool, h,
	                          before ? (uint64_t)first - (uint64_t)f->begin
	                                 : (uint64_t)f->begin - (uint64_t)first),
	          before ? "before the first of them" : "after the first of them began");
	if (f->ends && f->end >= last)
		text_addf(pool, &t, " and ended %s after the last",
		          faults_distance(pool, h, (uint64_t)f->end - (uint64_t)last));
	else if (f->ends)
		text_addf(pool, &t, " and ended %s before the last ended",
		          faults_distance(pool, h, (uint64_t)last - (uint64_t)f->end));
	return text_string(pool, &t);
}

const char *faults_near(struct pool *pool, const struct history *h, const struct faults *all,
                        int64_t first, int64_t last)
{
	enum { NAMED = 4 };
	text_vec t = {0};
	const struct fault *latest = NULL; /* that had ended */
	size_t named = 0;
	for (size_t i = 0; i < all->faults.count; i++) {
		const struct fault *f = &all->faults.items[i];
		if (f->begin > last)
			break;
		if (f->ends && f->end < first)
			latest = !latest || f->end > latest->end ? f : latest;
		else if (named++ < NAMED)
			text_addf(pool, &t, "%s%s", named > 1 ? "; and " : "During ",
			          around(pool, h, f, first, last));
	}
	if (named)
		return text_string(pool, &t);
	return latest ? text_format(
	                        pool, "After %s, which had ended %s before", latest->text,
	                        faults_distance(pool, h, (uint64_t)first - (uint64_t)latest->end))
	              : NULL;
}
