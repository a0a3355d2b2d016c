/* rounds: see rounds.h. This file: arrival, the watermark, and when there is a round. */
#include "stream/rounds.h"

#include "base/radix.h"
#include "stream/tape.h"

enum {
	ROUND_LEAST = 4096, /* transactions, unless the options say otherwise */
	ADVANCES = 8,       /* so often the watermark moves before there is a round */
};

struct rounds *rounds_new(struct stream *s)
{
	struct rounds *r = pool_zalloc(s->pool, sizeof *r);
	r->s = s;
	r->skew = s->options.has_skew ? s->options.skew : 0;
	return r;
}

void rounds_take_skew(struct rounds *r)
{
	const struct history *h = r->s->b->h;
	if (h->has_skew && !r->s->options.has_skew)
		r->skew = (uint64_t)h->skew;
}

bool rounds_is_frozen(const struct rounds *r, const struct kept *k)
{
	if (k->status == ALIBI_UNKNOWN_STATUS)
		return false;
	if (r->finished || !(k->has & ALIBI_HAS_END))
		return true;
	return r->any_watermark && r->watermark > k->t->commit.physical &&
	       (uint64_t)r->watermark - (uint64_t)k->t->commit.physical > r->skew;
}

static bool is_due(const struct rounds *r)
{
	size_t least = r->s->options.round ? r->s->options.round : ROUND_LEAST;
	return r->arrived >= least && r->arrived >= r->left;
}

/* By arrival: fences hold back some longer than others, and a search mostly finds an order
 * near that of arrival. */
static void sort(struct rounds *r)
{
	size_t count = r->window.count - r->remnants;
	if (!count)
		return;
	struct kept *late = r->window.items + r->remnants;
	struct pool *pool = pool_child(r->s->pool);
	struct keyed *sorted = pool_array(pool, count, sizeof *sorted);
	struct kept *before = pool_array(pool, count, sizeof *before);
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct keyed){late[i].t->number, (uint32_t)i};
	radix_sort(pool, sorted, count);
	for (size_t i = 0; i < count; i++)
		before[i] = late[i];
	for (size_t i = 0; i < count; i++)
		late[i] = before[sorted[i].item];
	pool_release(pool);
}

static void run(struct rounds *r)
{
	if (r->s->fences)
		sort(r);
	r->count++;
	r->arrived = r->advanced = 0;
	round_run(r);
	r->left = r->window.count;
}

void rounds_move(struct rounds *r, int64_t watermark)
{
	if (r->any_watermark && watermark <= r->watermark)
		return;
	r->watermark = watermark;
	r->any_watermark = true;
	r->s->settled = (alibi_stamp){.physical = watermark};
}

/* It ended: everything follows the newest at a distance. */
static void follow(struct rounds *r, const struct waiting *t)
{
	struct stream *s = r->s;
	int64_t end = t->commit.physical;
	const struct stream_options *o = &s->options;
	uint64_t room = (uint64_t)end - (uint64_t)INT64_MIN, all = o->horizon + o->longest;
	if (s->any_stamp && end <= s->newest.physical)
		return;
	stream_newest(s, t);
	if (o->has_horizon && all >= o->horizon && all < room)
		rounds_move(r, (int64_t)((uint64_t)end - all));
}

/* It is not known when it took effect, or whether. */
static void loosen(struct rounds *r, struct kept *k)
{
	k->status = ALIBI_UNKNOWN_STATUS;
	k->has = 0;
	value_drop(&r->s->store, k->session);
	k->session = (struct value){0};
}

bool rounds_is_late(const struct rounds *r, int64_t begin)
{
	return r->any_watermark && begin < r->watermark;
}

static void place(struct rounds *r, struct kept *k)
{
	int64_t begin = k->t->start.physical, end = k->t->commit.physical;
	bool commits = k->status == ALIBI_COMMIT;
	bool timed = (k->has & BOTH_TIMES) == BOTH_TIMES && begin <= end;
	bool late = k->has & ALIBI_HAS_BEGIN && rounds_is_late(r, begin);
	if (k->status == ALIBI_UNKNOWN_STATUS && !(k->has & ALIBI_HAS_BEGIN) && !r->s->fences)
		r->s->order_stands = false; /* it may have happened at any time */
	if ((commits && !timed) || late) {
		rounds_doubt(r, k, late ? DOUBT_LATE : DOUBT_TIMES);
		loosen(r, k);
	} else if (commits && !r->s->fences) {
		follow(r, k->t);
		gap_came(r->s, k->t->commit);
	}
	gap_mark(r->s, k, r->skew);
}

void rounds_gap(struct rounds *r)
{
	for (size_t i = 0; i < r->window.count; i++)
		r->window.items[i].unread = true;
}

struct kept rounds_kept(struct rounds *r, struct waiting *t, const struct txn *txn)
{
	struct stream *s = r->s;
	uint32_t name = s->b->session_name.items[txn->session];
	struct kept k = {.t = t, .status = txn->status, .has = txn->has & BOTH_TIMES};
	t->has_id = true; /* those who have none are found by their number */
	if (name != ATOM_NONE)
		k.session = value_take(&s->store, s->b->names, name);
	return k;
}

void rounds_arrive(struct rounds *r, struct waiting *t, const struct txn *txn,
                   const struct client_times *times)
{
	t->start = (alibi_stamp){.physical = times->begin};
	t->commit = (alibi_stamp){.physical = times->end};
	rounds_add(r, rounds_kept(r, t, txn));
}

/* Into the window, where it is found by its id. */
static void push(struct rounds *r, struct kept k)
{
	struct stream *s = r->s;
	table_add(&s->ids, value_hash(k.t->id, s->seed), k.t);
	vec_push(s->pool, &r->window, k);
}

void rounds_add(struct rounds *r, struct kept k)
{
	if (k.status != ALIBI_ABORT)
		place(r, &k);
	push(r, k);
	r->arrived++;
	if (is_due(r))
		run(r);
}

/* Whoever says so looks at a clock, and does that often. */
void rounds_advance(struct rounds *r, int64_t watermark)
{
	r->finished = watermark == INT64_MAX;
	rounds_move(r, watermark);
	if (r->finished || ++r->advanced >= ADVANCES || is_due(r))
		run(r);
}

void rounds_stats(const struct rounds *r, alibi_watch_stats *stats)
{
	stats->waiting = 0;
	for (size_t i = 0; i < r->window.count; i++)
		stats->waiting +=
		        r->window.items[i].status == ALIBI_COMMIT && !r->window.items[i].judged;
	stats->versions = r->window.count;
	stats->rounds = r->count;
	stats->gone = r->gone;
}

/* ---- checkpoints ---- */

static void tape_size(struct tape *t, size_t *n)
{
	uint64_t wide = *n;
	tape_count(t, &wide);
	*n = (size_t)wide;
}

void rounds_tape_kept(struct rounds *r, struct tape *t, struct kept *k)
{
	k->t = tape_waiting(t, r->s, k->t);
	tape_value(t, &k->session);
	tape_u8(t, &k->status);
	tape_u8(t, &k->has);
	tape_flag(t, &k->judged);
	tape_flag(t, &k->unread);
	tape_flag(t, &k->torn);
	tape_flag(t, &k->told);
	tape_flag(t, &k->remnant);
	tape_u32(t, &k->lane);
	if (k->status > ALIBI_UNKNOWN_STATUS)
		tape_refuse(t);
}

void rounds_tape(struct rounds *r, struct tape *t)
{
	alibi_stamp watermark = {.physical = r->watermark};
	size_t count = r->window.count;
	bool has_skew = r->s->options.has_skew;
	tape_flag(t, &has_skew);
	tape_count(t, &r->skew);
	if (has_skew != r->s->options.has_skew || (has_skew && r->skew != r->s->options.skew))
		tape_of_option(r->s->guard, "--clock-skew");
	tape_stamp(t, &watermark);
	tape_flag(t, &r->any_watermark);
	tape_size(t, &r->arrived);
	tape_size(t, &r->left);
	tape_u32(t, &r->advanced);
	tape_count(t, &r->count);
	tape_count(t, &r->gone);
	tape_size(t, &r->remnants);
	tape_size(t, &count);
	r->watermark = watermark.physical;
	for (size_t i = 0; i < count; i++) {
		struct kept k = {0};
		if (t->write)
			k = r->window.items[i];
		rounds_tape_kept(r, t, &k);
		if (!t->write)
			push(r, k);
	}
	if (r->remnants > count)
		tape_refuse(t);
}
