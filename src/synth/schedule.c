/* schedule: see schedule.h. */
#include "synth/schedule.h"

#include <string.h>

struct plan {
	const struct shape *s;
	const struct witness *w;
	uint8_t at[SHAPE_TXNS + 1][SHAPE_KEYS]; /* reads: after so many commits */
	bool begun[SHAPE_TXNS + 1];
};

/* After how many commits all are there whom t must see. */
static uint8_t earliest(const struct shape *s, const struct witness *w, uint32_t t, bool reads)
{
	uint8_t start = 0;
	for (uint32_t a = 1; a <= s->txns; a++)
		if (shape_so(s, a, t) && w->rank[a] > start)
			start = w->rank[a];
	for (uint32_t k = 0; reads && k < s->keys; k++)
		if (s->from[t][k] > 0 && w->rank[s->from[t][k]] > start)
			start = w->rank[s->from[t][k]];
	return start;
}

/* Does the state after `start` commits give t all that it reads? */
static bool is_snapshot(const struct shape *s, const struct witness *w, uint32_t t, uint8_t start)
{
	for (uint32_t k = 0; k < s->keys; k++) {
		if (s->from[t][k] == NOBODY)
			continue;
		for (uint32_t a = 1; a <= s->txns; a++)
			if (s->writes[a][k] && w->rank[a] <= start &&
			    w->rank[a] > w->rank[s->from[t][k]])
				return false;
	}
	return true;
}

static void plan_reads(struct plan *p, uint32_t t, bool ordered)
{
	const struct shape *s = p->s;
	uint8_t start = earliest(s, p->w, t, true), session = earliest(s, p->w, t, false);
	bool snapshot = is_snapshot(s, p->w, t, start);
	for (uint32_t k = 0; k < s->keys; k++) {
		if (s->from[t][k] == NOBODY)
			continue;
		uint8_t rank = p->w->rank[s->from[t][k]];
		p->at[t][k] = snapshot ? start : rank > session ? rank : session;
	}
	/* What is read later is not read earlier. */
	for (uint32_t k = 0; ordered && k < s->keys; k++)
		for (uint32_t j = 0; j < s->keys; j++)
			if (s->from[t][j] != NOBODY && s->from[t][k] != NOBODY &&
			    s->place[t][j] < s->place[t][k] && p->at[t][j] > p->at[t][k])
				p->at[t][k] = p->at[t][j];
}

static void begin(struct pool *pool, text_vec *out, struct plan *p, uint32_t t)
{
	if (!p->begun[t])
		text_addf(pool, out, "s%u T%u begin\n", p->s->session[t], t);
	p->begun[t] = true;
}

/* Those who read after so many commits. */
static void add_reads(struct pool *pool, text_vec *out, struct plan *p, uint32_t t, uint32_t slot)
{
	const struct shape *s = p->s;
	uint32_t keys[SHAPE_KEYS], n = shape_reads(s, t, keys);
	for (uint32_t i = 0; i < n; i++) {
		char name[SHAPE_NAME];
		uint32_t v = shape_version(s, (uint32_t)s->from[t][keys[i]], keys[i]);
		if (p->at[t][keys[i]] != slot)
			continue;
		begin(pool, out, p, t);
		shape_key(keys[i], name);
		text_addf(pool, out, "s%u T%u read %s ", s->session[t], t, name);
		text_addf(pool, out, v ? "%u\n" : "null\n", v);
	}
}

static void add_commit(struct pool *pool, text_vec *out, struct plan *p, uint32_t t)
{
	const struct shape *s = p->s;
	begin(pool, out, p, t);
	for (uint32_t k = 0; k < s->keys; k++) {
		char name[SHAPE_NAME];
		shape_key(k, name);
		if (s->writes[t][k])
			text_addf(pool, out, "s%u T%u write %s %u\n", s->session[t], t, name,
			          shape_version(s, t, k));
	}
	text_addf(pool, out, "s%u T%u commit\n", s->session[t], t);
}

const char *schedule_text(struct pool *pool, const struct shape *s, const struct witness *w,
                          bool ordered)
{
	struct plan p = {.s = s, .w = w};
	text_vec out = {0};
	uint32_t by_rank[SHAPE_TXNS + 1] = {0};
	for (uint32_t t = 1; t <= s->txns; t++) {
		by_rank[w->rank[t]] = t;
		plan_reads(&p, t, ordered);
	}
	for (uint32_t slot = 0; slot <= s->txns; slot++) {
		for (uint32_t place = 1; place <= s->txns; place++)
			add_reads(pool, &out, &p, by_rank[place], slot);
		if (slot < s->txns)
			add_commit(pool, &out, &p, by_rank[slot + 1]);
	}
	return text_string(pool, &out);
}
