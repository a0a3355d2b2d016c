/* schedule: see schedule.h. */
#include "synth/schedule.h"

#include <string.h>

struct plan {
	const struct skeleton *s;
	const struct witness *w;
	uint8_t at[SKELETON_TXNS + 1][SKELETON_KEYS]; /* reads: after so many commits */
	bool begun[SKELETON_TXNS + 1];
};

/* The number of commits after which everything that t must see is committed. */
static uint8_t earliest(const struct skeleton *s, const struct witness *w, uint32_t t, bool reads)
{
	uint8_t start = 0;
	for (uint32_t a = 1; a <= s->txns; a++)
		if (skeleton_so(s, a, t) && w->rank[a] > start)
			start = w->rank[a];
	for (uint32_t k = 0; reads && k < s->keys; k++)
		if (s->from[t][k] > 0 && w->rank[s->from[t][k]] > start)
			start = w->rank[s->from[t][k]];
	return start;
}

/* Does the state after `start` commits have every version that t reads? */
static bool is_snapshot(const struct skeleton *s, const struct witness *w, uint32_t t,
                        uint8_t start)
{
	for (uint32_t k = 0; k < s->keys; k++) {
		if (s->from[t][k] == NOT_READ)
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
	const struct skeleton *s = p->s;
	uint8_t start = earliest(s, p->w, t, true), session = earliest(s, p->w, t, false);
	bool snapshot = is_snapshot(s, p->w, t, start);
	for (uint32_t k = 0; k < s->keys; k++) {
		if (s->from[t][k] == NOT_READ)
			continue;
		uint8_t rank = p->w->rank[s->from[t][k]];
		p->at[t][k] = snapshot ? start : rank > session ? rank : session;
	}
	/* A later read is not scheduled before an earlier one. */
	for (uint32_t k = 0; ordered && k < s->keys; k++)
		for (uint32_t j = 0; j < s->keys; j++)
			if (s->from[t][j] != NOT_READ && s->from[t][k] != NOT_READ &&
			    s->place[t][j] < s->place[t][k] && p->at[t][j] > p->at[t][k])
				p->at[t][k] = p->at[t][j];
}

static void begin(struct pool *pool, text_vec *out, struct plan *p, uint32_t t)
{
	if (!p->begun[t])
		text_addf(pool, out, "s%u T%u begin\n", p->s->session[t], t);
	p->begun[t] = true;
}

/* The reads of t after so many commits. */
static void add_reads(struct pool *pool, text_vec *out, struct plan *p, uint32_t t, uint32_t slot)
{
	struct skeleton_op ops[SKELETON_OPS];
	for (uint32_t i = 0, n = skeleton_ops(p->s, t, ops); i < n; i++) {
		if (ops[i].writes || p->at[t][ops[i].key] != slot)
			continue;
		begin(pool, out, p, t);
		text_addf(pool, out, "s%u T%u read %s ", p->s->session[t], t, ops[i].name);
		text_addf(pool, out, ops[i].version ? "%u\n" : "null\n", ops[i].version);
	}
}

static void add_commit(struct pool *pool, text_vec *out, struct plan *p, uint32_t t)
{
	struct skeleton_op ops[SKELETON_OPS];
	begin(pool, out, p, t);
	for (uint32_t i = 0, n = skeleton_ops(p->s, t, ops); i < n; i++)
		if (ops[i].writes)
			text_addf(pool, out, "s%u T%u write %s %u\n", p->s->session[t], t,
			          ops[i].name, ops[i].version);
	text_addf(pool, out, "s%u T%u commit\n", p->s->session[t], t);
}

const char *schedule_text(struct pool *pool, const struct skeleton *s, const struct witness *w,
                          bool ordered)
{
	struct plan p = {.s = s, .w = w};
	text_vec out = {0};
	uint32_t by_rank[SKELETON_TXNS + 1] = {0};
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
