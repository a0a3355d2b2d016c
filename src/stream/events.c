/*
 * events: what came out, with sentences in the user's own ids.
 *
 * The sentences are those of check (describe.h). An event's id is a digest of what it
 * is about, at which level: the kind, the transactions and when they were, the key, the
 * operation and what it found. All that is the stream's own, so that an id is the same
 * whenever and on however many threads the stream is watched, and another one in another
 * stream, although transactions without ids have the same numbers there.
 */
#include "check/describe.h"
#include "history/digest.h"
#include "history/render.h"
#include "stream/inside.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN_ITEMS = 12, SHOWN_KEYS = 8 };

static const char *text_of(struct pool *pool, struct value v)
{
	return render_value(pool, value_public(&v));
}

static const char *named(struct pool *pool, const char *id)
{
	text_vec t = {0};
	text_addf(pool, &t, "transaction %s", id);
	return text_string(pool, &t);
}

struct two_lists {
	const struct value *a, *b;
	size_t a_count;
};

static alibi_value item_of(const void *data, size_t i)
{
	const struct two_lists *l = data;
	return value_public(i < l->a_count ? &l->a[i] : &l->b[i - l->a_count]);
}

/* One list after the other; at most `most` items, the last ones. */
static const char *list_text(struct pool *pool, const struct value *a, size_t a_count,
                             const struct value *b, size_t b_count, size_t most)
{
	text_vec t = {0};
	struct two_lists both = {a, b, a_count};
	text_add_list_end(pool, &t, item_of, &both, a_count + b_count, most);
	return text_string(pool, &t);
}

static const char *stamp_text(struct pool *pool, alibi_stamp stamp)
{
	text_vec t = {0};
	if (stamp.logical)
		text_addf(pool, &t, "[%" PRId64 ",%" PRId64 "]", stamp.physical, stamp.logical);
	else
		text_addf(pool, &t, "%" PRId64, stamp.physical);
	return text_string(pool, &t);
}

static const char *event_id(const struct stream *s, const alibi_watch_event *e,
                            const struct event_mark *m)
{
	const alibi_violation *v = &e->about;
	struct pool *pool = s->event_pool;
	bool swap = v->other && !m->op && strcmp(v->txn, v->other) > 0; /* who is later may vary */
	const char *at = stamp_text(pool, m->at), *other_at = stamp_text(pool, m->other_at);
	const char *parts[] = {s->options.level->name,
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
	text_vec t = {0};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		d = digest_add(d, parts[i] ? parts[i] : "", parts[i] ? strlen(parts[i]) : 0);
	text_addf(pool, &t, "%016" PRIx64 "%016" PRIx64, d.high, d.low);
	return text_string(pool, &t);
}

static void count_kind(alibi_watch_stats *stats, enum mismatch_kind kind)
{
	stats->by_session += kind == MISMATCH_SESSION;
	stats->by_int += kind == MISMATCH_INT;
	stats->by_ext += kind == MISMATCH_EXT;
	stats->by_noconflict += kind == MISMATCH_NOCONFLICT;
}

void event_add(struct stream *s, alibi_watch_event e, enum mismatch_kind kind,
               struct event_mark mark)
{
	e.id = event_id(s, &e, &mark);
	vec_push(s->pool, &s->events, e);
	s->stats.violations += e.what == ALIBI_WATCH_VIOLATION;
	if (e.what == ALIBI_WATCH_VIOLATION)
		count_kind(&s->stats, kind);
	s->stats.undecided += e.what == ALIBI_WATCH_UNDECIDED;
	s->stats.unverified += e.what == ALIBI_WATCH_UNVERIFIED;
}

void event_doubt(struct stream *s, alibi_watch_event e, enum alibi_watch_reason why,
                 struct event_mark mark)
{
	e.what = ALIBI_WATCH_UNVERIFIED;
	e.about.kind = alibi_watch_reason_name(why);
	s->stats.by_reason[why]++;
	event_add(s, e, MISMATCH_ORDER, mark);
}

struct pool *event_pool(struct stream *s)
{
	if (!s->event_pool)
		s->event_pool = pool_child(s->pool);
	return s->event_pool;
}

static const char *key_text(struct stream *s, uint32_t key)
{
	return text_of(event_pool(s), key_name(versions_key(&s->versions, key)));
}

const alibi_watch_event *stream_next(struct stream *s)
{
	if (s->events_taken < s->events.count)
		return &s->events.items[s->events_taken++];
	s->events.count = s->events_taken = 0;
	pool_release(s->event_pool);
	s->event_pool = NULL;
	return NULL;
}

/* ---- violations ---- */

void event_misread(struct stream *s, const struct misread *m)
{
	struct pool *pool = event_pool(s);
	const struct waiting_op *o = &m->t->ops[m->op];
	bool list = versions_key(&s->versions, o->key)->state & HELD_LIST;
	const char *other = m->other.kind == ALIBI_NULL ? NULL : text_of(pool, m->other);
	size_t count;
	const struct value *items = value_items(op_value(o), &count);
	alibi_watch_event e = {.what = m->doubt || m->kind == MISMATCH_TIE ? ALIBI_WATCH_UNDECIDED
	                                                                   : ALIBI_WATCH_VIOLATION};
	if (e.what == ALIBI_WATCH_VIOLATION && m->kind == MISMATCH_EXT)
		standing_add(s, o->key, s->snapshot ? m->t->start : m->t->commit);
	e.about.kind = mismatch_name(m->kind);
	e.about.txn = text_of(pool, m->t->id);
	e.about.other = m->other_is_self || m->kind == MISMATCH_INT ? NULL : other;
	e.about.key = key_text(s, o->key);
	struct said said = {.kind = m->kind,
	                    .snapshot = s->snapshot,
	                    .wrong_writer = m->wrong_writer,
	                    .txn = named(pool, e.about.txn),
	                    .other = other ? named(pool, other) : NULL,
	                    .key = e.about.key,
	                    .more = m->doubt ? m->doubt : ""};
	if (list) {
		e.about.expected = list_text(pool, m->there, m->there_count, m->appended,
		                             m->appended_count, SIZE_MAX);
		said.expected = list_text(pool, m->there, m->there_count, m->appended,
		                          m->appended_count, SHOWN_ITEMS);
		e.about.found = list_text(pool, items, count, NULL, 0, SIZE_MAX);
		said.found = list_text(pool, items, count, NULL, 0, SHOWN_ITEMS);
	} else {
		e.about.expected = said.expected = text_of(pool, m->expected);
		e.about.found = said.found = text_of(pool, op_value(o));
	}
	e.about.text = describe_say(pool, &said);
	event_add(s, e, m->kind,
	          (struct event_mark){.op = (m->t->has_places ? op_places(m->t)[m->op] : m->op) + 1,
	                              .at = m->t->commit});
}

/* About two transactions, and perhaps a key. */
static void event_pair(struct stream *s, enum mismatch_kind kind, struct committed txn,
                       struct committed other, const char *key)
{
	struct pool *pool = event_pool(s);
	alibi_watch_event e = {.what = kind == MISMATCH_TIE ? ALIBI_WATCH_UNDECIDED
	                                                    : ALIBI_WATCH_VIOLATION};
	e.about.kind = mismatch_name(kind);
	e.about.txn = text_of(pool, txn.id);
	e.about.other = text_of(pool, other.id);
	e.about.key = key;
	e.about.text = describe_say(pool, &(struct said){.kind = kind,
	                                                 .snapshot = s->snapshot,
	                                                 .txn = named(pool, e.about.txn),
	                                                 .other = named(pool, e.about.other),
	                                                 .key = key});
	event_add(s, e, kind, (struct event_mark){.at = txn.at, .other_at = other.at});
}

void event_session(struct stream *s, struct committed txn, struct committed before)
{
	event_pair(s, MISMATCH_SESSION, txn, before, NULL);
}

void event_conflict(struct stream *s, struct committed later, struct committed earlier,
                    uint32_t key)
{
	event_pair(s, MISMATCH_NOCONFLICT, later, earlier, key_text(s, key));
}

void event_tie(struct stream *s, struct committed later, struct committed earlier, uint32_t key)
{
	event_pair(s, MISMATCH_TIE, later, earlier, key_text(s, key));
}

/* ---- what cannot be judged ---- */

/* The keys that a transaction of the batch writes, in JSON or, the first ones, in words. */
static const char *written_keys(struct stream *s, uint32_t txn, bool json)
{
	const struct builder *b = s->b;
	text_vec text = {0};
	size_t count = 0;
	if (json)
		text_add(s->event_pool, &text, "[", 1);
	for (uint32_t op = b->txns.items[txn].first_op; op < batch_op_end(s, txn); op++) {
		if (!op_writes(b->ops.items[op]))
			continue;
		if (json || count < SHOWN_KEYS)
			text_addf(s->event_pool, &text, "%s%s",
			          !count ? ""
			          : json ? ","
			                 : ", ",
			          render_value(s->event_pool,
			                       atoms_value(b->keys, op_key(b->ops.items[op]))));
		else if (count == SHOWN_KEYS)
			text_addf(s->event_pool, &text, " and others");
		count++;
	}
	if (json)
		text_add(s->event_pool, &text, "]", 1);
	return text_string(s->event_pool, &text);
}

const char *event_who_moved(struct stream *s, const struct waiting *late)
{
	struct pool *pool = event_pool(s);
	text_vec text = {0};
	if (!s->any_stamp || stamp_compare(late->commit, s->newest_before) <= 0)
		return "";
	text_addf(pool, &text,
	          "; the newest %s is %s, of %s, and %" PRIu64
	          " ahead of all before it: if that is wrong, start anew without that one",
	          s->rounds ? "end" : "commit_ts", stamp_text(pool, s->newest),
	          named(pool, text_of(pool, s->newest_txn)),
	          (uint64_t)s->newest.physical - (uint64_t)s->newest_before.physical);
	return text_string(pool, &text);
}

static void say_late(struct stream *s, const struct waiting *t, uint32_t txn, alibi_watch_event *e,
                     text_vec *text)
{
	struct pool *pool = s->event_pool;
	e->from = stamp_text(pool, t->commit);
	e->until = stamp_text(pool, s->settled);
	e->keys = written_keys(s, txn, true);
	text_addf(pool, text,
	          "%s came too late and was not checked: it committed at %s, and all up to %s had "
	          "been judged",
	          named(pool, e->about.txn), e->from, e->until);
	if (t->writes)
		text_addf(pool, text,
		          "; what was read since then of key %s is not verified, and a violation "
		          "reported there may be none",
		          written_keys(s, txn, false));
	text_addf(pool, text, "%s", event_who_moved(s, t));
}

void event_unverified(struct stream *s, const struct waiting *t, uint32_t txn, enum unverified why)
{
	static const enum alibi_watch_reason reasons[] = {ALIBI_WATCH_LATE, ALIBI_WATCH_LONG,
	                                                  ALIBI_WATCH_STAMPS, ALIBI_WATCH_STAMPS};
	if (!shard_has(s->options.shard, t->id))
		return;
	struct pool *pool = event_pool(s);
	text_vec text = {0};
	alibi_watch_event e = {.about.txn = text_of(pool, t->id)};
	if (why == UNVERIFIED_LATE)
		say_late(s, t, txn, &e, &text);
	else if (why == UNVERIFIED_LONG)
		text_addf(pool, &text,
		          "%s ran so long that what it read is not kept any more: it started at "
		          "%s, and only what was there from %s on is known; its reads were not "
		          "checked",
		          named(pool, e.about.txn), stamp_text(pool, t->start),
		          stamp_text(pool, s->oldest));
	else if (why == UNVERIFIED_NO_STAMPS)
		text_addf(pool, &text, "%s committed, but has no %s; it was not checked",
		          named(pool, e.about.txn),
		          s->snapshot ? "start_ts and commit_ts" : "commit_ts");
	else
		text_addf(pool, &text, "%s has a start_ts after its commit_ts; it was not checked",
		          named(pool, e.about.txn));
	e.about.text = text_string(pool, &text);
	bool placed = why == UNVERIFIED_LATE || why == UNVERIFIED_LONG;
	event_doubt(s, e, reasons[why],
	            (struct event_mark){.at = placed ? t->commit : (alibi_stamp){0}});
}
