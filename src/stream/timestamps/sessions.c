/* sessions: see sessions.h. */
#include "stream/timestamps/sessions.h"

#include "base/bisect.h"
#include "stream/timestamps/report.h"

enum { SESSIONS_LEAST = 1024 };

struct session {
	struct value name;
	bool mine;             /* it belongs to this shard */
	bool any;              /* one has committed, … */
	alibi_stamp commit;    /* … at this moment, … */
	struct value txn;      /* … the last of them, … */
	struct inflight *last; /* … which is in the queue if commit is after the watermark */
};

/* NULL: it has no name, so the transaction is alone in it. */
static struct session *session_of(struct timestamps *e, uint32_t number)
{
	struct stream *s = e->s;
	const struct builder *b = s->batch.b;
	struct session **known = &e->batch_sessions.items[number];
	uint32_t name_atom = b->session_name.items[number];
	if (*known || name_atom == ID_NONE)
		return *known;
	struct value name = value_take(&s->store, b->names, name_atom);
	*known = table_get(&e->sessions, name);
	if (*known) {
		value_drop(&s->store, name);
		return *known;
	}
	*known = store_take(&s->store, sizeof **known);
	**known = (struct session){.name = name, .mine = shard_has(s->versions.keys.shard, name)};
	table_put(&e->sessions, *known);
	return *known;
}

/* A transaction that is not late comes after the last one of such a session. */
static bool drop_if_over(void *data, void *item)
{
	struct timestamps *e = data;
	struct session *session = item;
	struct store *store = &e->s->store;
	if (session->any && stamp_compare(session->commit, e->horizon) > 0)
		return false;
	value_drop(store, session->name);
	value_drop(store, session->txn);
	store_give(store, session, sizeof *session);
	return true;
}

void sessions_begin_batch(struct timestamps *e)
{
	if (e->sessions.used > 2 * e->sessions_left + SESSIONS_LEAST) {
		table_filter(&e->sessions, drop_if_over, e);
		e->sessions_left = e->sessions.used;
	}
	e->batch_sessions.count = 0;
	while (e->batch_sessions.count < e->s->batch.b->session_name.count)
		vec_push(e->s->pool, &e->batch_sessions, NULL);
}

void sessions_check(struct timestamps *e, struct inflight *t, uint32_t number)
{
	struct stream *s = e->s;
	struct session *session = session_of(e, number);
	if (!session)
		return;
	if (session->any && session->mine && !s->options.ignore_sessions &&
	    stamp_compare(session->commit, read_moment(s, t)) > 0)
		report_pair(s, MISMATCH_SESSION, (struct committed){t->id, t->commit},
		            (struct committed){session->txn, session->commit}, ID_NONE);
	if (session->any && !s->snapshot && !stamp_compare(session->commit, t->commit))
		session->last->session_continues = true; /* not late, so it is in the queue */
	value_drop(&s->store, session->txn);
	session->txn = value_copy(&s->store, t->id);
	session->commit = t->commit;
	session->last = t;
	session->any = true;
}

/* ---- checkpoints ---- */

typedef VEC(struct inflight *) queue_vec;

#define FIELD(member) CODEC_FIELD(struct session, member)
static void codec_session(const struct timestamps *e, struct codec *c, struct session *session,
                          const queue_vec *queue)
{
	static const struct codec_field fields[] = {FIELD(name), FIELD(mine), FIELD(any),
	                                            FIELD(commit), FIELD(txn)};
	uint64_t last = 0;
	if (c->write && session->any &&
	    stamp_compare(session->commit, e->s->progress.watermark) > 0)
		last = session->last->number;
	codec_struct(c, session, fields);
	codec_any(c, &last);
	if (c->write || !last)
		return;
	size_t at;
	bisect(at, 0, queue->count, queue->items[at]->number < last);
	if (at == queue->count || queue->items[at]->number != last)
		codec_reject(c);
	session->last = queue->items[at];
}

void sessions_codec(struct timestamps *e, struct codec *c)
{
	struct stream *s = e->s;
	uint64_t count = e->sessions.used;
	queue_vec queue = {0};
	for (struct inflight *t = e->first; t && !c->write; t = t->next)
		vec_push(s->pool, &queue, t);
	codec_any(c, &count);
	for (size_t i = 0, at = 0; i < count; i++) {
		struct session *session = c->write ? table_next(&e->sessions, &at)
		                                   : store_take(&s->store, sizeof *session);
		if (!c->write)
			*session = (struct session){0};
		codec_session(e, c, session, &queue);
		if (!c->write)
			table_put(&e->sessions, session);
	}
	e->sessions_left = e->sessions.used;
	pool_free(s->pool, queue.items);
}
