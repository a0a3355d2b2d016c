/* clocks: see clocks.h. */
#include "stream/rounds/clocks.h"

#include "history/render.h"
#include "stream/core/events.h"
#include "stream/core/gap.h"
#include "stream/rounds/rounds.h"

#include <inttypes.h>

/* ---- times ---- */

static void follow(struct rounds *r, const struct window_txn *w)
{
	struct stream *s = r->s;
	const alibi_watch_options *o = &s->options;
	int64_t end = w->t->commit.physical;
	uint64_t room = (uint64_t)end - (uint64_t)INT64_MIN, all = o->horizon + o->longest;
	if (!s->progress.any || end > s->progress.newest.physical) {
		core_newest(s, w->t);
		if (o->has_horizon && all >= o->horizon && all < room)
			rounds_move(r, (int64_t)((uint64_t)end - all));
	}
	gap_follow(s, w->t->commit);
}

static const char *why_late(struct rounds *r, const struct window_txn *w)
{
	return text_format(event_pool(r->s),
	                   "it began at %" PRId64 ", and all that began before %" PRId64
	                   " should have come",
	                   w->t->start.physical, r->watermark);
}

static const char *why_untimed(const struct window_txn *w)
{
	(void)w;
	return "committed, but has no begin and end, or ends before it begins; it was not checked";
}

static const struct rounds_times times = {.clocks = true,
                                          .follow = follow,
                                          .why_late = why_late,
                                          .why_untimed = why_untimed,
                                          .untimed = ALIBI_WATCH_TIMES};

/* ---- the engine ---- */

static void *open_engine(struct stream *s)
{
	struct rounds *r = pool_alloc(s->pool, sizeof *r);
	rounds_init(r, s, &times);
	r->skew = s->options.has_clock_skew ? s->options.clock_skew : 0;
	return r;
}

static void begin_batch(void *engine)
{
	struct rounds *r = engine;
	const struct history *h = r->s->batch.b->h;
	if (h->has_skew && !r->s->options.has_clock_skew)
		r->skew = (uint64_t)h->skew;
}

static struct client_times times_of(const struct rounds *r, uint32_t txn)
{
	const struct builder *b = r->s->batch.b;
	return txn < b->times.count ? b->times.items[txn] : (struct client_times){0};
}

/* Only some writes may be left of the known one, but it has its times. */
static bool is_same(const void *engine, const struct inflight *known, uint32_t txn)
{
	struct client_times t = times_of(engine, txn);
	return t.begin == known->start.physical && t.end == known->commit.physical;
}

static void arrive(void *engine, struct inflight *t, uint32_t txn)
{
	struct client_times own = times_of(engine, txn);
	t->start = (alibi_stamp){.physical = own.begin};
	t->commit = (alibi_stamp){.physical = own.end};
	rounds_add(engine, rounds_take(engine, t, txn));
}

static void advance(void *engine, alibi_stamp watermark, alibi_stamp horizon)
{
	(void)watermark;
	rounds_advance(engine, horizon.physical);
}

static void checkpoint(void *engine, struct codec *c)
{
	struct rounds *r = engine;
	const alibi_watch_options *o = &r->s->options;
	bool has_skew = o->has_clock_skew;
	codec_any(c, &has_skew);
	codec_any(c, &r->skew);
	if (has_skew != o->has_clock_skew || (has_skew && r->skew != o->clock_skew))
		codec_fail_option(r->s->guard, "clock skew");
	rounds_codec(r, c);
}

const struct engine clocks_engine = {.names_all = true,
                                     .open = open_engine,
                                     .begin_batch = begin_batch,
                                     .is_same = is_same,
                                     .arrive = arrive,
                                     .advance = advance,
                                     .gap = rounds_gap,
                                     .stats = rounds_stats,
                                     .checkpoint = checkpoint,
                                     .valid = rounds_valid};
