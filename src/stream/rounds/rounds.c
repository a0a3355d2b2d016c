/* rounds: see rounds.h. This file: the window, the watermark, and when a round starts. */
#include "stream/rounds/rounds.h"

#include "base/radix.h"
#include "stream/rounds/report.h"
#include "stream/rounds/round.h"

enum {
	ROUND_LEAST = 4096, /* transactions, unless the options say otherwise */
	ADVANCES = 8,       /* of the watermark, before they start a round */
};

void rounds_init(struct rounds *r, struct stream *s, const struct rounds_times *times)
{
	*r = (struct rounds){.s = s, .times = times};
}

/* ---- when a round starts ---- */

static bool is_due(const struct rounds *r)
{
	size_t least = r->s->options.round ? r->s->options.round : ROUND_LEAST;
	return r->arrived >= least && r->arrived >= r->left;
}

/* By arrival: fences hold some transactions longer than others, and a search mostly finds an
 * order close to that of arrival. */
static void sort_window(struct rounds *r)
{
	size_t count = r->window.count - r->residuals;
	if (!count)
		return;
	struct window_txn *first = r->window.items + r->residuals;
	struct pool *pool = pool_child(r->s->pool);
	struct keyed *sorted = pool_array(pool, count, sizeof *sorted);
	struct window_txn *before = pool_array(pool, count, sizeof *before);
	for (size_t i = 0; i < count; i++) {
		sorted[i] = (struct keyed){first[i].t->number, (uint32_t)i};
		before[i] = first[i];
	}
	radix_sort(pool, sorted, count);
	for (size_t i = 0; i < count; i++)
		first[i] = before[sorted[i].item];
	pool_release(pool);
}

static void run(struct rounds *r)
{
	if (!r->times->clocks)
		sort_window(r);
	r->count++;
	r->arrived = r->advanced = 0;
	round_run(r);
	r->left = r->window.count;
	assert(rounds_valid(r));
}

void rounds_move(struct rounds *r, int64_t watermark)
{
	if (r->any_watermark && watermark <= r->watermark)
		return;
	r->watermark = watermark;
	r->any_watermark = true;
	r->s->progress.watermark = (alibi_stamp){.physical = watermark};
}

/* Called periodically, so most calls only move the watermark. */
void rounds_advance(struct rounds *r, int64_t watermark)
{
	r->finished = watermark == INT64_MAX;
	rounds_move(r, watermark);
	if (r->finished || ++r->advanced >= ADVANCES || is_due(r))
		run(r);
}

/* ---- arrival ---- */

bool rounds_is_late(const struct rounds *r, int64_t begin)
{
	return r->any_watermark && begin < r->watermark;
}

/* After a gap (gap.h): marks the reads of a committed transaction that may be of lost versions.
 * Rounds do not use the commit of a key; here it is the end of the first transaction known to
 * have written the key after the last gap, with the number of the gap. */
static void ignore_lost(const struct rounds *r, struct window_txn *w)
{
	const struct stream *s = r->s;
	struct inflight *t = w->t;
	int64_t begin = t->start.physical, end = t->commit.physical, gap = (int64_t)s->gap.count;
	bool timed = (w->has & BOTH_TIMES) == BOTH_TIMES;
	bool clears = timed && !s->gap.open && rounds_is_after(r, begin, s->gap.until.physical);
	if (!gap || w->status != ALIBI_COMMIT)
		return;
	w->ignore_reads |= s->gap.open;
	for (uint32_t i = 0; i < t->op_count; i++) {
		struct key *key = versions_key(&s->versions, t->ops[i].key);
		bool clear = key->commit.logical == gap;
		guard_tick(s->guard);
		if (op_is_read(&t->ops[i]))
			t->ops[i].ignored = !(timed && clear &&
			                      rounds_is_after(r, begin, key->commit.physical));
		else if (clears && (!clear || end < key->commit.physical))
			key->commit = (alibi_stamp){.physical = end, .logical = gap};
	}
}

void rounds_gap(void *rounds)
{
	struct rounds *r = rounds;
	r->unrefuted = false;
	for (size_t i = 0; i < r->window.count; i++)
		r->window.items[i].ignore_reads = true;
}

/* It may have taken effect at any time, or not at all. */
static void mark_unknown(struct rounds *r, struct window_txn *w)
{
	w->status = ALIBI_UNKNOWN_STATUS;
	w->has = 0;
	value_drop(&r->s->store, w->session);
	w->session = (struct value){0};
}

static void check_times(struct rounds *r, struct window_txn *w)
{
	const struct rounds_times *times = r->times;
	int64_t begin = w->t->start.physical, end = w->t->commit.physical;
	bool commits = w->status == ALIBI_COMMIT;
	bool timed = (w->has & BOTH_TIMES) == BOTH_TIMES && begin <= end;
	bool late = w->has & ALIBI_HAS_BEGIN && rounds_is_late(r, begin);
	if (w->status == ALIBI_UNKNOWN_STATUS && !(w->has & ALIBI_HAS_BEGIN) && times->clocks)
		r->unrefuted = false; /* it may have happened at any time */
	if ((commits && !timed) || late) {
		r->unrefuted = false;
		if (late)
			report_late(r, w);
		else
			report_txn(r, w, times->untimed, times->why_untimed(w));
		mark_unknown(r, w);
	} else if (commits && times->follow) {
		times->follow(r, w);
	}
	ignore_lost(r, w);
}

struct window_txn rounds_take(struct rounds *r, struct inflight *t, uint32_t number)
{
	struct stream *s = r->s;
	const struct builder *b = s->batch.b;
	const struct txn *txn = &b->txns.items[number];
	uint32_t name = b->session_name.items[txn->session];
	struct window_txn w = {.t = t, .status = txn->status, .has = txn->has & BOTH_TIMES};
	if (name != ID_NONE)
		w.session = value_take(&s->store, b->names, name);
	return w;
}

static void push(struct rounds *r, struct window_txn w)
{
	w.t->in_window = true;
	vec_push(r->s->pool, &r->window, w);
}

void rounds_add(struct rounds *r, struct window_txn w)
{
	if (w.status != ALIBI_ABORT)
		check_times(r, &w);
	push(r, w);
	r->arrived++;
	if (is_due(r))
		run(r);
}

void rounds_stats(const void *rounds, alibi_watch_stats *stats)
{
	const struct rounds *r = rounds;
	stats->waiting = 0;
	for (size_t i = 0; i < r->window.count; i++)
		stats->waiting +=
		        r->window.items[i].status == ALIBI_COMMIT && !r->window.items[i].checked;
	stats->versions = r->window.count;
	stats->rounds = r->count;
	stats->gone = r->collected;
	stats->stands = r->unrefuted;
}

bool rounds_valid(const void *rounds)
{
	const struct rounds *r = rounds;
	bool ok = r->residuals <= r->window.count;
	for (size_t i = 0; ok && i < r->window.count; i++) {
		const struct window_txn *w = &r->window.items[i];
		ok = w->residual == (i < r->residuals) && w->t->in_window && w->t->has_id &&
		     inflight_find(r->s, w->t->id) == w->t;
	}
	return ok;
}

/* ---- checkpoints ---- */

#define FIELD(member) CODEC_FIELD(struct window_txn, member)
void rounds_codec_txn(struct rounds *r, struct codec *c, struct window_txn *w)
{
	static const struct codec_field fields[] = {
	        FIELD(session),       FIELD(status),       FIELD(has),
	        FIELD(checked),       FIELD(ignore_reads), FIELD(torn),
	        FIELD(torn_reported), FIELD(residual),     FIELD(lane)};
	w->t = inflight_codec(r->s, c, w->t);
	codec_struct(c, w, fields);
	if (w->status > ALIBI_UNKNOWN_STATUS)
		codec_reject(c);
}
#undef FIELD

#define FIELD(member) CODEC_FIELD(struct rounds, member)
void rounds_codec(struct rounds *r, struct codec *c)
{
	static const struct codec_field fields[] = {
	        FIELD(any_watermark), FIELD(unrefuted), FIELD(arrived),   FIELD(left),
	        FIELD(advanced),      FIELD(count),     FIELD(collected), FIELD(residuals)};
	alibi_stamp watermark = {.physical = r->watermark};
	uint64_t count = r->window.count;
	codec_any(c, &watermark);
	codec_struct(c, r, fields);
	codec_count(c, &count);
	r->watermark = watermark.physical;
	if (r->residuals > count)
		codec_reject(c);
	for (size_t i = 0; i < count; i++) {
		struct window_txn w = {0};
		if (c->write)
			w = r->window.items[i];
		rounds_codec_txn(r, c, &w);
		if (!c->write)
			push(r, w);
	}
}
