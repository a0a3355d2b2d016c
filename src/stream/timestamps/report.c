/* report: see report.h. */
#include "stream/timestamps/report.h"

#include "check/by_timestamps.h"
#include "check/describe.h"
#include "history/render.h"
#include "stream/core/batch.h"

enum { SHOWN_ITEMS = 12, SHOWN_KEYS = 8 };

/* ---- violations ---- */

struct two_lists {
	const struct value *a, *b;
	size_t a_count;
};

static alibi_value item_of(const void *data, size_t i)
{
	const struct two_lists *l = data;
	return value_public(i < l->a_count ? &l->a[i] : &l->b[i - l->a_count]);
}

/* The concatenation of two lists; at most the last `most` items. */
static const char *list_text(struct pool *pool, const struct value *a, size_t a_count,
                             const struct value *b, size_t b_count, size_t most)
{
	text_vec t = {0};
	struct two_lists both = {a, b, a_count};
	text_add_list_end(pool, &t, item_of, &both, a_count + b_count, most);
	return text_string(pool, &t);
}

static const char *key_text(struct stream *s, uint32_t key)
{
	return key == ID_NONE
	               ? NULL
	               : event_value_text(event_pool(s), key_name(versions_key(&s->versions, key)));
}

/* Why a mismatch proves nothing, whatever it is; NULL: it does. */
static const char *why_undecided(const struct stream *s, enum mismatch_kind kind)
{
	return kind == MISMATCH_INT || stamps_decide(s->level->rules, s->stamp_meaning)
	               ? NULL
	               : describe_no_serial_order(s->stamp_meaning);
}

bool report_misread(struct stream *s, const struct misread *m)
{
	const char *undecided = m->undecided ? m->undecided : why_undecided(s, m->kind);
	struct pool *pool = event_pool(s);
	const struct inflight_op *o = &m->t->ops[m->op];
	bool list = versions_key(&s->versions, o->key)->state & KEY_IS_LIST;
	bool violation = !undecided && m->kind != MISMATCH_TIE;
	const char *other = m->other.kind == ALIBI_NULL ? NULL : event_value_text(pool, m->other);
	size_t count;
	const struct value *items = value_items(op_value(o), &count);
	alibi_watch_event e = {.what = violation ? ALIBI_WATCH_VIOLATION : ALIBI_WATCH_UNDECIDED};
	e.about.kind = mismatch_name(m->kind);
	e.about.txn = event_value_text(pool, m->t->id);
	e.about.other = m->other_is_self || m->kind == MISMATCH_INT ? NULL : other;
	e.about.key = key_text(s, o->key);
	struct said said = {.kind = m->kind,
	                    .snapshot = s->snapshot,
	                    .wrong_writer = m->wrong_writer,
	                    .txn = event_txn_text(pool, e.about.txn),
	                    .other = other ? event_txn_text(pool, other) : NULL,
	                    .key = e.about.key,
	                    .more = undecided ? undecided : ""};
	if (list) {
		e.about.expected = list_text(pool, m->base, m->base_count, m->appended,
		                             m->appended_count, SIZE_MAX);
		said.expected = list_text(pool, m->base, m->base_count, m->appended,
		                          m->appended_count, SHOWN_ITEMS);
		e.about.found = list_text(pool, items, count, NULL, 0, SIZE_MAX);
		said.found = list_text(pool, items, count, NULL, 0, SHOWN_ITEMS);
	} else {
		e.about.expected = said.expected = event_value_text(pool, m->expected);
		e.about.found = said.found = event_value_text(pool, op_value(o));
	}
	e.about.text = describe_say(pool, &said);
	event_add(s, e, m->kind,
	          (struct event_mark){.op = (m->t->has_places ? op_places(m->t)[m->op] : m->op) + 1,
	                              .at = m->t->commit});
	return violation;
}

void report_pair(struct stream *s, enum mismatch_kind kind, struct committed later,
                 struct committed earlier, uint32_t key)
{
	struct pool *pool = event_pool(s);
	const char *undecided = kind == MISMATCH_TIE ? "" : why_undecided(s, kind);
	alibi_watch_event e = {.what = undecided ? ALIBI_WATCH_UNDECIDED : ALIBI_WATCH_VIOLATION};
	e.about.kind = mismatch_name(kind);
	e.about.txn = event_value_text(pool, later.id);
	e.about.other = event_value_text(pool, earlier.id);
	e.about.key = key_text(s, key);
	struct said said = {.kind = kind,
	                    .snapshot = s->snapshot,
	                    .txn = event_txn_text(pool, e.about.txn),
	                    .other = event_txn_text(pool, e.about.other),
	                    .key = e.about.key};
	e.about.text =
	        text_format(pool, "%s%s", describe_say(pool, &said), undecided ? undecided : "");
	event_add(s, e, kind, (struct event_mark){.at = later.at, .other_at = earlier.at});
}

/* ---- what is not checked ---- */

/* The keys that a transaction of the batch writes: all as JSON, or the first ones in words. */
static const char *written_keys(struct stream *s, uint32_t txn, bool json)
{
	const struct builder *b = s->batch.b;
	struct pool *pool = event_pool(s);
	text_vec text = {0};
	size_t count = 0;
	for (uint32_t op = b->txns.items[txn].first_op; op < batch_op_end(s, txn); op++) {
		if (!op_writes(b->ops.items[op]))
			continue;
		if (json || count < SHOWN_KEYS)
			text_addf(
			        pool, &text, "%s%s",
			        !count ? ""
			        : json ? ","
			               : ", ",
			        render_value(pool, atoms_value(b->keys, op_key(b->ops.items[op]))));
		else if (count == SHOWN_KEYS)
			text_addf(pool, &text, " and others");
		count++;
	}
	return text_format(pool, json ? "[%s]" : "%s", text_string(pool, &text));
}

static const char *late_text(struct stream *s, const struct inflight *t, uint32_t txn,
                             alibi_watch_event *e)
{
	struct pool *pool = event_pool(s);
	const char *since = "";
	e->from = event_stamp_text(pool, t->commit);
	e->until = event_stamp_text(pool, s->progress.watermark);
	e->keys = written_keys(s, txn, true);
	if (t->writes)
		since = text_format(pool,
		                    "; what was read since then of key %s is not verified, and a "
		                    "violation reported there may be none",
		                    written_keys(s, txn, false));
	return text_format(pool,
	                   "came too late and was not checked: it committed at %s, and all up to "
	                   "%s had been checked%s%s",
	                   e->from, e->until, since, event_who_moved(s, t, "commit_ts"));
}

void report_unverified(struct stream *s, const struct inflight *t, uint32_t txn,
                       enum unverified why, alibi_stamp horizon)
{
	static const enum alibi_watch_reason reasons[] = {ALIBI_WATCH_LATE, ALIBI_WATCH_LONG,
	                                                  ALIBI_WATCH_STAMPS, ALIBI_WATCH_STAMPS};
	if (!shard_has(s->versions.keys.shard, t->id))
		return;
	struct pool *pool = event_pool(s);
	const char *text = "has a start_ts after its commit_ts; it was not checked";
	alibi_watch_event e = {0};
	if (why == UNVERIFIED_LATE)
		text = late_text(s, t, txn, &e);
	else if (why == UNVERIFIED_LONG)
		text = text_format(pool,
		                   "ran so long that the versions it read are gone: it started at "
		                   "%s, and versions are known from %s on; its reads were not "
		                   "checked",
		                   event_stamp_text(pool, t->start),
		                   event_stamp_text(pool, horizon));
	else if (why == UNVERIFIED_NO_STAMPS)
		text = text_format(pool, "committed, but has no %s; it was not checked",
		                   s->snapshot ? "start_ts and commit_ts" : "commit_ts");
	bool timed = why == UNVERIFIED_LATE || why == UNVERIFIED_LONG;
	event_unverified_txn(s, e, t, reasons[why], timed ? t->commit : (alibi_stamp){0}, text);
}
