/* cases: see cases.h. This file: assumptions, and the order of writers they make. */
#include "explain/cases.h"

#include "base/guard.h"
#include "explain/cycle.h"

#include <assert.h>

enum {
	TXNS_MAX = 64,
	LEAVES_MAX = 128,
	LOOKS_MAX = 20000, /* at the arrows of one case, for each rung */
};

/* What is known of two writers of a key. */
struct version {
	enum version_why why;
	uint32_t read;
};

struct search {
	struct pool *pool;
	const struct reads *r;
	const struct history *h;
	const struct check_options *options;
	bool session, time; /* session order, and clocks, are used */
	uint32_t n, keys;
	uint32_t *chosen;        /* by read: in reads.choices; NO_READ: open */
	struct version *version; /* by key, earlier, later */
	VEC(struct assumption) assumed;
	arrow_vec arrows, cycle;
	struct cases *out;
	enum rung limit;
	uint32_t looks;
};

static struct version *version_at(const struct search *s, uint32_t key, uint32_t a, uint32_t b)
{
	return &s->version[((size_t)key * s->n + a) * s->n + b];
}

static bool writes(const struct search *s, uint32_t txn, uint32_t key)
{
	return origins_writes(&s->r->origins, txn, key);
}

/* ---- what the history says ---- */

static void add(struct search *s, struct arrow a)
{
	vec_push(s->pool, &s->arrows, a);
}

/* Who did not learn the outcome need not come before anybody. */
static bool in_session(const struct search *s, uint32_t a, uint32_t b)
{
	const struct txn *t = s->h->txns;
	return s->session && a < b && t[a].session == t[b].session && t[a].status == ALIBI_COMMIT;
}

static bool in_time(const struct search *s, uint32_t a, uint32_t b)
{
	return s->time && a != b && s->h->txns[a].status == ALIBI_COMMIT &&
	       history_ended_before(s->h, a, b, s->options->skew);
}

static void set_version(struct search *s, uint32_t key, uint32_t a, uint32_t b,
                        enum version_why why, uint32_t read)
{
	struct version *v = version_at(s, key, a, b);
	if (a != b && v->why == VERSION_OPEN && writes(s, a, key) && writes(s, b, key))
		*v = (struct version){why, read};
}

/* Parallel to another arrow: for all keys that both wrote. */
static void set_versions(struct search *s, uint32_t a, uint32_t b, enum version_why why,
                         uint32_t read)
{
	for (uint32_t key = 0; key < s->keys; key++)
		set_version(s, key, a, b, why, read);
}

static bool is_among(const uint32_t *writers, uint32_t count, uint32_t txn)
{
	for (uint32_t i = 0; i < count; i++)
		if (writers[i] == txn)
			return true;
	return false;
}

/* A list shows the order of its appenders; who is not in it comes later. */
static void versions_by_list(struct search *s, uint32_t read, struct choice c)
{
	const struct seen *seen = &s->r->seen.items[read];
	const uint32_t *writers = choice_writers(s->r, c);
	for (uint32_t i = 0; i < c.count; i++) {
		if (i + 1 < c.count)
			set_version(s, seen->key, writers[i], writers[i + 1], VERSION_LIST, read);
		for (uint32_t t = 0; t < s->n && i + 1 == c.count; t++)
			if (t != seen->txn && !is_among(writers, c.count, t))
				set_version(s, seen->key, writers[i], t, VERSION_LIST, read);
	}
}

static struct choice choice_of(const struct search *s, uint32_t read)
{
	return s->r->choices.items[s->chosen[read]];
}

static void add_reads_from(struct search *s)
{
	for (uint32_t i = 0; i < s->r->seen.count; i++) {
		const struct seen *seen = &s->r->seen.items[i];
		if (s->chosen[i] == NO_READ || !choice_of(s, i).count)
			continue;
		struct choice c = choice_of(s, i);
		uint32_t writer = s->r->writers.items[c.first + c.count - 1];
		add(s, (struct arrow){.kind = ARROW_WR,
		                      .from = writer,
		                      .to = seen->txn,
		                      .key = seen->key,
		                      .read = i});
		if (s->h->key_is_list[seen->key])
			versions_by_list(s, i, c);
		set_versions(s, writer, seen->txn, VERSION_READ, i);
	}
}

static void add_sessions_and_times(struct search *s)
{
	for (uint32_t a = 0; a < s->n; a++)
		for (uint32_t b = 0; b < s->n; b++) {
			bool session = in_session(s, a, b), time = in_time(s, a, b);
			if ((!session && !time) || !origins_takes_part(&s->r->origins, b))
				continue;
			if (session)
				add(s,
				    (struct arrow){
				            .kind = ARROW_SO, .from = a, .to = b, .read = NO_READ});
			if (time)
				add(s,
				    (struct arrow){
				            .kind = ARROW_RT, .from = a, .to = b, .read = NO_READ});
			set_versions(s, a, b, session ? VERSION_SESSION : VERSION_TIME, NO_READ);
		}
}

static void add_assumed(struct search *s)
{
	for (size_t i = 0; i < s->assumed.count; i++) {
		const struct assumption *a = &s->assumed.items[i];
		if (a->of_writers)
			set_version(s, a->key, a->before, a->after, VERSION_ASSUMED, NO_READ);
	}
}

/* ---- what follows ---- */

static void close_versions(struct search *s)
{
	for (uint32_t key = 0; key < s->keys; key++)
		for (uint32_t c = 0; c < s->n; c++)
			for (uint32_t a = 0; a < s->n; a++) {
				guard_tick(pool_guard(s->pool));
				if (version_at(s, key, a, c)->why == VERSION_OPEN)
					continue;
				for (uint32_t b = 0; b < s->n; b++)
					if (version_at(s, key, c, b)->why != VERSION_OPEN)
						set_version(s, key, a, b, VERSION_CHAIN, NO_READ);
			}
}

/* Those that are parallel to other arrows, or follow, add nothing. */
static void add_writes(struct search *s)
{
	for (uint32_t key = 0; key < s->keys; key++)
		for (uint32_t a = 0; a < s->n; a++)
			for (uint32_t b = 0; b < s->n; b++) {
				const struct version *v = version_at(s, key, a, b);
				if (v->why == VERSION_LIST || v->why == VERSION_ASSUMED)
					add(s, (struct arrow){.kind = ARROW_WW,
					                      .from = a,
					                      .to = b,
					                      .key = key,
					                      .read = v->read,
					                      .why = v->why,
					                      .why_read = v->read});
			}
}

static void add_replaced(struct search *s)
{
	for (uint32_t i = 0; i < s->r->seen.count; i++) {
		const struct seen *seen = &s->r->seen.items[i];
		if (s->chosen[i] == NO_READ)
			continue;
		struct choice c = choice_of(s, i);
		const uint32_t *writers = choice_writers(s->r, c);
		uint32_t from = c.count ? writers[c.count - 1] : NO_TXN;
		bool list = s->h->key_is_list[seen->key];
		for (uint32_t t = 0; t < s->n; t++) {
			if (t == seen->txn || !writes(s, t, seen->key) ||
			    is_among(writers, c.count, t))
				continue;
			struct version v = {VERSION_LIST, i};
			if (!list && from != NO_TXN)
				v = *version_at(s, seen->key, from, t);
			if (v.why != VERSION_OPEN)
				add(s, (struct arrow){.kind = ARROW_RW,
				                      .from = seen->txn,
				                      .to = t,
				                      .key = seen->key,
				                      .read = i,
				                      .replaced = from,
				                      .why = v.why,
				                      .why_read = v.read});
		}
	}
}

/* Is there a contradiction with what is assumed now? It is in s->cycle then. */
static bool contradicts(struct search *s, enum rung *rung)
{
	s->looks++;
	s->arrows.count = 0;
	for (size_t i = 0; i < (size_t)s->keys * s->n * s->n; i++)
		s->version[i].why = VERSION_OPEN;
	add_reads_from(s);
	add_sessions_and_times(s);
	add_assumed(s);
	close_versions(s);
	add_writes(s);
	add_replaced(s);
	for (*rung = 0; *rung <= s->limit; ++*rung)
		if (cycle_find(s->pool, s->r, &s->arrows, s->n, *rung, &s->cycle))
			return true;
	return false;
}

/* ---- cases ---- */

static void assume(struct search *s, struct assumption a)
{
	vec_push(s->pool, &s->assumed, a);
	if (!a.of_writers)
		s->chosen[a.read] = a.choice;
}

static void assume_no_more(struct search *s)
{
	const struct assumption *a = &s->assumed.items[--s->assumed.count];
	if (!a->of_writers)
		s->chosen[a->read] = NO_READ;
}

/* What may be assumed next: one of several alternatives. */
struct question {
	struct assumption first;
	uint32_t alternatives, left; /* left: those that lead to no cycle at once */
};

static struct assumption alternative(const struct question *q, uint32_t i)
{
	struct assumption a = q->first;
	if (a.of_writers && i) {
		a.before = q->first.after;
		a.after = q->first.before;
	}
	a.choice += i;
	return a;
}

/* Keeps the question if it is better than the best. */
static void weigh(struct search *s, struct question q, struct question *best)
{
	enum rung rung;
	for (uint32_t i = 0; i < q.alternatives && s->looks < LOOKS_MAX; i++) {
		assume(s, alternative(&q, i));
		q.left += !contradicts(s, &rung);
		assume_no_more(s);
	}
	bool better =
	        q.left != best->left ? q.left < best->left : q.alternatives < best->alternatives;
	if (!best->alternatives || better)
		*best = q;
}

static bool is_open(const struct search *s, const bool *open, uint32_t key, uint32_t a, uint32_t b)
{
	return open[((size_t)key * s->n + a) * s->n + b];
}

/* Which pairs of writers are open: contradicts() forgets it when it is asked again. */
static bool *open_pairs(struct search *s)
{
	bool *open = pool_zarray(s->pool, (size_t)s->keys * s->n * s->n + 1, sizeof *open);
	for (uint32_t key = 0; key < s->keys; key++)
		for (uint32_t a = 0; a < s->n; a++)
			for (uint32_t b = a + 1; b < s->n; b++)
				open[((size_t)key * s->n + a) * s->n + b] =
				        writes(s, a, key) && writes(s, b, key) &&
				        version_at(s, key, a, b)->why == VERSION_OPEN &&
				        version_at(s, key, b, a)->why == VERSION_OPEN;
	return open;
}

static struct question best_question(struct search *s)
{
	struct question best = {0};
	bool *open = open_pairs(s);
	for (uint32_t i = 0; i < s->r->seen.count; i++)
		if (s->chosen[i] == NO_READ)
			weigh(s,
			      (struct question){
			              .first = {.read = i, .choice = s->r->seen.items[i].first},
			              .alternatives = s->r->seen.items[i].count},
			      &best);
	for (uint32_t key = 0; key < s->keys; key++)
		for (uint32_t a = 0; a < s->n; a++)
			for (uint32_t b = a + 1; b < s->n; b++)
				if (is_open(s, open, key, a, b))
					weigh(s,
					      (struct question){.first = {.of_writers = true,
					                                  .key = key,
					                                  .before = a,
					                                  .after = b},
					                        .alternatives = 2},
					      &best);
	pool_free(s->pool, open);
	return best;
}

static void add_leaf(struct search *s, enum rung rung)
{
	struct cases *out = s->out;
	struct leaf leaf = {rung, (uint32_t)out->assumptions.count, (uint32_t)s->assumed.count,
	                    (uint32_t)out->arrows.count, (uint32_t)s->cycle.count};
	for (size_t i = 0; i < s->assumed.count; i++)
		vec_push(s->pool, &out->assumptions, s->assumed.items[i]);
	for (size_t i = 0; i < s->cycle.count; i++)
		vec_push(s->pool, &out->arrows, s->cycle.items[i]);
	vec_push(s->pool, &out->leaves, leaf);
}

/* Does every case from here on end in a cycle? Recursion is as deep as there are
 * open questions, which TXNS_MAX bounds, and LOOKS_MAX long before. */
static bool refute(struct search *s)
{
	enum rung rung;
	if (contradicts(s, &rung)) {
		add_leaf(s, rung);
		return s->out->leaves.count <= LEAVES_MAX;
	}
	struct question q = best_question(s);
	if (!q.alternatives || s->looks >= LOOKS_MAX)
		return false;
	for (uint32_t i = 0; i < q.alternatives; i++) {
		assume(s, alternative(&q, i));
		bool ok = refute(s);
		assume_no_more(s);
		if (!ok)
			return false;
	}
	return true;
}

/* Without session order and clocks, if that is enough; or else with them. */
enum { USE_NEITHER, USE_SESSIONS, USE_TIMES, USES };

static bool refute_up_to(struct search *s, enum rung limit, int use)
{
	struct cases *out = s->out;
	s->limit = limit;
	s->session = use != USE_NEITHER && s->options->session_order;
	s->time = use == USE_TIMES;
	s->looks = 0;
	s->assumed.count = 0;
	out->leaves.count = 0;
	out->assumptions.count = 0;
	out->arrows.count = 0;
	out->needs_session = use == USE_SESSIONS;
	out->needs_time = use == USE_TIMES;
	for (uint32_t i = 0; i < s->r->seen.count; i++) {
		const struct seen *seen = &s->r->seen.items[i];
		s->chosen[i] = seen->count == 1 ? seen->first : NO_READ;
	}
	return refute(s);
}

struct cases cases_of(const struct reads *r, const struct check_options *options)
{
	struct cases out = {0};
	struct search s = {.pool = r->pool,
	                   .r = r,
	                   .h = r->h,
	                   .options = options,
	                   .n = r->h->txn_count,
	                   .keys = (uint32_t)atoms_count(&r->h->keys),
	                   .out = &out};
	int uses = options->level->rules.realtime || options->time_order ? USES : USE_TIMES;
	if (s.n > TXNS_MAX || s.keys > TXNS_MAX || r->too_many)
		return out;
	s.chosen = pool_array(s.pool, r->seen.count + 1, sizeof *s.chosen);
	s.version = pool_array(s.pool, (size_t)s.keys * s.n * s.n + 1, sizeof *s.version);
	for (enum rung limit = 0; limit < RUNGS && !out.found; limit++)
		for (int use = 0; use < uses && !out.found; use++)
			out.found = refute_up_to(&s, limit, use);
	return out;
}
