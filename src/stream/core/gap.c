/* gap: see gap.h. */
#include "stream/core/gap.h"

#include "history/render.h"
#include "stream/core/events.h"

#include <inttypes.h>

static void report_lost(struct stream *s, uint64_t from, uint64_t until)
{
	struct pool *pool = event_pool(s);
	alibi_watch_event e = {.from = text_format(pool, "%" PRIu64, from),
	                       .until = text_format(pool, "%" PRIu64, until)};
	e.about.text = text_format(
	        pool,
	        "the messages from %s to %s were gone before they could be read; they are not "
	        "verified, and reads of a key prove nothing until a later transaction has written "
	        "it",
	        e.from, e.until);
	s->stats.lost += until - from + 1;
	event_unverified(s, e, ALIBI_WATCH_GONE,
	                 (struct event_mark){.at = {.physical = (int64_t)from},
	                                     .other_at = {.physical = (int64_t)until}});
}

void gap_begin(struct stream *s, uint64_t from, uint64_t until, bool report)
{
	s->gap.count++;
	s->gap.open = true;
	s->gap.any_first = false;
	s->gap.txns = s->stats.txns;
	if (report)
		report_lost(s, from, until);
}

void gap_close(struct stream *s, alibi_stamp until)
{
	s->gap.until = until;
	s->gap.open = false;
}

void gap_follow(struct stream *s, alibi_stamp end)
{
	struct gap *g = &s->gap;
	const struct progress *p = &s->progress;
	if (!g->open)
		return;
	if (!g->any_first) {
		g->any_first = true;
		g->first = stamp_compare(end, p->newest) > 0 ? end : p->newest;
	} else if (stamp_compare(p->watermark, g->first) >= 0) {
		gap_close(s, p->newest);
	}
}

#define FIELD(member) CODEC_FIELD(struct gap, member)
void gap_codec(struct gap *g, struct codec *c)
{
	static const struct codec_field fields[] = {FIELD(count),     FIELD(open),  FIELD(txns),
	                                            FIELD(any_first), FIELD(first), FIELD(until)};
	codec_struct(c, g, fields);
}
