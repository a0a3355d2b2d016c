/*
 * rounds_say: what came out of a round, in words.
 *
 * The id of a counterexample is a digest of the ids of its transactions, so that it
 * is the same whenever the same rounds are gone through.
 */
#include "check/describe.h"
#include "history/render.h"
#include "stream/rounds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void rounds_doubt(struct rounds *r, const struct kept *k, enum round_doubt why)
{
	static const char *const kinds[] = {"LATE", "TIMES", "OUTCOME"};
	struct stream *s = r->s;
	struct pool *pool = event_pool(s);
	struct value id = k->t->id;
	alibi_watch_event e = {.what = ALIBI_WATCH_UNVERIFIED};
	text_vec t = {0};
	e.about.kind = kinds[why];
	e.about.txn = render_value(pool, value_public(&id));
	s->stats.by_late += why == DOUBT_LATE;
	s->stats.by_stamps += why == DOUBT_TIMES;
	s->stats.by_outcome += why == DOUBT_TORN;
	text_addf(pool, &t, "transaction %s ", e.about.txn);
	if (why == DOUBT_LATE)
		text_addf(pool, &t,
		          "came too late and was not checked: it began at %" PRId64
		          ", and all that began before %" PRId64
		          " should have come; what it wrote may have been read by others, and a "
		          "violation reported there may be none",
		          k->t->start.physical, r->watermark);
	else if (why == DOUBT_TIMES)
		text_addf(pool, &t,
		          "committed, but has no begin and end, or ends before it begins; it was "
		          "not checked");
	else
		text_addf(pool, &t,
		          "has an unknown outcome, and was read only after others that wrote its "
		          "keys had been forgotten; that all it wrote took effect together was "
		          "not checked");
	e.about.text = text_string(pool, &t);
	event_add(s, e, MISMATCH_ORDER, 0);
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
	event_add(r->s, e, MISMATCH_ORDER, 0);
}

void rounds_undecided(struct rounds *r, const char *reason)
{
	struct pool *pool = event_pool(r->s);
	alibi_watch_event e = {.what = ALIBI_WATCH_UNDECIDED};
	e.about.kind = mismatch_name(MISMATCH_ORDER);
	e.about.text = pool_text(pool, reason, strlen(reason));
	event_add(r->s, e, MISMATCH_ORDER, 0);
}
