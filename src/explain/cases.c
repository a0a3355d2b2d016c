/* cases: see cases.h. This file: assumptions, and the order of writers they make. */
#include "explain/cases.h"

#include "base/guard.h"
#include "explain/cycle.h"

#include <assert.h>

enum {
	TXNS_MAX = 64,
	LEAVES_MAX = 128,
	STEPS_MAX = 20000, /* cycle searches, for each class */
};

/* The version order of two writers of a key. */
struct version_pair {
	enum version_reason why;
	uint32_t read;
};

struct analysis {
	struct pool *pool;
	const struct reads *r;
	const struct history *h;
	const struct check_options *options;
	bool session, time; /* session order, and clocks, are used */
	uint32_t n, keys;
	uint32_t *chosen;             /* by read: in reads.candidates; ID_NONE: undecided */
	struct version_pair *version; /* by key, earlier, later */
	VEC(struct assumption) assumed;
	dependency_vec dependencies, cycle;
	struct cases *out;
	enum cycle_class limit;
	uint32_t steps;
};

static struct version_pair *version_at(const struct analysis *s, uint32_t key, uint32_t a,
                                       uint32_t b)
{
	return &s->version[((size_t)key * s->n + a) * s->n + b];
}

static bool writes(const struct analysis *s, uint32_t txn, uint32_t key)
{
	return origins_writes(&s->r->origins, txn, key);
}

/* ---- what follows from the history ---- */

static void add(struct analysis *s, struct dependency a)
{
	vec_push(s->pool, &s->dependencies, a);
}

/* A transaction with unknown outcome may take effect at any later time. */
static bool in_session_order(const struct analysis *s, uint32_t a, uint32_t b)
{
	const struct txn *t = s->h->txns;
	return s->session && a < b && t[a].session == t[b].session && t[a].status == ALIBI_COMMIT;
}

static bool in_time_order(const struct analysis *s, uint32_t a, uint32_t b)
{
	return s->time && a != b && s->h->txns[a].status == ALIBI_COMMIT &&
	       history_ended_before(s->h, a, b, s->options->skew);
}

static void set_version(struct analysis *s, uint32_t key, uint32_t a, uint32_t b,
                        enum version_reason why, uint32_t read)
{
	struct version_pair *v = version_at(s, key, a, b);
	if (a != b && v->why == VERSION_UNKNOWN && writes(s, a, key) && writes(s, b, key))
		*v = (struct version_pair){why, read};
}

/* For all keys that both wrote. */
static void set_versions(struct analysis *s, uint32_t a, uint32_t b, enum version_reason why,
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

/* A list shows the order of its appenders; all other appenders come later. */
static void versions_by_list(struct analysis *s, uint32_t read, struct candidate c)
{
	const struct read_candidates *e = &s->r->external.items[read];
	const uint32_t *writers = candidate_writers(s->r, c);
	for (uint32_t i = 0; i < c.count; i++) {
		if (i + 1 < c.count)
			set_version(s, e->key, writers[i], writers[i + 1], VERSION_LIST, read);
		for (uint32_t t = 0; t < s->n && i + 1 == c.count; t++)
			if (t != e->txn && !is_among(writers, c.count, t))
				set_version(s, e->key, writers[i], t, VERSION_LIST, read);
	}
}

static struct candidate chosen_candidate(const struct analysis *s, uint32_t read)
{
	return s->r->candidates.items[s->chosen[read]];
}

static void add_reads_from(struct analysis *s)
{
	for (uint32_t i = 0; i < s->r->external.count; i++) {
		const struct read_candidates *e = &s->r->external.items[i];
		if (s->chosen[i] == ID_NONE || !chosen_candidate(s, i).count)
			continue;
		struct candidate c = chosen_candidate(s, i);
		uint32_t writer = s->r->writers.items[c.first + c.count - 1];
		add(s, (struct dependency){.kind = DEP_WR,
		                           .from = writer,
		                           .to = e->txn,
		                           .key = e->key,
		                           .read = i});
		if (s->h->key_is_list[e->key])
			versions_by_list(s, i, c);
		set_versions(s, writer, e->txn, VERSION_READ, i);
	}
}

static void add_session_and_time_order(struct analysis *s)
{
	for (uint32_t a = 0; a < s->n; a++)
		for (uint32_t b = 0; b < s->n; b++) {
			bool session = in_session_order(s, a, b), time = in_time_order(s, a, b);
			if ((!session && !time) || !origins_takes_part(&s->r->origins, b))
				continue;
			struct dependency d = {.kind = DEP_SO, .from = a, .to = b, .read = ID_NONE};
			if (session)
				add(s, d);
			d.kind = DEP_RT;
			if (time)
				add(s, d);
			set_versions(s, a, b, session ? VERSION_SESSION : VERSION_TIME, ID_NONE);
		}
}

static void add_assumed(struct analysis *s)
{
	for (size_t i = 0; i < s->assumed.count; i++) {
		const struct assumption *a = &s->assumed.items[i];
		if (a->of_writers)
			set_version(s, a->key, a->before, a->after, VERSION_ASSUMED, ID_NONE);
	}
}

/* ---- what follows from that ---- */

static void close_versions(struct analysis *s)
{
	for (uint32_t key = 0; key < s->keys; key++)
		for (uint32_t c = 0; c < s->n; c++)
			for (uint32_t a = 0; a < s->n; a++) {
				guard_tick(pool_guard(s->pool));
				if (version_at(s, key, a, c)->why == VERSION_UNKNOWN)
					continue;
				for (uint32_t b = 0; b < s->n; b++)
					if (version_at(s, key, c, b)->why != VERSION_UNKNOWN)
						set_version(s, key, a, b, VERSION_CHAIN, ID_NONE);
			}
}

/* Only those that no other dependency implies. */
static void add_overwrites(struct analysis *s)
{
	for (uint32_t key = 0; key < s->keys; key++)
		for (uint32_t a = 0; a < s->n; a++)
			for (uint32_t b = 0; b < s->n; b++) {
				const struct version_pair *v = version_at(s, key, a, b);
				if (v->why == VERSION_LIST || v->why == VERSION_ASSUMED)
					add(s, (struct dependency){.kind = DEP_WW,
					                           .from = a,
					                           .to = b,
					                           .key = key,
					                           .read = v->read,
					                           .why = v->why,
					                           .why_read = v->read});
			}
}

static void add_anti_dependencies(struct analysis *s)
{
	for (uint32_t i = 0; i < s->r->external.count; i++) {
		const struct read_candidates *e = &s->r->external.items[i];
		if (s->chosen[i] == ID_NONE)
			continue;
		struct candidate c = chosen_candidate(s, i);
		const uint32_t *writers = candidate_writers(s->r, c);
		uint32_t from = c.count ? writers[c.count - 1] : ID_NONE;
		bool list = s->h->key_is_list[e->key];
		for (uint32_t t = 0; t < s->n; t++) {
			if (t == e->txn || !writes(s, t, e->key) || is_among(writers, c.count, t))
				continue;
			struct version_pair v = {VERSION_LIST, i};
			if (!list && from != ID_NONE)
				v = *version_at(s, e->key, from, t);
			if (v.why != VERSION_UNKNOWN)
				add(s, (struct dependency){.kind = DEP_RW,
				                           .from = e->txn,
				                           .to = t,
				                           .key = e->key,
				                           .read = i,
				                           .replaced = from,
				                           .why = v.why,
				                           .why_read = v.read});
		}
	}
}

/* Looks for a cycle under the current assumptions; it is in s->cycle. */
static bool find_cycle(struct analysis *s, enum cycle_class *class)
{
	s->steps++;
	s->dependencies.count = 0;
	for (size_t i = 0; i < (size_t)s->keys * s->n * s->n; i++)
		s->version[i].why = VERSION_UNKNOWN;
	add_reads_from(s);
	add_session_and_time_order(s);
	add_assumed(s);
	close_versions(s);
	add_overwrites(s);
	add_anti_dependencies(s);
	for (*class = 0; *class <= s->limit; ++*class)
		if (cycle_find(s->pool, s->r, &s->dependencies, s->n, *class, &s->cycle))
			return true;
	return false;
}

/* ---- cases ---- */

static void assume(struct analysis *s, struct assumption a)
{
	vec_push(s->pool, &s->assumed, a);
	if (!a.of_writers)
		s->chosen[a.read] = a.candidate;
}

static void retract(struct analysis *s)
{
	const struct assumption *a = &s->assumed.items[--s->assumed.count];
	if (!a->of_writers)
		s->chosen[a->read] = ID_NONE;
}

/* The alternatives of one undecided read or pair of writers. */
struct branching {
	struct assumption first;
	uint32_t alternatives, unresolved; /* unresolved: without an immediate cycle */
};

static struct assumption alternative(const struct branching *q, uint32_t i)
{
	struct assumption a = q->first;
	if (a.of_writers && i) {
		a.before = q->first.after;
		a.after = q->first.before;
	}
	a.candidate += i;
	return a;
}

/* Takes the branching if it is better than the best one so far. */
static void weigh(struct analysis *s, struct branching q, struct branching *best)
{
	enum cycle_class class;
	for (uint32_t i = 0; i < q.alternatives && s->steps < STEPS_MAX; i++) {
		assume(s, alternative(&q, i));
		q.unresolved += !find_cycle(s, &class);
		retract(s);
	}
	bool better = q.unresolved != best->unresolved ? q.unresolved < best->unresolved
	                                               : q.alternatives < best->alternatives;
	if (!best->alternatives || better)
		*best = q;
}

typedef VEC(struct assumption) assumption_vec;

/* The pairs of writers without a known order. A list, since find_cycle() recomputes
 * s->version. */
static assumption_vec unordered_pairs(struct analysis *s)
{
	assumption_vec pairs = {0};
	for (uint32_t key = 0; key < s->keys; key++)
		for (uint32_t a = 0; a < s->n; a++)
			for (uint32_t b = a + 1; b < s->n && writes(s, a, key); b++)
				if (writes(s, b, key) &&
				    version_at(s, key, a, b)->why == VERSION_UNKNOWN &&
				    version_at(s, key, b, a)->why == VERSION_UNKNOWN)
					vec_push(s->pool, &pairs,
					         ((struct assumption){.of_writers = true,
					                              .key = key,
					                              .before = a,
					                              .after = b}));
	return pairs;
}

static struct branching best_branching(struct analysis *s)
{
	struct branching best = {0};
	assumption_vec pairs = unordered_pairs(s);
	for (uint32_t i = 0; i < s->r->external.count; i++) {
		const struct read_candidates *e = &s->r->external.items[i];
		if (s->chosen[i] == ID_NONE)
			weigh(s,
			      (struct branching){.first = {.read = i, .candidate = e->first},
			                         .alternatives = e->count},
			      &best);
	}
	for (size_t i = 0; i < pairs.count; i++)
		weigh(s, (struct branching){.first = pairs.items[i], .alternatives = 2}, &best);
	pool_free(s->pool, pairs.items);
	return best;
}

static void add_leaf(struct analysis *s, enum cycle_class class)
{
	struct cases *out = s->out;
	struct leaf leaf = {class, (uint32_t)out->assumptions.count, (uint32_t)s->assumed.count,
	                    (uint32_t)out->dependencies.count, (uint32_t)s->cycle.count};
	for (size_t i = 0; i < s->assumed.count; i++)
		vec_push(s->pool, &out->assumptions, s->assumed.items[i]);
	for (size_t i = 0; i < s->cycle.count; i++)
		vec_push(s->pool, &out->dependencies, s->cycle.items[i]);
	vec_push(s->pool, &out->leaves, leaf);
}

/* Does every case from here on end in a cycle? Recursion is as deep as there are
 * undecided reads and pairs, which TXNS_MAX bounds, and STEPS_MAX long before. */
static bool refute(struct analysis *s)
{
	enum cycle_class class;
	if (find_cycle(s, &class)) {
		add_leaf(s, class);
		return s->out->leaves.count <= LEAVES_MAX;
	}
	struct branching q = best_branching(s);
	if (!q.alternatives || s->steps >= STEPS_MAX)
		return false;
	for (uint32_t i = 0; i < q.alternatives; i++) {
		assume(s, alternative(&q, i));
		bool ok = refute(s);
		retract(s);
		if (!ok)
			return false;
	}
	return true;
}

/* Session order and clocks are used only if there are no cycles without them. */
enum { USE_NEITHER, USE_SESSIONS, USE_TIMES, USES };

static bool refute_up_to(struct analysis *s, enum cycle_class limit, int use)
{
	struct cases *out = s->out;
	s->limit = limit;
	s->session = use != USE_NEITHER && s->options->session_order;
	s->time = use == USE_TIMES;
	s->steps = 0;
	s->assumed.count = 0;
	out->leaves.count = 0;
	out->assumptions.count = 0;
	out->dependencies.count = 0;
	out->needs_session = use == USE_SESSIONS;
	out->needs_time = use == USE_TIMES;
	for (uint32_t i = 0; i < s->r->external.count; i++) {
		const struct read_candidates *e = &s->r->external.items[i];
		s->chosen[i] = e->count == 1 ? e->first : ID_NONE;
	}
	return refute(s);
}

struct cases cases_of(const struct reads *r, const struct check_options *options)
{
	struct cases out = {0};
	struct analysis s = {.pool = r->pool,
	                     .r = r,
	                     .h = r->h,
	                     .options = options,
	                     .n = r->h->txn_count,
	                     .keys = (uint32_t)atoms_count(&r->h->keys),
	                     .out = &out};
	int uses = options->level->rules.realtime || options->time_order ? USES : USE_TIMES;
	if (s.n > TXNS_MAX || s.keys > TXNS_MAX || r->truncated)
		return out;
	s.chosen = pool_array(s.pool, r->external.count + 1, sizeof *s.chosen);
	s.version = pool_array(s.pool, (size_t)s.keys * s.n * s.n + 1, sizeof *s.version);
	for (enum cycle_class limit = 0; limit < CYCLE_CLASSES && !out.found; limit++)
		for (int use = 0; use < uses && !out.found; use++)
			out.found = refute_up_to(&s, limit, use);
	return out;
}
