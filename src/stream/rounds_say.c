/*
 * rounds_say: what came out of a round, in words.
 *
 * The id of a counterexample is a digest of the ids of its transactions and of the words, so
 * that it is the same whenever the same rounds are gone through.
 */
#include "check/describe.h"
#include "history/render.h"
#include "stream/rounds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void say_late(struct rounds *r, const struct kept *k, struct pool *pool, text_vec *t)
{
	int64_t begin = k->t->start.physical;
	text_addf(pool, t, "came too late and was not checked: ");
	if (!r->s->fences)
		text_addf(pool, t,
		          "it began at %" PRId64 ", and all that began before %" PRId64
		          " should have come",
		          begin, r->watermark);
	else if (begin)
		text_addf(pool, t,
		          "the last fence of its session is number %" PRId64
		          ", and all sessions should have passed number %" PRId64,
		          begin / 2, r->watermark / 2);
	else
		text_addf(pool, t,
		          "its session has made no fence yet, and all sessions should have passed "
		          "number %" PRId64 " (a session that joins later begins with a fence)",
		          r->watermark / 2);
	text_addf(pool, t,
	          "; what it wrote may have been read by others, and a violation reported there "
	          "may be none");
	if (!r->s->fences && k->has & ALIBI_HAS_END)
		text_addf(pool, t, "%s", event_who_moved(r->s, k->t));
}

static const char *no_times(const struct rounds *r, const struct kept *k)
{
	if (!r->s->fences)
		return "committed, but has no begin and end, or ends before it begins; it was not "
		       "checked";
	if (k->session.kind == ALIBI_NULL)
		return "committed, but has no session, so that no fence says when; it was not "
		       "checked";
	return "was not checked: its session made no fence after it while the others made as many "
	       "as the horizon has (a session ends with a fence)";
}

void rounds_doubt(struct rounds *r, const struct kept *k, enum round_doubt why)
{
	static const enum alibi_watch_reason reasons[][2] = {
	        /* by clocks, and by fences */
	        [DOUBT_LATE] = {ALIBI_WATCH_LATE, ALIBI_WATCH_LATE},
	        [DOUBT_TIMES] = {ALIBI_WATCH_TIMES, ALIBI_WATCH_FENCE},
	        [DOUBT_TORN] = {ALIBI_WATCH_OUTCOME, ALIBI_WATCH_OUTCOME},
	        [DOUBT_VALUE] = {ALIBI_WATCH_FENCE, ALIBI_WATCH_FENCE},
	};
	struct stream *s = r->s;
	struct pool *pool = event_pool(s);
	struct value id = k->t->id;
	alibi_watch_event e = {.about.txn = render_value(pool, value_public(&id))};
	text_vec t = {0};
	if (why == DOUBT_LATE || why == DOUBT_TIMES)
		s->order_stands = false;
	text_addf(pool, &t, "transaction %s ", e.about.txn);
	if (why == DOUBT_LATE)
		say_late(r, k, pool, &t);
	else if (why == DOUBT_TIMES)
		text_addf(pool, &t, "%s", no_times(r, k));
	else if (why == DOUBT_VALUE)
		text_addf(
		        pool, &t,
		        "left a value at the fence that another one had left there, so that it is "
		        "not certain which of them a fence read; write a new value each time");
	else
		text_addf(pool, &t,
		          "has an unknown outcome, and was read only after others that wrote its "
		          "keys had been forgotten; that all it wrote took effect together was "
		          "not checked");
	e.about.text = text_string(pool, &t);
	event_doubt(s, e, reasons[why][s->fences != NULL], (struct event_mark){.at = k->t->commit});
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

void rounds_violation(struct rounds *r, const struct history *h, const char *text)
{
	struct pool *pool = event_pool(r->s);
	alibi_watch_event e = {.what = ALIBI_WATCH_VIOLATION};
	e.about.kind = mismatch_name(MISMATCH_ORDER);
	e.about.text = pool_text(pool, text, strlen(text));
	e.txns = list_of(pool, h);
	r->s->stats.by_order++;
	r->s->order_stands = true;
	event_add(r->s, e, MISMATCH_ORDER, (struct event_mark){.text = text});
}

void rounds_undecided(struct rounds *r, const char *reason)
{
	struct pool *pool = event_pool(r->s);
	alibi_watch_event e = {.what = ALIBI_WATCH_UNDECIDED};
	e.about.kind = mismatch_name(MISMATCH_ORDER);
	e.about.text = pool_text(pool, reason, strlen(reason));
	event_add(r->s, e, MISMATCH_ORDER,
	          (struct event_mark){
	                  .at = {.physical = (int64_t)r->count, .logical = (int64_t)r->gone}});
}
