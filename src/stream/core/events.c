/* events: see events.h. */
#include "stream/core/events.h"

#include "history/digest.h"
#include "history/render.h"

#include <inttypes.h>
#include <string.h>

/* ---- texts ---- */

struct pool *event_pool(struct stream *s)
{
	if (!s->events.pool)
		s->events.pool = pool_child(s->pool);
	return s->events.pool;
}

const char *event_value_text(struct pool *pool, struct value v)
{
	return render_value(pool, value_public(&v));
}

const char *event_txn_text(struct pool *pool, const char *id)
{
	return text_format(pool, "transaction %s", id);
}

const char *event_stamp_text(struct pool *pool, alibi_stamp stamp)
{
	if (stamp.logical)
		return text_format(pool, "[%" PRId64 ",%" PRId64 "]", stamp.physical,
		                   stamp.logical);
	return text_format(pool, "%" PRId64, stamp.physical);
}

const char *event_who_moved(struct stream *s, const struct inflight *late, const char *end)
{
	const struct progress *p = &s->progress;
	struct pool *pool = event_pool(s);
	if (!p->any || stamp_compare(late->commit, p->previous) <= 0)
		return "";
	return text_format(pool,
	                   "; the newest %s is %s, of %s, and %" PRIu64
	                   " ahead of all before it: if that is wrong, start over without that one",
	                   end, event_stamp_text(pool, p->newest),
	                   event_txn_text(pool, event_value_text(pool, p->txn)),
	                   (uint64_t)p->newest.physical - (uint64_t)p->previous.physical);
}

/* ---- the queue ---- */

static const char *event_id(const struct stream *s, const alibi_watch_event *e,
                            const struct event_mark *m)
{
	const alibi_violation *v = &e->about;
	struct pool *pool = s->events.pool;
	bool swap =
	        v->other && !m->op && strcmp(v->txn, v->other) > 0; /* either may be the later */
	const char *at = event_stamp_text(pool, m->at);
	const char *other_at = event_stamp_text(pool, m->other_at);
	const char *parts[] = {s->level->name,
	                       v->kind,
	                       swap ? v->other : v->txn,
	                       swap ? v->txn : v->other,
	                       swap ? other_at : at,
	                       swap ? at : other_at,
	                       v->key,
	                       v->found,
	                       e->txns,
	                       m->text};
	struct digest d = {1, m->op};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		d = digest_add(d, parts[i] ? parts[i] : "", parts[i] ? strlen(parts[i]) : 0);
	return text_format(pool, "%016" PRIx64 "%016" PRIx64, d.high, d.low);
}

void event_add(struct stream *s, alibi_watch_event e, enum mismatch_kind kind,
               struct event_mark mark)
{
	alibi_watch_stats *stats = &s->stats;
	bool violation = e.what == ALIBI_WATCH_VIOLATION;
	e.id = event_id(s, &e, &mark);
	vec_push(s->pool, &s->events.items, e);
	stats->violations += violation;
	stats->by_session += violation && kind == MISMATCH_SESSION;
	stats->by_int += violation && kind == MISMATCH_INT;
	stats->by_ext += violation && kind == MISMATCH_EXT;
	stats->by_noconflict += violation && kind == MISMATCH_NOCONFLICT;
	stats->by_order += violation && kind == MISMATCH_ORDER;
	stats->undecided += e.what == ALIBI_WATCH_UNDECIDED;
	stats->unverified += e.what == ALIBI_WATCH_UNVERIFIED;
}

void event_unverified(struct stream *s, alibi_watch_event e, enum alibi_watch_reason why,
                      struct event_mark mark)
{
	e.what = ALIBI_WATCH_UNVERIFIED;
	e.about.kind = alibi_watch_reason_name(why);
	s->stats.by_reason[why]++;
	event_add(s, e, MISMATCH_ORDER, mark);
}

void event_unverified_txn(struct stream *s, alibi_watch_event e, const struct inflight *t,
                          enum alibi_watch_reason why, alibi_stamp at, const char *text)
{
	struct pool *pool = event_pool(s);
	e.about.txn = event_value_text(pool, t->id);
	e.about.text = text_format(pool, "transaction %s %s", e.about.txn, text);
	event_unverified(s, e, why, (struct event_mark){.at = at});
}

const alibi_watch_event *event_next(struct stream *s)
{
	struct event_queue *q = &s->events;
	if (q->taken < q->items.count)
		return &q->items.items[q->taken++];
	q->items.count = q->taken = 0;
	pool_release(q->pool);
	q->pool = NULL;
	return NULL;
}
