/* fences: see fences.h. */
#include "stream/fences/fences.h"

#include "history/render.h"
#include "stream/core/duplicates.h"
#include "stream/core/events.h"
#include "stream/core/gap.h"
#include "stream/core/recent.h"
#include "stream/fences/orphans.h"
#include "stream/rounds/report.h"

#include <inttypes.h>
#include <stdlib.h>

enum { RECENT_MOST = 1 << 18, STATUSES = ALIBI_UNKNOWN_STATUS + 1 };

#define NO_END INT64_MAX

struct fence_session {
	struct value name;
	uint64_t passed;              /* the number of its last numbered fence; 0: none */
	bool passed_gap;              /* that one came after the last gap (gap.h) */
	struct held_txn *first, *end; /* since then */
	struct held_txn *latest;      /* the last orphan of these, or NULL */
};

struct fences {
	struct rounds rounds;
	struct value name; /* of the key */
	uint32_t key;      /* ID_NONE: not used yet */
	uint64_t count;    /* of numbered fences */
	bool any;          /* the key was used, … */
	struct value tip;  /* … and this is its value after the last numbered fence */
	struct table names;
	VEC(struct fence_session *) sessions; /* in order of first arrival */
	uint64_t with_orphan;                 /* sessions */
	uint64_t least, at_least; /* the minimum of `passed`, and how many sessions are there */
	struct orphans orphans;
	uint64_t next_try;               /* to resume the chain, with so many orphans */
	uint64_t held, to_check;         /* of these, committed ones */
	struct recent dropped[STATUSES]; /* ids, by status */
	struct recent written;           /* values of the key */
};

/* ---- sessions ---- */

static void find_least(struct fences *f)
{
	f->least = f->at_least = 0;
	for (size_t i = 0; i < f->sessions.count; i++) {
		uint64_t passed = f->sessions.items[i]->passed;
		if (!f->at_least || passed < f->least) {
			f->least = passed;
			f->at_least = 0;
		}
		f->at_least += passed == f->least;
	}
}

static struct fence_session *add_session(struct fences *f, struct value name, uint64_t passed)
{
	struct stream *s = f->rounds.s;
	struct fence_session *p = store_take(&s->store, sizeof *p);
	*p = (struct fence_session){.name = name, .passed = passed};
	vec_push(s->pool, &f->sessions, p);
	table_put(&f->names, p);
	return p;
}

static struct fence_session *session_of(struct fences *f, struct value name)
{
	struct stream *s = f->rounds.s;
	struct fence_session *p = table_get(&f->names, name);
	if (p)
		return p;
	f->at_least = f->least || !f->sessions.count ? 1 : f->at_least + 1;
	f->least = 0;
	return add_session(f, value_copy(&s->store, name), 0);
}

/* The caller removes it from f->sessions. */
static void free_session(struct fences *f, struct fence_session *p)
{
	struct stream *s = f->rounds.s;
	assert(!p->first && !p->latest);
	table_take_out(&f->names, p);
	value_drop(&s->store, p->name);
	store_give(&s->store, p, sizeof *p);
}

/* Where a session is now. */
static int64_t place_of(const struct fence_session *p)
{
	return 2 * (int64_t)p->passed;
}

static void add_orphan(struct fences *f, struct held_txn *x)
{
	orphans_add(&f->orphans, x);
	f->with_orphan += !x->session->latest;
	x->session->latest = x;
}

/* ---- to the window ---- */

static void give(struct fences *f, struct window_txn w, int64_t begin, int64_t end, uint8_t has)
{
	w.t->start = (alibi_stamp){.physical = begin};
	w.t->commit = (alibi_stamp){.physical = end};
	w.has = has;
	rounds_add(&f->rounds, w);
}

/* The first held transaction of a session. */
static void give_first(struct fences *f, struct fence_session *p, int64_t begin, int64_t end,
                       uint8_t has)
{
	struct held_txn *x = p->first;
	struct window_txn w = x->w;
	p->first = x->next;
	if (!p->first)
		p->end = NULL;
	if (x->orphan)
		orphans_remove(&f->orphans, x);
	if (p->latest == x) { /* earlier ones were given before */
		p->latest = NULL;
		f->with_orphan--;
	}
	f->held--;
	f->to_check -= w.status == ALIBI_COMMIT;
	store_give(&f->rounds.s->store, x, sizeof *x);
	give(f, w, begin, end, has);
}

/* Sessions that made no fence since this one have ended. What they did since their last fence has
 * no end. */
static void end_sessions(struct fences *f, uint64_t since)
{
	size_t left = 0;
	for (size_t i = 0; i < f->sessions.count; i++) {
		struct fence_session *p = f->sessions.items[i];
		if (p->passed >= since) {
			f->sessions.items[left++] = p;
			continue;
		}
		while (p->first)
			give_first(f, p, place_of(p), NO_END,
			           p->first->w.status == ALIBI_UNKNOWN_STATUS ? BOTH_TIMES : 0);
		free_session(f, p);
	}
	f->sessions.count = left;
	find_least(f);
}

/* A session has passed a fence. */
static void move_watermark(struct fences *f)
{
	struct stream *s = f->rounds.s;
	const alibi_watch_options *o = &s->options;
	uint64_t passed = o->has_horizon && f->count > o->horizon ? f->count - o->horizon : 0;
	if (f->least < passed)
		end_sessions(f, passed);
	if (f->sessions.count >= o->fence_sessions && f->least > passed)
		passed = f->least;
	s->progress.any = true;
	s->progress.newest = (alibi_stamp){.physical = (int64_t)f->count};
	if (passed) {
		rounds_move(&f->rounds, 2 * (int64_t)passed);
		s->progress.watermark = (alibi_stamp){.physical = f->rounds.watermark / 2};
	}
}

/* ---- the chain ---- */

/* All that was lost of a session precedes its next fence. */
static void close_gap(const struct fences *f)
{
	struct stream *s = f->rounds.s;
	bool all = s->gap.open && f->sessions.count >= s->options.fence_sessions;
	for (size_t i = 0; all && i < f->sessions.count; i++)
		all = f->sessions.items[i]->passed_gap;
	if (all)
		gap_close(s, (alibi_stamp){.physical = 2 * (int64_t)f->count - 1});
}

/* The fence gets the next number. */
static void pass(struct fences *f, struct held_txn *x)
{
	struct fence_session *p = x->session;
	struct stream *s = f->rounds.s;
	int64_t at = 2 * (int64_t)++f->count;
	value_drop(&s->store, f->tip);
	f->tip = value_copy(&s->store, x->values[FENCE_WROTE]);
	while (p->first != x)
		give_first(f, p, place_of(p), at - 1, BOTH_TIMES);
	p->passed_gap = x->w.t->number > s->gap.txns;
	give_first(f, p, at, at, BOTH_TIMES);
	close_gap(f);
	bool was_least = p->passed == f->least;
	p->passed = f->count;
	if (was_least && !--f->at_least)
		find_least(f);
	move_watermark(f);
}

/* Numbers the fence, and the orphans that continue the chain from there. */
static void extend_chain(struct fences *f, struct held_txn *x)
{
	for (; x; x = orphans_find(&f->orphans, FENCE_READ, f->tip))
		pass(f, x);
}

/* The root of this orphan, if all future transactions follow it; or NULL. */
static struct held_txn *new_root(const struct fences *f, struct held_txn *x)
{
	const alibi_watch_options *o = &f->rounds.s->options;
	uint64_t depth;
	struct held_txn *root = orphans_root(&f->orphans, x, &depth);
	if (o->has_horizon && depth > o->horizon)
		return root;
	if (f->sessions.count < o->fence_sessions || f->with_orphan < f->sessions.count)
		return NULL;
	for (size_t i = 0; i < f->sessions.count; i++)
		if (orphans_root(&f->orphans, f->sessions.items[i]->latest, &depth) != root)
			return NULL;
	return root;
}

/* A new orphan: can the chain be resumed? If not, the next try is with twice as many. */
static void resume_chain(struct fences *f, struct held_txn *x)
{
	const alibi_watch_options *o = &f->rounds.s->options;
	uint64_t orphans = f->orphans.count, sessions = f->sessions.count;
	bool all = sessions >= o->fence_sessions && f->with_orphan == sessions;
	bool far = o->has_horizon && orphans > o->horizon;
	if ((!all && !far) || orphans < f->next_try)
		return;
	struct held_txn *root = new_root(f, x);
	f->next_try = root ? 0 : 2 * orphans;
	extend_chain(f, root);
}

/* ---- arrival ---- */

enum { FENCE_READS = 1, FENCE_WRITES = 2, FENCE_BOTH = 3 };

/* What a transaction did to the key: the value it wrote, and the one that it read before that. */
static unsigned key_use(const struct fences *f, const struct inflight *t,
                        struct value values[FENCE_VALUES])
{
	unsigned use = 0;
	for (const struct inflight_op *o = t->ops; o < t->ops + t->op_count; o++) {
		if (o->key != f->key)
			continue;
		if (!op_is_read(o)) {
			use |= FENCE_WRITES;
			values[FENCE_WROTE] = op_value(o);
		} else if (!use) {
			use = FENCE_READS;
			values[FENCE_READ] = op_value(o);
		}
	}
	return use;
}

/* Looks for the key, until it is used. */
static void find_key(struct fences *f)
{
	struct stream *s = f->rounds.s;
	struct versions *versions = &s->versions;
	if (f->any || (f->key = keys_find(&versions->keys, f->name)) == ID_NONE)
		return;
	struct value initial = versions_read(versions, versions_key(versions, f->key), 0).value;
	f->any = true;
	f->tip = value_copy(&s->store, initial);
	recent_add(&f->written, initial);
}

static struct held_txn *hold(struct fences *f, struct window_txn w)
{
	struct fence_session *p = session_of(f, w.session);
	struct held_txn *x = store_take(&f->rounds.s->store, sizeof *x);
	*x = (struct held_txn){.session = p, .w = w};
	*(p->end ? &p->end->next : &p->first) = x;
	p->end = x;
	f->held++;
	f->to_check += w.status == ALIBI_COMMIT;
	return x;
}

static void arrive(void *engine, struct inflight *t, uint32_t txn)
{
	struct fences *f = engine;
	struct value values[FENCE_VALUES] = {{0}};
	struct window_txn w = rounds_take(&f->rounds, t, txn);
	find_key(f);
	unsigned use = f->any ? key_use(f, t, values) : 0;
	if (use & FENCE_WRITES && w.status != ALIBI_ABORT) {
		if (recent_has(&f->written, values[FENCE_WROTE]))
			report_txn(
			        &f->rounds, &w, ALIBI_WATCH_FENCE,
			        "wrote a value at the fence key that another transaction had "
			        "written, so it is not certain which of them a fence read; write "
			        "a new value each time");
		recent_add(&f->written, values[FENCE_WROTE]);
	}
	if (w.session.kind == ALIBI_NULL) {
		give(f, w, 0, NO_END, 0);
		return;
	}
	struct held_txn *x = hold(f, w);
	struct fence_session *p = x->session;
	x->values[FENCE_READ] = values[FENCE_READ];
	x->values[FENCE_WROTE] = values[FENCE_WROTE];
	if (use != FENCE_BOTH || w.status != ALIBI_COMMIT) {
		if (!p->latest && rounds_is_late(&f->rounds, place_of(p)))
			give_first(f, p, place_of(p), NO_END,
			           w.status == ALIBI_ABORT ? 0 : BOTH_TIMES);
	} else if (value_same(x->values[FENCE_READ], f->tip)) {
		extend_chain(f, x);
	} else {
		add_orphan(f, x);
		resume_chain(f, x);
	}
}

/* ---- times of the rounds ---- */

static void collected(struct rounds *r, const struct inflight *t)
{
	struct fences *f = (struct fences *)r;
	if (t->has_id)
		recent_add(&f->dropped[t->status], t->id);
}

static const char *why_late(struct rounds *r, const struct window_txn *w)
{
	struct pool *pool = event_pool(r->s);
	int64_t begin = w->t->start.physical;
	if (begin)
		return text_format(pool,
		                   "the last fence of its session is number %" PRId64
		                   ", and all sessions should have passed number %" PRId64,
		                   begin / 2, r->watermark / 2);
	return text_format(pool,
	                   "its session has made no fence yet, and all sessions should have passed "
	                   "number %" PRId64 " (a session that joins later begins with a fence)",
	                   r->watermark / 2);
}

static const char *why_untimed(const struct window_txn *w)
{
	if (w->session.kind == ALIBI_NULL)
		return "committed, but has no session, so no fence says when; it was not checked";
	return "was not checked: its session made no fence after it while the others made as many "
	       "as the horizon has (a session ends with a fence)";
}

static const struct rounds_times times = {.collected = collected,
                                          .why_late = why_late,
                                          .why_untimed = why_untimed,
                                          .untimed = ALIBI_WATCH_FENCE};

/* ---- the rest of the engine ---- */

static void *open_engine(struct stream *s)
{
	struct fences *f = pool_zalloc(s->pool, sizeof *f);
	rounds_init(&f->rounds, s, &times);
	f->key = ID_NONE;
	f->name = core_option(s, "the fence", s->options.fence);
	if (f->name.kind == ALIBI_NULL)
		guard_fail(s->guard, ALIBI_USAGE, NULL,
		           "the fence is a key: a string, a number, true, false or an object");
	table_init(&f->names, s->pool, s->seed);
	orphans_init(&f->orphans, s->pool, s->seed);
	for (int i = 0; i < STATUSES; i++)
		recent_init(&f->dropped[i], s->pool, &s->store, s->seed, RECENT_MOST);
	recent_init(&f->written, s->pool, &s->store, s->seed, RECENT_MOST);
	return f;
}

/* Only some operations may be left of the known one. */
static bool is_same(const void *engine, const struct inflight *known, uint32_t txn)
{
	const struct fences *f = engine;
	return duplicates_some_ops(f->rounds.s, known, txn);
}

static bool was_dropped(const void *engine, struct value id, enum alibi_status *status)
{
	const struct fences *f = engine;
	for (int i = 0; i < STATUSES; i++)
		if (recent_has(&f->dropped[i], id)) {
			*status = (enum alibi_status)i;
			return true;
		}
	return false;
}

/* Only the end of the stream counts: then all held transactions go to the last round. */
static void advance(void *engine, alibi_stamp watermark, alibi_stamp horizon)
{
	struct fences *f = engine;
	(void)watermark;
	if (horizon.physical != INT64_MAX)
		return;
	for (size_t i = 0; i < f->sessions.count; i++)
		for (struct fence_session *p = f->sessions.items[i]; p->first;)
			give_first(f, p, place_of(p), NO_END, BOTH_TIMES);
	rounds_advance(&f->rounds, INT64_MAX);
}

static void gap(void *engine)
{
	struct fences *f = engine;
	for (size_t i = 0; i < f->sessions.count; i++) {
		f->sessions.items[i]->passed_gap = false;
		for (struct held_txn *x = f->sessions.items[i]->first; x; x = x->next)
			x->w.ignore_reads = true;
	}
	rounds_gap(&f->rounds);
}

static void stats(const void *engine, alibi_watch_stats *n)
{
	const struct fences *f = engine;
	rounds_stats(&f->rounds, n);
	n->waiting += f->to_check;
	n->versions += f->held;
	n->sessions = f->sessions.count;
	n->fences = f->count;
	for (size_t i = 0; i < f->sessions.count && n->holds_up.kind == ALIBI_NULL; i++) {
		const struct fence_session *p = f->sessions.items[i];
		if (p->passed == f->least && f->count > f->least) {
			n->holds_up = value_public(&p->name);
			n->passed = p->passed;
		}
	}
}

static bool valid(const void *engine)
{
	const struct fences *f = engine;
	uint64_t held = 0, orphans = 0, with_orphan = 0;
	for (size_t i = 0; i < f->sessions.count; i++) {
		const struct fence_session *p = f->sessions.items[i];
		if (p->passed < f->least || p->passed > f->count)
			return false;
		with_orphan += p->latest != NULL;
		for (const struct held_txn *x = p->first; x; x = x->next) {
			held++;
			orphans += x->orphan;
		}
	}
	return held == f->held && orphans == f->orphans.count && with_orphan == f->with_orphan &&
	       f->names.used == f->sessions.count && rounds_valid(&f->rounds);
}

/* ---- checkpoints ---- */

typedef VEC(struct held_txn *) held_vec;

static int by_arrival(const void *a, const void *b)
{
	uint64_t x = (*(struct held_txn *const *)a)->w.t->number;
	uint64_t y = (*(struct held_txn *const *)b)->w.t->number;
	return (x > y) - (x < y);
}

static void load_held(struct fences *f, struct codec *c, held_vec *orphans)
{
	struct window_txn w = {0};
	rounds_codec_txn(&f->rounds, c, &w);
	struct held_txn *x = hold(f, w);
	if (key_use(f, w.t, x->values) == FENCE_BOTH && w.status == ALIBI_COMMIT)
		vec_push(f->rounds.s->pool, orphans, x);
}

/* p: NULL when reading. */
static void codec_session(struct fences *f, struct codec *c, struct fence_session *p,
                          held_vec *orphans)
{
	struct fence_session head = {0};
	uint64_t count = 0;
	if (p)
		head = *p;
	for (const struct held_txn *x = head.first; x; x = x->next)
		count++;
	codec_any(c, &head.name);
	codec_any(c, &head.passed);
	codec_any(c, &head.passed_gap);
	codec_any(c, &count);
	for (struct held_txn *x = head.first; x; x = x->next)
		rounds_codec_txn(&f->rounds, c, &x->w);
	if (p)
		return;
	if (head.name.kind == ALIBI_LIST || head.name.kind == ALIBI_NULL)
		codec_reject(c);
	add_session(f, head.name, head.passed)->passed_gap = head.passed_gap;
	for (uint64_t i = 0; i < count; i++)
		load_held(f, c, orphans);
}

static void checkpoint(void *engine, struct codec *c)
{
	struct fences *f = engine;
	struct stream *s = f->rounds.s;
	uint64_t sessions = f->sessions.count;
	held_vec orphans = {0};
	struct value name = c->write ? f->name : (struct value){0};
	rounds_codec(&f->rounds, c);
	codec_any(c, &name);
	if (name.kind == ALIBI_LIST || !value_same(name, f->name))
		codec_fail(s->guard, CODEC_OTHER_OPTIONS);
	codec_any(c, &f->count);
	codec_any(c, &f->any);
	codec_any(c, &f->tip);
	codec_any(c, &f->next_try);
	for (int i = 0; i < STATUSES; i++)
		recent_codec(&f->dropped[i], c);
	recent_codec(&f->written, c);
	codec_any(c, &sessions);
	if (f->any)
		f->key = keys_find(&s->versions.keys, f->name);
	for (uint64_t i = 0; i < sessions; i++)
		codec_session(f, c, c->write ? f->sessions.items[i] : NULL, &orphans);
	if (c->write)
		return;
	find_least(f);
	if (orphans.count)
		qsort(orphans.items, orphans.count, sizeof(struct held_txn *), by_arrival);
	for (size_t i = 0; i < orphans.count; i++)
		add_orphan(f, orphans.items[i]);
	pool_free(s->pool, orphans.items);
}

const struct engine fences_engine = {.names_all = true,
                                     .open = open_engine,
                                     .is_same = is_same,
                                     .was_dropped = was_dropped,
                                     .arrive = arrive,
                                     .advance = advance,
                                     .gap = gap,
                                     .stats = stats,
                                     .checkpoint = checkpoint,
                                     .valid = valid};
