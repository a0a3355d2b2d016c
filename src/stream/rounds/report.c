/* report: see report.h. */
#include "stream/rounds/report.h"

#include "check/describe.h"
#include "history/render.h"
#include "stream/core/events.h"

#include <stdlib.h>
#include <string.h>

void report_txn(struct rounds *r, const struct window_txn *w, enum alibi_watch_reason why,
                const char *text)
{
	event_unverified_txn(r->s, (alibi_watch_event){0}, w->t, why, w->t->commit, text);
}

void report_late(struct rounds *r, const struct window_txn *w)
{
	bool moved = r->times->clocks && w->has & ALIBI_HAS_END;
	const char *text = text_format(
	        event_pool(r->s),
	        "came too late and was not checked: %s; what it wrote may have been read by "
	        "others, and a violation reported there may be none%s",
	        r->times->why_late(r, w), moved ? event_who_moved(r->s, w->t, "end") : "");
	report_txn(r, w, ALIBI_WATCH_LATE, text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The ids, sorted, as a JSON list. */
static const char *list_of(struct pool *pool, const struct history *h)
{
	text_vec t = {0};
	const char **sorted = pool_array(pool, (size_t)h->txn_count + 1, sizeof *sorted);
	for (uint32_t i = 0; i < h->txn_count; i++)
		sorted[i] = render_value(pool, history_txn_id(h, i));
	qsort(sorted, h->txn_count, sizeof *sorted, by_text);
	for (uint32_t i = 0; i < h->txn_count; i++)
		text_addf(pool, &t, "%s%s", i ? "," : "[", sorted[i]);
	text_addf(pool, &t, "]");
	return text_string(pool, &t);
}

static void report_order(struct rounds *r, alibi_watch_event e, const char *text,
                         struct event_mark mark)
{
	e.about.kind = mismatch_name(MISMATCH_ORDER);
	e.about.text = pool_text(event_pool(r->s), text, strlen(text));
	event_add(r->s, e, MISMATCH_ORDER, mark);
}

void report_counterexample(struct rounds *r, const struct history *h, const char *text)
{
	r->unrefuted = true;
	report_order(r,
	             (alibi_watch_event){.what = ALIBI_WATCH_VIOLATION,
	                                 .txns = list_of(event_pool(r->s), h)},
	             text, (struct event_mark){.text = text});
}

void report_undecided(struct rounds *r, const char *reason)
{
	report_order(r, (alibi_watch_event){.what = ALIBI_WATCH_UNDECIDED}, reason,
	             (struct event_mark){.at = {.physical = (int64_t)r->count,
	                                        .logical = (int64_t)r->collected}});
}
