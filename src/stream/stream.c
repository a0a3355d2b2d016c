/* stream: see stream.h. */
#include "stream/stream.h"

#include "format/format.h"
#include "stream/fences.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

enum { SESSIONS_AT_LEAST = 1024, LOOKED_UP_TOGETHER = 32 /* transactions */ };

struct value stream_option(struct stream *s, const char *option, const char *json)
{
	struct pool *pool = pool_child(s->pool);
	struct builder *b = builder_new(pool);
	struct value v = value_take(&s->store, b->values, format_value(b, option, json));
	pool_release(pool);
	return v;
}

struct stream *stream_new(struct pool *pool, const struct stream_options *options)
{
	struct stream *s = pool_zalloc(pool, sizeof *s);
	s->pool = pool;
	s->guard = pool_guard(pool);
	s->options = *options;
	s->snapshot = options->level->rules.snapshot;
	store_init(&s->store, pool);
	table_init(&s->ids, pool);
	table_init(&s->sessions, pool);
	table_init(&s->unknown, pool);
	table_init(&s->standing, pool);
	if (getentropy(&s->seed, sizeof s->seed))
		s->seed = monotonic_ns();
	versions_init(&s->versions, &s->store, options->shard, s->seed);
	s->newest = s->settled = s->oldest =
	        (alibi_stamp){.physical = INT64_MIN, .logical = INT64_MIN};
	if (options->initial) /* what the user says counts, whatever the stream does */
		s->versions.initial = stream_option(s, "--initial", options->initial);
	if (options->store)
		spill_open(s, options->shard.number);
	if (options->client_times)
		s->rounds = rounds_new(s);
	if (options->fence)
		s->fences = fences_new(s->rounds);
	return s;
}

uint64_t stream_numbers(const struct stream *s)
{
	return s->numbers;
}

/* ---- the queue ---- */

bool waiting_has_id(const void *item, const void *wanted)
{
	return value_same(((const struct waiting *)item)->id, *(const struct value *)wanted);
}

static void forget(struct stream *s, struct waiting *t, alibi_stamp base)
{
	for (uint32_t op = 0; op < t->op_count; op++) {
		if (t->writes && t->ops[op].kind != ALIBI_READ)
			versions_collapse(&s->versions, versions_key(&s->versions, t->ops[op].key),
			                  base);
		guard_tick(s->guard);
	}
	stream_release(s, t);
}

void stream_release(struct stream *s, struct waiting *t)
{
	for (uint32_t op = 0; op < t->op_count; op++, guard_tick(s->guard))
		value_drop(&s->store, op_value(&t->ops[op]));
	for (uint32_t i = 0; i < t->named_count; i++)
		value_drop(&s->store, named_writers(t)[i].id);
	if (t->has_id)
		table_remove(&s->ids, value_hash(t->id, s->seed), t);
	value_drop(&s->store, t->id);
	store_give(&s->store, t, waiting_bytes(t));
}

/* Judges and forgets what is ready for it. */
static void go_on(struct stream *s)
{
	while (s->unjudged) {
		struct waiting *t = s->unjudged;
		if (t->reads && stamp_compare(s->snapshot ? t->start : t->commit, s->settled) > 0)
			break;
		if (t->reads)
			judge_reads(s, t);
		s->unjudged = t->next;
		s->stats.waiting--;
	}
	alibi_stamp base = s->unjudged ? s->unjudged->oldest : s->oldest;
	while (s->any_stamp && s->first != s->unjudged &&
	       stamp_compare(s->first->commit, base) <= 0) {
		struct waiting *t = s->first;
		s->first = t->next;
		forget(s, t, base);
	}
	if (!s->first)
		s->last = NULL;
}

void stream_enqueue(struct stream *s, struct waiting *t)
{
	if (t->has_id)
		table_add(&s->ids, value_hash(t->id, s->seed), t);
	t->next = NULL;
	if (s->last)
		s->last->next = t;
	else
		s->first = t;
	s->last = t;
	if (!s->unjudged)
		s->unjudged = t;
	s->stats.waiting++;
}

static void move_on(struct stream *s, alibi_stamp settled, alibi_stamp oldest)
{
	if (stamp_compare(oldest, settled) > 0)
		oldest = settled;
	if (stamp_compare(settled, s->settled) > 0)
		s->settled = settled;
	if (stamp_compare(oldest, s->oldest) > 0)
		s->oldest = oldest;
}

void stream_advance(struct stream *s, alibi_stamp settled, alibi_stamp oldest)
{
	bool over = oldest.physical == INT64_MAX;
	if (s->fences && over)
		fences_finish(s->fences);
	if (s->rounds) {
		if (!s->fences || over)
			rounds_advance(s->rounds, oldest.physical);
		return;
	}
	move_on(s, settled, oldest);
	go_on(s);
}

/* The last moment that is more than `distance` before a stamp. */
static alibi_stamp before(alibi_stamp stamp, uint64_t distance)
{
	uint64_t room = (uint64_t)stamp.physical - (uint64_t)INT64_MIN;
	if (distance >= room)
		return (alibi_stamp){.physical = INT64_MIN, .logical = INT64_MIN};
	return (alibi_stamp){.physical = (int64_t)((uint64_t)stamp.physical - distance - 1),
	                     .logical = INT64_MAX};
}

void stream_newest(struct stream *s, const struct waiting *t)
{
	value_drop(&s->store, s->newest_txn);
	s->newest_txn = value_copy(&s->store, t->id);
	s->newest_before = s->any_stamp ? s->newest : t->commit;
	s->any_stamp = true;
	s->newest = t->commit;
}

static void follow(struct stream *s, const struct waiting *placed)
{
	const struct stream_options *o = &s->options;
	alibi_stamp commit = placed->commit;
	uint64_t all = o->horizon + o->longest;
	if (s->any_stamp && stamp_compare(commit, s->newest) <= 0)
		return;
	for (struct waiting *t = s->first; t && !s->any_stamp; t = t->next)
		t->commit = commit; /* those before have no place in time */
	stream_newest(s, placed);
	if (o->has_horizon)
		move_on(s, before(commit, o->horizon),
		        before(commit, all < o->horizon ? UINT64_MAX : all));
}

/* ---- sessions ---- */

static bool same_name(const void *item, const void *wanted)
{
	return value_same(((const struct session *)item)->name, *(const struct value *)wanted);
}

static struct session *session_of(struct stream *s, uint32_t number)
{
	struct session **known = &s->batch_sessions.items[number];
	uint32_t name_atom = s->b->session_name.items[number];
	if (*known || name_atom == ATOM_NONE)
		return *known;
	struct value name = value_take(&s->store, s->b->names, name_atom);
	uint64_t hash = value_hash(name, s->seed);
	*known = table_find(&s->sessions, hash, same_name, &name);
	if (*known) {
		value_drop(&s->store, name);
		return *known;
	}
	*known = store_take(&s->store, sizeof **known);
	**known = (struct session){.name = name, .mine = shard_has(s->options.shard, name)};
	table_add(&s->sessions, hash, *known);
	return *known;
}

/* Whoever is not late comes after this session's last one. */
static bool session_is_over(void *data, void *item)
{
	struct stream *s = data;
	struct session *session = item;
	if (session->any && stamp_compare(session->commit, s->oldest) > 0)
		return false;
	value_drop(&s->store, session->name);
	value_drop(&s->store, session->txn);
	store_give(&s->store, session, sizeof *session);
	return true;
}

static void check_session(struct stream *s, struct waiting *t, struct session *session)
{
	if (!session)
		return;
	if (session->any && session->mine && s->options.session_order &&
	    stamp_compare(session->commit, s->snapshot ? t->start : t->commit) > 0)
		event_session(s, (struct committed){t->id, t->commit},
		              (struct committed){session->txn, session->commit});
	if (session->any && !s->snapshot && !stamp_compare(session->commit, t->commit))
		session->last->goes_on = true; /* it is not late, so that one is still there */
	value_drop(&s->store, session->txn);
	session->txn = value_copy(&s->store, t->id);
	session->commit = t->commit;
	session->last = t;
	session->any = true;
}

/* ---- writes ---- */

static struct committed writer_of(const struct version *v)
{
	return (struct committed){.id = {.word = v->writer, .kind = v->writer_kind},
	                          .at = v->commit};
}

/* Of a version that has just come, with the others. */
static void find_conflicts(struct stream *s, const struct key *k, const struct version *v,
                           uint32_t key)
{
	for (const struct version *o = v; o-- > k->recent;) {
		if (stamp_compare(o->commit, v->start) <= 0 && stamp_compare(o->commit, v->commit))
			break;
		event_conflict(s, writer_of(v), writer_of(o), key);
	}
	for (const struct version *o = v + 1; o < k->recent + k->count; o++)
		if (stamp_compare(v->commit, o->start) > 0)
			event_conflict(s, writer_of(o), writer_of(v), key);
}

static void find_tie(struct stream *s, struct key *k, struct version *v, uint32_t key)
{
	if (v == k->recent || stamp_compare(v[-1].commit, v->commit))
		return;
	v->tied = v[-1].tied = true;
	if (k->state & HELD_LIST)
		versions_list(&s->versions, k)->tied = true;
	event_tie(s, writer_of(v), writer_of(v - 1), key);
}

static void write_all(struct stream *s, const struct waiting *t, bool late)
{
	struct writing w = {
	        .commit = t->commit, .start = t->start, .number = t->number, .writer = t->id};
	for (uint32_t op = 0; op < t->op_count; op++) {
		const struct waiting_op *o = &t->ops[op];
		if (o->kind == ALIBI_READ)
			continue;
		struct key *k = versions_key(&s->versions, o->key);
		uint32_t before_it = k->count;
		struct version *v =
		        versions_write(&s->versions, k, &w, op_value(o), o->kind == ALIBI_APPEND);
		guard_tick(s->guard);
		if (late || k->count == before_it)
			continue;
		if (s->snapshot)
			find_conflicts(s, k, v, o->key);
		else
			find_tie(s, k, v, o->key);
	}
}

/* ---- arrival ---- */

/* The operations of this shard. from: the first named writer that may be the
 * transaction's own. */
static void take_ops(struct stream *s, struct waiting *t, uint32_t first, uint32_t end, size_t from)
{
	const struct builder *b = s->b;
	struct named_writer *named = named_writers(t);
	uint32_t *places = op_places(t), count = 0;
	for (uint32_t i = first; i < end; i++) {
		struct op o = b->ops.items[i];
		uint32_t key = batch_key(s, i);
		bool is_named = from < b->from.count && b->from.items[from].op == i;
		uint32_t writer = is_named ? b->from.items[from++].id : ATOM_NONE;
		t->writes |= op_writes(o);
		if (key == NO_KEY)
			continue;
		struct value v = value_take(&s->store, b->values, o.value);
		t->ops[count] = (struct waiting_op){.word = v.word,
		                                    .key = key,
		                                    .value_kind = v.kind,
		                                    .kind = (uint8_t)op_kind(o),
		                                    .named = is_named};
		if (is_named)
			*named++ = (struct named_writer){
			        .op = count,
			        .id = writer == ATOM_NONE
			                      ? (struct value){0}
			                      : value_take(&s->store, b->names, writer)};
		if (t->has_places)
			places[count] = i - first;
		count++;
	}
}

/* The transaction out of the batch. */
static struct waiting *take_txn(struct stream *s, uint32_t txn, struct value id, size_t from)
{
	const struct builder *b = s->b;
	uint32_t first = b->txns.items[txn].first_op, end = batch_op_end(s, txn);
	struct waiting like = {.number = s->stats.txns,
	                       .id = id,
	                       .status = b->txns.items[txn].status,
	                       .oldest = s->oldest,
	                       .commit = s->newest,
	                       .op_count = end - first};
	for (uint32_t i = first; i < end && s->options.shard.count > 1; i++)
		like.op_count -= batch_key(s, i) == NO_KEY;
	like.has_places = like.op_count != end - first;
	for (size_t i = from; i < b->from.count && b->from.items[i].op < end; i++)
		like.named_count += batch_key(s, b->from.items[i].op) != NO_KEY;
	struct waiting *t = store_take(&s->store, waiting_bytes(&like));
	*t = like;
	take_ops(s, t, first, end, from);
	return t;
}

struct stamps stream_stamps(const struct stream *s, uint32_t txn)
{
	return txn < s->b->stamps.count ? s->b->stamps.items[txn] : (struct stamps){0};
}

static bool has_stamps(const struct stream *s, uint32_t txn)
{
	unsigned needed = ALIBI_HAS_COMMIT_TS | (s->snapshot ? ALIBI_HAS_START_TS : 0);
	return (s->b->txns.items[txn].has & needed) == needed;
}

bool stream_has_place(const struct stream *s, uint32_t txn)
{
	struct stamps stamps = stream_stamps(s, txn);
	return has_stamps(s, txn) &&
	       !(s->snapshot && stamp_compare(stamps.start, stamps.commit) > 0);
}

/* A committed one: what is wrong with it at once. False: it has no place in time. */
static bool place(struct stream *s, struct waiting *t, uint32_t number)
{
	const struct txn *txn = &s->b->txns.items[number];
	struct stamps stamps = stream_stamps(s, number);
	t->placed = stream_has_place(s, number);
	if (!t->placed) {
		event_unverified(s, t, number,
		                 has_stamps(s, number) ? UNVERIFIED_BACKWARDS
		                                       : UNVERIFIED_NO_STAMPS);
		unknown_note(s, t);
		standing_doubt(s, t, NULL);
		t->writes = false;
		return false;
	}
	t->start = stamps.start;
	t->commit = stamps.commit;
	bool late = stamp_compare(t->commit, s->settled) <= 0;
	bool too_long = !late && s->snapshot && stamp_compare(t->start, s->oldest) < 0;
	t->reads = !late && !too_long;
	if (late)
		standing_doubt(s, t, &t->commit);
	if (late || too_long)
		event_unverified(s, t, number, late ? UNVERIFIED_LATE : UNVERIFIED_LONG);
	if (!late)
		check_session(s, t, session_of(s, txn->session));
	write_all(s, t, late);
	return true;
}

static void arrive(struct stream *s, uint32_t number, size_t *from)
{
	const struct builder *b = s->b;
	const struct txn *txn = &b->txns.items[number];
	uint32_t id_atom = number < b->txn_id.count ? b->txn_id.items[number] : ATOM_NONE;
	bool has_id = id_atom != ATOM_NONE;
	struct value id = has_id ? value_take(&s->store, b->names, id_atom)
	                         : value_integer((int64_t)(s->numbers + txn->number));
	while (*from < b->from.count && b->from.items[*from].op < txn->first_op)
		++*from;
	if (came_before(s, id, has_id, number)) {
		s->stats.duplicates++;
		value_drop(&s->store, id);
		return;
	}
	s->stats.txns++;
	s->stats.committed += txn->status == ALIBI_COMMIT;
	s->stats.aborted += txn->status == ALIBI_ABORT;
	s->stats.unknown += txn->status == ALIBI_UNKNOWN_STATUS;
	s->stats.ops += batch_op_end(s, number) - txn->first_op;
	struct waiting *t = take_txn(s, number, id, *from);
	t->has_id = has_id;
	if (s->fences) {
		fences_arrive(s->fences, t, txn);
		return;
	}
	if (s->rounds) {
		static const struct client_times no_times = {0};
		rounds_arrive(s->rounds, t, txn,
		              number < b->times.count ? &b->times.items[number] : &no_times);
		return;
	}
	stream_enqueue(s, t);
	if (txn->status == ALIBI_UNKNOWN_STATUS) {
		unknown_note(s, t);
		standing_doubt(s, t, NULL);
	}
	if (txn->status != ALIBI_COMMIT)
		t->writes = false;
	if (txn->status == ALIBI_COMMIT && place(s, t, number)) {
		follow(s, t);
		gap_came(s, t->commit);
	}
	go_on(s);
}

/* ---- batches ---- */

static void take_sessions(struct stream *s)
{
	if (s->sessions.used > 2 * s->sessions_kept + SESSIONS_AT_LEAST) {
		table_filter(&s->sessions, session_is_over, s);
		s->sessions_kept = s->sessions.used;
	}
	s->batch_sessions.count = 0;
	while (s->batch_sessions.count < s->b->session_name.count)
		vec_push(s->pool, &s->batch_sessions, NULL);
}

void stream_take(struct stream *s, const struct builder *batch, uint32_t numbers)
{
	size_t from = 0;
	batch_begin(s, batch);
	if (s->rounds && !s->fences)
		rounds_take_skew(s->rounds);
	take_sessions(s);
	for (uint32_t t = 0; t < batch->txns.count; t++) {
		if (t % LOOKED_UP_TOGETHER == 0)
			batch_look_up(s, t + LOOKED_UP_TOGETHER - 1);
		arrive(s, t, &from);
	}
	s->numbers += numbers;
	s->b = NULL;
}

alibi_watch_stats stream_stats(const struct stream *s)
{
	alibi_watch_stats stats = s->stats;
	stats.keys = s->versions.keys.count - s->versions.keys.free_count + s->spill.count;
	stats.versions = s->versions.kept;
	stats.sessions = s->sessions.used;
	stats.any_stamp = s->any_stamp;
	stats.newest = s->newest;
	stats.settled = s->settled;
	stats.stands = standing_any(s);
	if (s->rounds)
		rounds_stats(s->rounds, &stats);
	if (s->fences)
		fences_stats(s->fences, &stats);
	return stats;
}
