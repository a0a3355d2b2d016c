/* fences: see fences.h. */
#include "stream/fences.h"

#include "stream/recent.h"
#include "stream/tape.h"

#include <assert.h>
#include <stdlib.h>

enum { RECENT_MOST = 1 << 18, STATUSES = ALIBI_UNKNOWN_STATUS + 1 };

#define NO_END INT64_MAX

enum by { BY_READ, BY_WRITTEN, WAYS };

/* Loose fences that read, or wrote, the same, by arrival; the first one is in the table. */
struct link {
	struct held_txn *before, *after;
	struct held_txn *last; /* of the first: of all of them */
};

/* A transaction that was not given to the rounds yet. */
struct held_txn {
	struct held_txn *next; /* in its session */
	struct party *session;
	struct kept k;
	bool loose;                /* it is a fence without a number, … */
	struct value values[WAYS]; /* … which read and wrote this; they belong to k.t, … */
	struct link links[WAYS];   /* … and stands here in the tables */
};

/* A session. */
struct party {
	struct party *before, *after; /* by when they came first */
	struct value name;
	uint64_t passed;              /* the number of its last fence that has one; 0: none has */
	bool passed_gap;              /* that one came after what was lost (gap.h) */
	struct held_txn *first, *end; /* since then */
	struct held_txn *latest;      /* the last loose fence of these; NULL: there is none */
};

struct fences {
	struct rounds *r;
	struct stream *s;
	struct value name; /* of the key */
	uint32_t key;      /* NO_KEY: nobody has used it yet */
	uint64_t count;    /* numbers that were given */
	bool any;          /* somebody has used the key, and … */
	struct value tip;  /* … this is what the last one with a number wrote there */
	struct table parties;
	struct party *first, *end;
	uint64_t known, waiting;  /* sessions; those of them that have a loose fence */
	uint64_t least, at_least; /* the least `passed` of all, and of how many it is */
	struct table loose[WAYS];
	uint64_t loose_count;
	uint64_t next_try;            /* to take up the chain, with so many loose ones */
	uint64_t held, to_judge;      /* of these, committed ones */
	struct table ids;             /* of the struct waiting in these */
	struct recent gone[STATUSES]; /* ids, by status */
	struct recent written;        /* values of the key */
};

/* ---- loose fences ---- */

static bool same_read(const void *item, const void *wanted)
{
	return value_same(((const struct held_txn *)item)->values[BY_READ],
	                  *(const struct value *)wanted);
}

static bool same_written(const void *item, const void *wanted)
{
	return value_same(((const struct held_txn *)item)->values[BY_WRITTEN],
	                  *(const struct value *)wanted);
}

static struct held_txn *find_loose(const struct fences *f, enum by by, struct value v)
{
	return table_find(&f->loose[by], value_hash(v, f->s->seed),
	                  by == BY_READ ? same_read : same_written, &v);
}

static void list(struct fences *f, enum by by, struct held_txn *x)
{
	struct held_txn *first = find_loose(f, by, x->values[by]);
	x->links[by] = (struct link){.last = x};
	if (!first) {
		table_add(&f->loose[by], value_hash(x->values[by], f->s->seed), x);
		return;
	}
	x->links[by].before = first->links[by].last;
	x->links[by].before->links[by].after = x;
	first->links[by].last = x;
}

static void unlist(struct fences *f, enum by by, struct held_txn *x)
{
	uint64_t hash = value_hash(x->values[by], f->s->seed);
	struct held_txn *before = x->links[by].before, *after = x->links[by].after;
	if (after)
		after->links[by].before = before;
	if (before) {
		before->links[by].after = after;
		if (!after)
			find_loose(f, by, x->values[by])->links[by].last = before;
		return;
	}
	table_remove(&f->loose[by], hash, x);
	if (after) {
		after->links[by].last = x->links[by].last;
		table_add(&f->loose[by], hash, after);
	}
}

static void loosen(struct fences *f, struct held_txn *x)
{
	list(f, BY_READ, x);
	list(f, BY_WRITTEN, x);
	f->waiting += !x->session->latest;
	x->session->latest = x;
	x->loose = true;
	f->loose_count++;
}

static void tighten(struct fences *f, struct held_txn *x)
{
	unlist(f, BY_READ, x);
	unlist(f, BY_WRITTEN, x);
	if (x->session->latest == x) { /* earlier ones are given away before */
		x->session->latest = NULL;
		f->waiting--;
	}
	x->loose = false;
	f->loose_count--;
}

/* ---- sessions ---- */

static bool same_party(const void *item, const void *wanted)
{
	return value_same(((const struct party *)item)->name, *(const struct value *)wanted);
}

static void find_least(struct fences *f)
{
	f->least = f->at_least = 0;
	for (const struct party *p = f->first; p; p = p->after) {
		if (!f->at_least || p->passed < f->least) {
			f->least = p->passed;
			f->at_least = 0;
		}
		f->at_least += p->passed == f->least;
	}
}

static struct party *add_party(struct fences *f, struct value name, uint64_t passed)
{
	struct party *p = store_take(&f->s->store, sizeof *p);
	*p = (struct party){.before = f->end, .name = name, .passed = passed};
	if (f->end)
		f->end->after = p;
	else
		f->first = p;
	f->end = p;
	f->known++;
	table_add(&f->parties, value_hash(name, f->s->seed), p);
	return p;
}

static struct party *party_of(struct fences *f, struct value name)
{
	struct party *p = table_find(&f->parties, value_hash(name, f->s->seed), same_party, &name);
	if (p)
		return p;
	f->at_least = f->least || !f->known ? 1 : f->at_least + 1;
	f->least = 0;
	return add_party(f, value_copy(&f->s->store, name), 0);
}

static void remove_party(struct fences *f, struct party *p)
{
	struct store *store = &f->s->store;
	assert(!p->first && !p->latest);
	*(p->before ? &p->before->after : &f->first) = p->after;
	*(p->after ? &p->after->before : &f->end) = p->before;
	table_remove(&f->parties, value_hash(p->name, f->s->seed), p);
	value_drop(store, p->name);
	store_give(store, p, sizeof *p);
	f->known--;
}

/* ---- to the rounds ---- */

static void give(struct fences *f, struct kept k, int64_t begin, int64_t end, uint8_t has)
{
	k.t->start = (alibi_stamp){.physical = begin};
	k.t->commit = (alibi_stamp){.physical = end};
	k.has = has;
	rounds_add(f->r, k);
}

/* The first one of a session. */
static void give_first(struct fences *f, struct party *p, int64_t begin, int64_t end, uint8_t has)
{
	struct held_txn *x = p->first;
	struct kept k = x->k;
	p->first = x->next;
	if (!p->first)
		p->end = NULL;
	if (x->loose)
		tighten(f, x);
	f->held--;
	table_remove(&f->ids, value_hash(k.t->id, f->s->seed), k.t);
	f->to_judge -= k.status == ALIBI_COMMIT;
	store_give(&f->s->store, x, sizeof *x);
	give(f, k, begin, end, has);
}

/* Where a session is now. */
static int64_t place_of(const struct party *p)
{
	return 2 * (int64_t)p->passed;
}

/* It made no fence while the others made as many as the horizon has. What it did since its
 * last one has no end. */
static void end_session(struct fences *f, struct party *p)
{
	while (p->first)
		give_first(f, p, place_of(p), NO_END,
		           p->first->k.status == ALIBI_UNKNOWN_STATUS ? BOTH_TIMES : 0);
	remove_party(f, p);
}

/* Somebody has come further. */
static void move_on(struct fences *f)
{
	struct stream *s = f->s;
	const struct stream_options *o = &s->options;
	uint64_t far = o->has_horizon && f->count > o->horizon ? f->count - o->horizon : 0;
	if (f->least < far) {
		for (struct party *p = f->first, *after; p; p = after) {
			after = p->after;
			if (p->passed < far)
				end_session(f, p);
		}
		find_least(f);
	}
	if (f->known >= o->sessions && f->least > far)
		far = f->least;
	s->any_stamp = true;
	s->newest = (alibi_stamp){.physical = (int64_t)f->count};
	if (far) {
		rounds_move(f->r, 2 * (int64_t)far);
		s->settled = (alibi_stamp){.physical = f->r->watermark / 2};
	}
}

/* ---- the chain ---- */

void fences_gap(struct fences *f)
{
	for (struct party *p = f->first; p; p = p->after) {
		p->passed_gap = false;
		for (struct held_txn *x = p->first; x; x = x->next)
			x->k.unread = true;
	}
}

/* All that was lost of a session comes before its next fence. */
static void look_at_gap(const struct fences *f)
{
	bool all = f->s->gap.open && f->known >= f->s->options.sessions;
	for (const struct party *p = f->first; all && p; p = p->after)
		all = p->passed_gap;
	if (all)
		gap_close(f->s, (alibi_stamp){.physical = 2 * (int64_t)f->count - 1});
}

/* The fence gets the next number. */
static void pass(struct fences *f, struct held_txn *x)
{
	struct party *p = x->session;
	struct store *store = &f->s->store;
	int64_t at = 2 * (int64_t)++f->count;
	value_drop(store, f->tip);
	f->tip = value_copy(store, x->values[BY_WRITTEN]);
	while (p->first != x)
		give_first(f, p, place_of(p), at - 1, BOTH_TIMES);
	p->passed_gap = x->k.t->number > f->s->gap.txns;
	give_first(f, p, at, at, BOTH_TIMES);
	look_at_gap(f);
	bool was_least = p->passed == f->least;
	p->passed = f->count;
	if (was_least && !--f->at_least)
		find_least(f);
	move_on(f);
}

/* All that follow without a gap. */
static void follow(struct fences *f)
{
	struct held_txn *x;
	while ((x = find_loose(f, BY_READ, f->tip)))
		pass(f, x);
}

/* The loose fence to which this one goes back, and how far that is. */
static struct held_txn *root_of(const struct fences *f, struct held_txn *x, uint64_t *depth)
{
	struct held_txn *before;
	for (*depth = 0; *depth < f->loose_count; ++*depth, x = before)
		if (!(before = find_loose(f, BY_WRITTEN, x->values[BY_READ])))
			break;
	return x;
}

/* Is all that is still to come behind the one to which this one goes back? */
static struct held_txn *new_start(const struct fences *f, struct held_txn *x)
{
	const struct stream_options *o = &f->s->options;
	uint64_t depth;
	struct held_txn *root = root_of(f, x, &depth);
	if (o->has_horizon && depth > o->horizon)
		return root;
	if (f->known < o->sessions || f->waiting < f->known)
		return NULL;
	for (const struct party *p = f->first; p; p = p->after)
		if (root_of(f, p->latest, &depth) != root)
			return NULL;
	return root;
}

/* A fence that does not follow the last one: can the chain be taken up again? If not, there is
 * no need to ask again before there are twice as many. */
static void take_up(struct fences *f, struct held_txn *x)
{
	const struct stream_options *o = &f->s->options;
	bool all = f->known >= o->sessions && f->waiting == f->known;
	bool far = o->has_horizon && f->loose_count > o->horizon;
	if ((!all && !far) || f->loose_count < f->next_try)
		return;
	struct held_txn *root = new_start(f, x);
	f->next_try = root ? 0 : 2 * f->loose_count;
	if (!root)
		return;
	pass(f, root);
	follow(f);
}

/* ---- arrival ---- */

/* What it did to the key: false, if it did not write it. read: what it found there before, if
 * it looked. */
static bool uses_key(const struct fences *f, const struct waiting *t, struct value *wrote,
                     struct value *read, bool *reads)
{
	bool writes = false;
	*reads = false;
	for (uint32_t i = 0; i < t->op_count; i++) {
		const struct waiting_op *o = &t->ops[i];
		if (o->key != f->key)
			continue;
		if (o->kind != ALIBI_READ) {
			writes = true;
			*wrote = op_value(o);
		} else if (!writes && !*reads) {
			*reads = true;
			*read = op_value(o);
		}
	}
	return writes;
}

/* From now on the key is there. */
static void find_key(struct fences *f)
{
	struct versions *versions = &f->s->versions;
	if (f->any || (f->key = keys_find(&versions->keys, f->name)) == NO_KEY)
		return;
	struct value initial = versions_held(versions, versions_key(versions, f->key), 0).value;
	f->any = true;
	f->tip = value_copy(&f->s->store, initial);
	recent_add(&f->written, initial);
}

static struct held_txn *hold(struct fences *f, struct kept k)
{
	struct party *p = party_of(f, k.session);
	struct held_txn *x = store_take(&f->s->store, sizeof *x);
	*x = (struct held_txn){.session = p, .k = k};
	if (p->end)
		p->end->next = x;
	else
		p->first = x;
	p->end = x;
	f->held++;
	table_add(&f->ids, value_hash(k.t->id, f->s->seed), k.t);
	f->to_judge += k.status == ALIBI_COMMIT;
	return x;
}

void fences_arrive(struct fences *f, struct waiting *t, const struct txn *txn)
{
	struct value values[WAYS] = {{0}};
	struct kept k = rounds_kept(f->r, t, txn);
	bool reads, writes;
	find_key(f);
	writes = f->any && uses_key(f, t, &values[BY_WRITTEN], &values[BY_READ], &reads);
	if (writes && k.status != ALIBI_ABORT) {
		if (recent_has(&f->written, values[BY_WRITTEN]))
			rounds_doubt(f->r, &k, DOUBT_VALUE);
		recent_add(&f->written, values[BY_WRITTEN]);
	}
	if (k.session.kind == ALIBI_NULL) {
		give(f, k, 0, NO_END, 0);
		return;
	}
	struct held_txn *x = hold(f, k);
	struct party *p = x->session;
	x->values[BY_READ] = values[BY_READ];
	x->values[BY_WRITTEN] = values[BY_WRITTEN];
	if (!writes || !reads || k.status != ALIBI_COMMIT) {
		if (!p->latest && rounds_is_late(f->r, place_of(p)))
			give_first(f, p, place_of(p), NO_END,
			           k.status == ALIBI_ABORT ? 0 : BOTH_TIMES);
	} else if (value_same(x->values[BY_READ], f->tip)) {
		pass(f, x);
		follow(f);
	} else {
		loosen(f, x);
		take_up(f, x);
	}
}

void fences_finish(struct fences *f)
{
	for (struct party *p = f->first; p; p = p->after)
		while (p->first)
			give_first(f, p, place_of(p), NO_END, BOTH_TIMES);
}

/* ---- around it ---- */

struct fences *fences_new(struct rounds *r)
{
	struct stream *s = r->s;
	struct fences *f = pool_zalloc(s->pool, sizeof *f);
	f->r = r;
	f->s = s;
	f->key = NO_KEY;
	f->name = stream_option(s, "--fence", s->options.fence);
	if (f->name.kind == ALIBI_NULL)
		guard_fail(s->guard, ALIBI_USAGE, NULL,
		           "the fence is a key: a string, a number, true, false or an object");
	table_init(&f->parties, s->pool);
	table_init(&f->ids, s->pool);
	table_init(&f->loose[BY_READ], s->pool);
	table_init(&f->loose[BY_WRITTEN], s->pool);
	for (int i = 0; i < STATUSES; i++)
		recent_init(&f->gone[i], s->pool, &s->store, s->seed, RECENT_MOST);
	recent_init(&f->written, s->pool, &s->store, s->seed, RECENT_MOST);
	return f;
}

void fences_forget(struct fences *f, const struct waiting *t)
{
	if (t->has_id)
		recent_add(&f->gone[t->status], t->id);
}

bool fences_saw(const struct fences *f, struct value id, enum alibi_status *status)
{
	for (int i = 0; i < STATUSES; i++)
		if (recent_has(&f->gone[i], id)) {
			*status = (enum alibi_status)i;
			return true;
		}
	return false;
}

const struct waiting *fences_held(const struct fences *f, struct value id)
{
	return table_find(&f->ids, value_hash(id, f->s->seed), waiting_has_id, &id);
}

void fences_stats(const struct fences *f, alibi_watch_stats *stats)
{
	stats->waiting += f->to_judge;
	stats->versions += f->held;
	stats->sessions = f->known;
	stats->fences = f->count;
	for (struct party *p = f->first; p && stats->holds_up.kind == ALIBI_NULL; p = p->after)
		if (p->passed == f->least && f->count > f->least) {
			stats->holds_up = value_public(&p->name);
			stats->passed = p->passed;
		}
}

/* ---- checkpoints ---- */

typedef VEC(struct held_txn *) held_vec;

static int by_arrival(const void *a, const void *b)
{
	uint64_t x = (*(struct held_txn *const *)a)->k.t->number;
	uint64_t y = (*(struct held_txn *const *)b)->k.t->number;
	return (x > y) - (x < y);
}

static void load_held(struct fences *f, struct tape *t, held_vec *loose)
{
	struct kept k = {0};
	bool reads;
	rounds_tape_kept(f->r, t, &k);
	struct held_txn *x = hold(f, k);
	if (uses_key(f, k.t, &x->values[BY_WRITTEN], &x->values[BY_READ], &reads) && reads &&
	    k.status == ALIBI_COMMIT)
		vec_push(f->s->pool, loose, x);
}

static void tape_party(struct fences *f, struct tape *t, struct party *p, held_vec *loose)
{
	uint64_t passed = p ? p->passed : 0, count = 0;
	struct value name = p ? p->name : (struct value){0};
	for (const struct held_txn *x = p ? p->first : NULL; x; x = x->next)
		count++;
	bool passed_gap = p && p->passed_gap;
	tape_value(t, &name);
	tape_count(t, &passed);
	tape_flag(t, &passed_gap);
	tape_count(t, &count);
	if (!p) {
		if (name.kind == ALIBI_LIST || name.kind == ALIBI_NULL)
			tape_refuse(t);
		add_party(f, name, passed)->passed_gap = passed_gap;
		for (uint64_t i = 0; i < count; i++)
			load_held(f, t, loose);
		return;
	}
	for (struct held_txn *x = p->first; x; x = x->next)
		rounds_tape_kept(f->r, t, &x->k);
}

void fences_tape(struct fences *f, struct tape *t)
{
	uint64_t parties = f->known;
	held_vec loose = {0};
	struct value name = t->write ? f->name : (struct value){0};
	tape_value(t, &name);
	if (name.kind == ALIBI_LIST || !value_same(name, f->name))
		tape_of_another(f->s->guard);
	tape_count(t, &f->count);
	tape_flag(t, &f->any);
	tape_value(t, &f->tip);
	tape_count(t, &f->next_try);
	for (int i = 0; i < STATUSES; i++)
		recent_tape(&f->gone[i], t);
	recent_tape(&f->written, t);
	tape_count(t, &parties);
	if (f->any)
		f->key = keys_find(&f->s->versions.keys, f->name);
	for (struct party *p = f->first; t->write && p; p = p->after)
		tape_party(f, t, p, &loose);
	if (t->write)
		return;
	for (uint64_t i = 0; i < parties; i++)
		tape_party(f, t, NULL, &loose);
	find_least(f);
	if (loose.count)
		qsort(loose.items, loose.count, sizeof(struct held_txn *), by_arrival);
	for (size_t i = 0; i < loose.count; i++)
		loosen(f, loose.items[i]);
	pool_free(f->s->pool, loose.items);
}
