/* gap: see gap.h. */
#include "stream/gap.h"

#include "history/render.h"
#include "stream/fences.h"
#include "stream/tape.h"

#include <inttypes.h>

static void tell(struct stream *s, uint64_t from, uint64_t until)
{
	struct pool *pool = event_pool(s);
	text_vec first = {0}, last = {0}, text = {0};
	text_addf(pool, &first, "%" PRIu64, from);
	text_addf(pool, &last, "%" PRIu64, until);
	text_addf(pool, &text,
	          "the messages from %" PRIu64 " to %" PRIu64
	          " were gone before they could be read; what they said is not verified, and what "
	          "is read of a key proves nothing until somebody who came after them has written "
	          "it",
	          from, until);
	alibi_watch_event e = {.from = text_string(pool, &first),
	                       .until = text_string(pool, &last),
	                       .about.text = text_string(pool, &text)};
	s->stats.lost += until - from + 1;
	event_doubt(s, e, ALIBI_WATCH_GONE,
	            (struct event_mark){.at = {.physical = (int64_t)from},
	                                .other_at = {.physical = (int64_t)until}});
}

void stream_gap(struct stream *s, uint64_t from, uint64_t until, bool is_first)
{
	s->gap.count++;
	s->gap.open = true;
	s->gap.any_first = false;
	s->gap.txns = s->stats.txns;
	if (s->fences)
		fences_gap(s->fences);
	if (s->rounds)
		rounds_gap(s->rounds);
	standing_clear(s);
	if (is_first)
		tell(s, from, until);
}

void gap_close(struct stream *s, alibi_stamp until)
{
	s->gap.until = until;
	s->gap.open = false;
}

void gap_came(struct stream *s, alibi_stamp end)
{
	struct gap *g = &s->gap;
	if (!g->open)
		return;
	if (!g->any_first) {
		g->any_first = true;
		g->first = stamp_compare(end, s->newest) > 0 ? end : s->newest;
	} else if (stamp_compare(s->settled, g->first) >= 0) {
		gap_close(s, s->newest);
	}
}

bool gap_hides(const struct stream *s, const struct key *k, const struct held *h)
{
	return s->gap.count &&
	       (s->gap.open || k->state & HELD_LIST || stamp_compare(h->commit, s->gap.until) <= 0);
}

/* Does `later` come after, by more than the skew? */
static bool is_after(int64_t later, int64_t earlier, uint64_t skew)
{
	return later > earlier && (uint64_t)later - (uint64_t)earlier > skew;
}

/* Rounds do not use the commit of a key: here it is the end of the first one known to have
 * written it after the last gap, of which the number stands beside it. */
void gap_mark(struct stream *s, struct kept *k, uint64_t skew)
{
	struct waiting *t = k->t;
	int64_t begin = t->start.physical, end = t->commit.physical;
	int64_t gap = (int64_t)s->gap.count;
	bool timed = (k->has & BOTH_TIMES) == BOTH_TIMES;
	bool clears = timed && !s->gap.open && is_after(begin, s->gap.until.physical, skew);
	if (!gap || k->status != ALIBI_COMMIT)
		return;
	k->unread |= s->gap.open;
	for (uint32_t i = 0; i < t->op_count; i++) {
		struct key *key = versions_key(&s->versions, t->ops[i].key);
		bool clear = key->commit.logical == gap;
		guard_tick(s->guard);
		if (t->ops[i].kind == ALIBI_READ)
			t->ops[i].unread =
			        !(timed && clear && is_after(begin, key->commit.physical, skew));
		else if (clears && (!clear || end < key->commit.physical))
			key->commit = (alibi_stamp){.physical = end, .logical = gap};
	}
}

void tape_gap(struct tape *t, struct stream *s)
{
	struct gap *g = &s->gap;
	tape_count(t, &g->count);
	tape_flag(t, &g->open);
	tape_count(t, &g->txns);
	tape_flag(t, &g->any_first);
	tape_stamp(t, &g->first);
	tape_stamp(t, &g->until);
}
