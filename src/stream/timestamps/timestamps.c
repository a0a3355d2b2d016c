/* timestamps: see timestamps.h. */
#include "stream/timestamps/timestamps.h"

#include "history/render.h"
#include "stream/core/batch.h"
#include "stream/core/duplicates.h"
#include "stream/core/gap.h"
#include "stream/timestamps/reads.h"
#include "stream/timestamps/report.h"
#include "stream/timestamps/sessions.h"
#include "stream/timestamps/unknown.h"
#include "stream/timestamps/unrefuted.h"

static void *open_engine(struct stream *s)
{
	struct timestamps *e = pool_zalloc(s->pool, sizeof *e);
	e->s = s;
	e->horizon = first_moment;
	table_init(&e->sessions, s->pool, s->seed);
	table_init(&e->unknown, s->pool, s->seed);
	table_init(&e->unrefuted, s->pool, s->seed);
	return e;
}

/* ---- the queue ---- */

static void enqueue(struct timestamps *e, struct inflight *t)
{
	t->next = NULL;
	*(e->last ? &e->last->next : &e->first) = t;
	e->last = t;
	if (!e->unchecked)
		e->unchecked = t;
	e->s->stats.waiting++;
}

static void drop(struct timestamps *e, struct inflight *t, alibi_stamp horizon)
{
	struct versions *vs = &e->s->versions;
	for (uint32_t op = 0; op < t->op_count; op++) {
		if (t->writes && !op_is_read(&t->ops[op]))
			versions_collapse(vs, versions_key(vs, t->ops[op].key), horizon);
		guard_tick(e->s->guard);
	}
	inflight_release(e->s, t);
}

/* Checks what the watermark has passed, and drops what the horizon has. */
static void check_and_collect(struct timestamps *e)
{
	struct stream *s = e->s;
	for (struct inflight *t; (t = e->unchecked); e->unchecked = t->next) {
		if (t->checks_reads) {
			if (stamp_compare(read_moment(s, t), s->progress.watermark) > 0)
				break;
			reads_check(e, t);
		}
		s->stats.waiting--;
	}
	alibi_stamp horizon = e->unchecked ? e->unchecked->horizon : e->horizon;
	while (s->progress.any && e->first && e->first != e->unchecked &&
	       stamp_compare(e->first->commit, horizon) <= 0) {
		struct inflight *t = e->first;
		e->first = t->next;
		drop(e, t, horizon);
	}
	if (!e->first)
		e->last = NULL;
}

static void move_watermark(struct timestamps *e, alibi_stamp watermark, alibi_stamp horizon)
{
	alibi_stamp *now = &e->s->progress.watermark;
	if (stamp_compare(horizon, watermark) > 0)
		horizon = watermark;
	if (stamp_compare(watermark, *now) > 0)
		*now = watermark;
	if (stamp_compare(horizon, e->horizon) > 0)
		e->horizon = horizon;
}

static void advance(void *engine, alibi_stamp watermark, alibi_stamp horizon)
{
	move_watermark(engine, watermark, horizon);
	check_and_collect(engine);
}

/* The last moment that is more than `distance` before a stamp. */
static alibi_stamp before(alibi_stamp stamp, uint64_t distance)
{
	uint64_t room = (uint64_t)stamp.physical - (uint64_t)INT64_MIN;
	if (distance >= room)
		return first_moment;
	return (alibi_stamp){.physical = (int64_t)((uint64_t)stamp.physical - distance - 1),
	                     .logical = INT64_MAX};
}

/* Both moments follow the newest commit. */
static void follow(struct timestamps *e, const struct inflight *newest)
{
	struct stream *s = e->s;
	const alibi_watch_options *o = &s->options;
	alibi_stamp commit = newest->commit;
	uint64_t all = o->horizon + o->longest;
	if (s->progress.any && stamp_compare(commit, s->progress.newest) <= 0)
		return;
	for (struct inflight *t = e->first; t && !s->progress.any; t = t->next)
		t->commit = commit; /* those before have no timestamps */
	core_newest(s, newest);
	if (o->has_horizon)
		move_watermark(e, before(commit, o->horizon),
		               before(commit, all < o->horizon ? UINT64_MAX : all));
}

/* ---- writes ---- */

static struct committed writer_of(const struct version *v)
{
	return (struct committed){.id = {.word = v->writer, .kind = v->writer_kind},
	                          .at = v->commit};
}

/* Conflicts of a new version with the others. */
static void find_conflicts(struct stream *s, const struct key *k, const struct version *v,
                           uint32_t key)
{
	for (const struct version *o = v; o-- > k->recent;) {
		if (stamp_compare(o->commit, v->start) <= 0 && stamp_compare(o->commit, v->commit))
			break;
		report_pair(s, MISMATCH_NOCONFLICT, writer_of(v), writer_of(o), key);
	}
	for (const struct version *o = v + 1; o < k->recent + k->count; o++)
		if (stamp_compare(v->commit, o->start) > 0)
			report_pair(s, MISMATCH_NOCONFLICT, writer_of(o), writer_of(v), key);
}

static void find_tie(struct stream *s, struct key *k, struct version *v, uint32_t key)
{
	if (v == k->recent || stamp_compare(v[-1].commit, v->commit))
		return;
	v->tied = v[-1].tied = true;
	if (k->state & KEY_IS_LIST)
		versions_list(&s->versions, k)->tied = true;
	report_pair(s, MISMATCH_TIE, writer_of(v), writer_of(v - 1), key);
}

static void add_versions(struct stream *s, const struct inflight *t, bool late)
{
	struct writing w = {
	        .commit = t->commit, .start = t->start, .number = t->number, .writer = t->id};
	for (uint32_t op = 0; op < t->op_count; op++) {
		const struct inflight_op *o = &t->ops[op];
		if (op_is_read(o))
			continue;
		struct key *k = versions_key(&s->versions, o->key);
		uint32_t count = k->count;
		struct version *v =
		        versions_write(&s->versions, k, &w, op_value(o), o->kind == ALIBI_APPEND);
		guard_tick(s->guard);
		if (late || k->count == count)
			continue;
		if (s->snapshot)
			find_conflicts(s, k, v, o->key);
		else
			find_tie(s, k, v, o->key);
	}
}

/* ---- arrival ---- */

/* Lists stay lists. */
static void take_lists(struct timestamps *e)
{
	struct stream *s = e->s;
	const struct builder *b = s->batch.b;
	for (uint32_t i = 0; i < b->ops.count; i++) {
		struct op o = b->ops.items[i];
		uint32_t key = batch_key(s, i);
		enum alibi_kind kind = atoms_kind(b->values, o.value);
		guard_tick(s->guard);
		if (key == ID_NONE)
			continue;
		struct key *k = versions_key(&s->versions, key);
		if (!(k->flags & KEY_LIST))
			continue;
		if (k->flags & (KEY_REGISTER | KEY_INITIAL) ||
		    (!op_writes(o) && kind != ALIBI_LIST && kind != ALIBI_NULL))
			batch_reject(
			        s,
			        text_format(s->pool,
			                    "key %s is a list (it is appended to, or read as one), "
			                    "so it cannot be written, deleted or read as anything "
			                    "else",
			                    event_value_text(s->pool, key_name(k))));
		versions_list(&s->versions, k);
	}
}

static void begin_batch(void *engine)
{
	struct timestamps *e = engine;
	sessions_begin_batch(e);
	e->any_list |= e->s->batch.b->any_list;
	if (e->any_list) {
		batch_look_up(e->s, ID_NONE);
		take_lists(e);
	}
}

static struct stamps stamps_of(const struct stream *s, uint32_t txn)
{
	const struct builder *b = s->batch.b;
	return txn < b->stamps.count ? b->stamps.items[txn] : (struct stamps){0};
}

static bool has_stamps(const struct stream *s, uint32_t txn)
{
	unsigned needed = ALIBI_HAS_COMMIT_TS | (s->snapshot ? ALIBI_HAS_START_TS : 0);
	return (s->batch.b->txns.items[txn].has & needed) == needed;
}

static bool has_valid_stamps(const struct stream *s, uint32_t txn)
{
	struct stamps stamps = stamps_of(s, txn);
	return has_stamps(s, txn) &&
	       !(s->snapshot && stamp_compare(stamps.start, stamps.commit) > 0);
}

static bool is_same(const void *engine, const struct inflight *known, uint32_t txn)
{
	const struct stream *s = ((const struct timestamps *)engine)->s;
	struct stamps stamps = stamps_of(s, txn);
	if (!duplicates_same_ops(s, known, txn))
		return false;
	return known->status != ALIBI_COMMIT ||
	       (known->timestamped == has_valid_stamps(s, txn) &&
	        !(known->timestamped && (stamp_compare(known->start, stamps.start) ||
	                                 stamp_compare(known->commit, stamps.commit))));
}

/* Its writes may have taken effect at any time. */
static void add_unknown(struct timestamps *e, struct inflight *t)
{
	unknown_add(e, t);
	unrefuted_remove(e, t, NULL);
	t->writes = false;
}

static void arrive_committed(struct timestamps *e, struct inflight *t, uint32_t txn)
{
	struct stream *s = e->s;
	struct stamps stamps = stamps_of(s, txn);
	t->timestamped = has_valid_stamps(s, txn);
	if (!t->timestamped) {
		report_unverified(s, t, txn,
		                  has_stamps(s, txn) ? UNVERIFIED_BACKWARDS : UNVERIFIED_NO_STAMPS,
		                  e->horizon);
		add_unknown(e, t);
		return;
	}
	t->start = stamps.start;
	t->commit = stamps.commit;
	bool late = stamp_compare(t->commit, s->progress.watermark) <= 0;
	bool too_long = !late && s->snapshot && stamp_compare(t->start, e->horizon) < 0;
	t->checks_reads = !late && !too_long;
	if (late)
		unrefuted_remove(e, t, &t->commit);
	if (late || too_long)
		report_unverified(s, t, txn, late ? UNVERIFIED_LATE : UNVERIFIED_LONG, e->horizon);
	if (!late)
		sessions_check(e, t, s->batch.b->txns.items[txn].session);
	add_versions(s, t, late);
	follow(e, t);
	gap_follow(s, t->commit);
}

static void arrive(void *engine, struct inflight *t, uint32_t txn)
{
	struct timestamps *e = engine;
	t->horizon = e->horizon;
	t->commit = e->s->progress.newest;
	enqueue(e, t);
	if (t->status == ALIBI_COMMIT)
		arrive_committed(e, t, txn);
	else if (t->status == ALIBI_UNKNOWN_STATUS)
		add_unknown(e, t);
	else
		t->writes = false;
	check_and_collect(e);
}

/* ---- the rest of the engine ---- */

static void gap(void *engine)
{
	unrefuted_clear(engine);
}

static void mark_needed(void *engine, bool needed)
{
	struct timestamps *e = engine;
	for (struct inflight *t = e->first; t; t = t->next)
		for (uint32_t op = 0; op < t->op_count; op++) {
			struct key *k = versions_key(&e->s->versions, t->ops[op].key);
			k->use = (uint8_t)(needed ? k->use | KEY_NEEDED : k->use & ~KEY_NEEDED);
			guard_tick(e->s->guard);
		}
}

static void stats(const void *engine, alibi_watch_stats *n)
{
	const struct timestamps *e = engine;
	n->versions = e->s->versions.count;
	n->sessions = e->sessions.used;
	n->stands = e->unrefuted.used || n->by_session || n->by_int || n->by_noconflict;
}

/* The last `unchecked` transactions of the queue are not checked yet. */
static void codec_queue(struct timestamps *e, struct codec *c)
{
	struct stream *s = e->s;
	uint64_t count = 0, unchecked = s->stats.waiting;
	struct inflight *first_unchecked = NULL, *t = e->first;
	for (struct inflight *i = e->first; i; i = i->next)
		count++;
	codec_any(c, &count);
	codec_any(c, &unchecked);
	if (unchecked > count)
		codec_reject(c);
	for (uint64_t i = 0; i < count; i++) {
		t = inflight_codec(s, c, c->write ? t : NULL);
		if (!c->write) {
			enqueue(e, t);
			if (i + unchecked == count)
				first_unchecked = t;
		}
		t = t->next;
	}
	if (!c->write) {
		e->unchecked = first_unchecked;
		s->stats.waiting = unchecked;
	}
}

static void checkpoint(void *engine, struct codec *c)
{
	struct timestamps *e = engine;
	codec_any(c, &e->horizon);
	codec_any(c, &e->any_list);
	codec_queue(e, c);
	sessions_codec(e, c);
	unknown_codec(e, c);
	unrefuted_codec(e, c);
}

/* The queue rises by arrival, its unchecked end is as long as counted, and the horizon is not
 * ahead of the watermark. */
static bool valid(const void *engine)
{
	const struct timestamps *e = engine;
	uint64_t unchecked = 0, number = 0;
	bool behind = false;
	for (const struct inflight *t = e->first; t; number = t->number, t = t->next) {
		behind |= t == e->unchecked;
		unchecked += behind;
		if (t->number <= number || (!t->next && t != e->last))
			return false;
	}
	return unchecked == e->s->stats.waiting &&
	       stamp_compare(e->horizon, e->s->progress.watermark) <= 0;
}

const struct engine timestamps_engine = {.lists = true,
                                         .open = open_engine,
                                         .begin_batch = begin_batch,
                                         .is_same = is_same,
                                         .arrive = arrive,
                                         .advance = advance,
                                         .gap = gap,
                                         .mark_needed = mark_needed,
                                         .stats = stats,
                                         .checkpoint = checkpoint,
                                         .valid = valid};
