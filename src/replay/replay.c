/* replay: see replay.h. */
#include "replay/replay.h"

#include "base/guard.h"
#include "base/ids.h"
#include "replay/queries.h"

#include <assert.h>
#include <string.h>

/* A mismatch that is about transactions, not about a read. */
static void found_between(struct replayer *r, enum mismatch_kind kind, uint32_t txn, uint32_t other,
                          uint32_t key)
{
	replay_found(r,
	             (struct mismatch){
	                     .kind = kind, .txn = txn, .other = other, .op = ID_NONE, .key = key});
}

/* ---- reads ---- */

static bool named_otherwise(const struct replayer *r, uint32_t op, uint32_t writer)
{
	uint32_t named;
	return r->h->from.count && history_read_from(r->h, op, &named) && named != writer;
}

static void read_register(struct replayer *r, uint32_t txn, uint32_t op)
{
	uint32_t key = op_key(r->h->ops[op]), value = r->h->ops[op].value;
	struct key_state *k = &r->keys[key];
	bool internal = k->seen_by == txn + 1 && (k->own || !r->rules.unrepeatable);
	bool met = internal && k->own && k->met;
	struct mismatch m = {.kind = internal && !met ? MISMATCH_INT : MISMATCH_EXT,
	                     .txn = txn,
	                     .other = internal && k->own ? txn : visible(k, txn).writer,
	                     .op = op,
	                     .key = key,
	                     .expected = internal ? k->seen : visible(k, txn).value};
	m.wrong_writer = m.expected == value && named_otherwise(r, op, m.other);
	if (m.wrong_writer && m.other != txn)
		m.kind = MISMATCH_EXT;
	if (m.expected != value || m.wrong_writer)
		replay_found_read(r, m);
	k->own &= internal;
	k->seen_by = txn + 1;
	k->seen = value;
}

static void enter_list(struct replayer *r, uint32_t txn, uint32_t key)
{
	if (r->keys[key].seen_by == txn + 1)
		return;
	r->keys[key].seen_by = txn + 1;
	r->lists[key].own.count = 0;
	r->lists[key].base_seen = false;
}

static bool same_items(const uint32_t *a, const uint32_t *b, size_t count)
{
	return !count || !memcmp(a, b, count * sizeof *a);
}

static void found_list(struct replayer *r, struct mismatch m, const uint32_t *base, size_t count)
{
	const struct list_state *l = &r->lists[m.key];
	m.there = (struct elements){.items = base, .count = count};
	m.appended = (struct elements){.items = l->own.items, .count = l->own.count};
	replay_found_read(r, m);
}

static void read_list(struct replayer *r, uint32_t txn, uint32_t op)
{
	uint32_t key = op_key(r->h->ops[op]);
	struct list_state *l = &r->lists[key];
	const struct key_state *k = &r->keys[key];
	enter_list(r, txn, key);
	size_t count, own = l->own.count, base_length;
	const uint32_t *items = atoms_items(&r->h->values, r->h->ops[op].value, &count);
	const uint32_t *base = l->items.items;
	size_t known = k->now.writer == txn ? l->replaced_count : l->items.count;
	l->base_seen &= !r->rules.unrepeatable;
	if (l->base_seen) {
		base = atoms_items(&r->h->values, l->base, &base_length);
		known = l->base_count;
	}
	struct mismatch m = {.kind = l->base_seen ? MISMATCH_INT : MISMATCH_EXT,
	                     .txn = txn,
	                     .other = visible(k, txn).writer,
	                     .op = op,
	                     .key = key};
	if (count < own || !same_items(items + (count - own), l->own.items, own)) {
		m.kind = MISMATCH_INT;
		found_list(r, m, base, known);
		return;
	}
	bool same = count - own == known && same_items(items, base, known);
	m.wrong_writer = (same || own) && named_otherwise(r, op, own ? txn : m.other);
	if (m.wrong_writer)
		m.kind = own ? MISMATCH_INT : MISMATCH_EXT;
	if (!same || m.wrong_writer)
		found_list(r, m, base, known);
	l->base_seen = true;
	l->base = r->h->ops[op].value;
	l->base_count = count - own;
}

/* The reads of an unknown transaction do not count; what its opaque updates met does. */
static void read_all(struct replayer *r, uint32_t txn)
{
	const struct history *h = r->h;
	bool binds = h->txns[txn].status == ALIBI_COMMIT;
	if (!binds && !has_opaque(h))
		return;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		uint32_t key = op_key(h->ops[op]);
		guard_tick(r->guard);
		if (is_query(h, op)) {
			if (binds || query_at(h, op)->opaque)
				replay_query(r, txn, query_at(h, op));
		} else if (!op_writes(h->ops[op])) {
			if (binds)
				(h->key_is_list[key] ? read_list : read_register)(r, txn, op);
		} else if (h->key_is_list[key]) {
			enter_list(r, txn, key);
			vec_push(r->pool, &r->lists[key].own, h->ops[op].value);
		} else {
			r->keys[key].seen_by = txn + 1;
			r->keys[key].seen = h->ops[op].value;
			r->keys[key].own = true;
			r->keys[key].met = false;
		}
	}
	replay_keep_changes(r, txn);
}

/* ---- writes ---- */

/* Versions of the key committed after txn started, or in this very instant. */
static void find_conflicts(struct replayer *r, uint32_t txn, uint32_t key)
{
	uint32_t started = r->start[txn] ? r->start[txn] : r->now;
	uint32_t at = r->keys[key].version;
	while (at && !r->stopped) {
		struct version v = r->versions.items[at - 1];
		if (r->commit[v.txn] <= started && r->commit[v.txn] < r->now)
			break;
		found_between(r, MISMATCH_NOCONFLICT, txn, v.txn, key);
		at = v.before;
		guard_tick(r->guard);
	}
}

/* The first write of txn to key: from now on txn is its writer. */
static void take_over(struct replayer *r, uint32_t txn, uint32_t key)
{
	struct key_state *k = &r->keys[key];
	if (r->rules.noconflict) {
		find_conflicts(r, txn, key);
		vec_push(r->pool, &r->versions,
		         ((struct version){.txn = txn, .before = k->version}));
		k->version = (uint32_t)r->versions.count;
	}
	k->replaced = k->now;
	k->now.writer = txn;
	if (r->h->key_is_list[key])
		r->lists[key].replaced_count = r->lists[key].items.count;
}

static void write_one(struct replayer *r, uint32_t txn, struct op o)
{
	guard_tick(r->guard);
	if (!op_writes(o))
		return;
	if (r->keys[op_key(o)].now.writer != txn)
		take_over(r, txn, op_key(o));
	if (r->looked && op_kind(o) == ALIBI_WRITE)
		columns_set(&r->columns, op_key(o), o.value);
	if (op_kind(o) == ALIBI_WRITE)
		r->keys[op_key(o)].now.value = o.value;
	else
		vec_push(r->pool, &r->lists[op_key(o)].items, o.value);
}

/* And what opaque updates made of what they met. */
static void write_all(struct replayer *r, uint32_t txn)
{
	size_t i = r->changes_first ? r->changes_first[txn] : 0;
	for (uint32_t op = r->h->txns[txn].first_op; op < txn_op_end(r->h, txn); op++)
		write_one(r, txn, r->h->ops[op]);
	for (; i && i <= r->changes.count && r->changes.items[i - 1].txn == txn; i++)
		write_one(r, txn, r->changes.items[i - 1].made);
}

/* ---- events ---- */

static void check_session(struct replayer *r, uint32_t txn)
{
	uint32_t before = r->session_before[txn];
	if (before != ID_NONE && !r->commit[before] && !r->rules.no_session)
		found_between(r, MISMATCH_SESSION, txn, before, 0);
}

/* No other transaction that has started began after txn, which commits now, had ended. */
static void check_time(struct replayer *r, uint32_t txn)
{
	uint32_t last = begun_last(r->begun, txn);
	if (r->h->txns[txn].status == ALIBI_COMMIT && last != ID_NONE &&
	    history_ended_before(r->h, txn, last, r->rules.skew))
		found_between(r, MISMATCH_REALTIME, txn, last, 0);
}

static void start(struct replayer *r, uint32_t txn)
{
	if (r->start[txn] || (r->commit[txn] && r->commit[txn] != r->now)) {
		found_between(r, MISMATCH_ORDER, txn, ID_NONE, 0);
		return;
	}
	r->start[txn] = r->now;
	check_session(r, txn);
	if (r->rules.realtime)
		history_note_begin(r->h, txn, r->begun);
	read_all(r, txn);
}

/* The first key from this one on that an opaque update of txn reaches, or ID_NONE. */
static uint32_t next_reached(const struct replayer *r, uint32_t txn, uint32_t key)
{
	size_t keys = r->opaque.first ? atoms_count(&r->h->keys) : 0;
	for (; key < keys; key++) {
		guard_tick(r->guard);
		if (opaque_place(&r->opaque, txn, key) != ID_NONE)
			return key;
	}
	return ID_NONE;
}

static void commit(struct replayer *r, uint32_t txn)
{
	if (r->commit[txn]) {
		found_between(r, MISMATCH_ORDER, txn, ID_NONE, 0);
		return;
	}
	r->commit[txn] = r->now;
	if (r->rules.realtime)
		check_time(r, txn);
	uint32_t reached = r->start[txn] ? ID_NONE : next_reached(r, txn, 0);
	if (reached != ID_NONE) /* what it wrote follows from what it met, and it starts later */
		found_between(r, MISMATCH_TIE, txn, txn, reached);
	write_all(r, txn);
}

static void mark_tie(struct replayer *r, uint32_t txn, uint32_t key)
{
	struct key_state *k = &r->keys[key];
	guard_tick(r->guard);
	if (k->tied_instant == r->now && k->tied_writer != txn)
		found_between(r, MISMATCH_TIE, txn, k->tied_writer, key);
	k->tied_instant = r->now;
	k->tied_writer = txn;
}

/* Who commits what in an instant that transactions share, if there are no
 * snapshots to tell who came first. */
static void mark_ties(struct replayer *r, const replay_event *events, size_t count)
{
	const struct history *h = r->h;
	for (size_t i = 0; i < count; i++) {
		uint32_t txn = event_txn(events[i]);
		if (txn >= h->txn_count)
			continue;
		for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++)
			if (op_writes(h->ops[op]))
				mark_tie(r, txn, op_key(h->ops[op]));
		for (uint32_t key = next_reached(r, txn, 0); key != ID_NONE;
		     key = next_reached(r, txn, key + 1))
			mark_tie(r, txn, key);
	}
}

/* All events of one instant: commits, then starts. */
static void replay_instant(struct replayer *r, const replay_event *events, size_t count)
{
	r->now++;
	if (count > 1 && !r->rules.snapshot)
		mark_ties(r, events, count);
	bool alone = count == 2 &&
	             event_txn(events[0]) == event_txn(events[1]); /* its start can come first */
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < count && !r->stopped; i++) {
			uint32_t txn = event_txn(events[i]);
			bool is_commit = events[i] & 1;
			guard_tick(r->guard);
			if (is_commit == (pass != alone))
				continue;
			if (txn >= r->h->txn_count || r->h->txns[txn].status == ALIBI_ABORT ||
			    (!is_commit && !r->rules.snapshot)) {
				found_between(r, MISMATCH_ORDER, txn, ID_NONE, 0);
				continue;
			}
			if (!is_commit || !r->rules.snapshot)
				start(r, txn);
			if (is_commit)
				commit(r, txn);
		}
	}
}

/* Every committed transaction has its events, in the right order. */
static void check_complete(struct replayer *r)
{
	for (uint32_t t = 0; t < r->h->txn_count && !r->stopped; t++) {
		bool absent = r->h->txns[t].status != ALIBI_COMMIT && !r->start[t] && !r->commit[t];
		bool placed = r->start[t] && r->commit[t] && r->start[t] <= r->commit[t];
		guard_tick(r->guard);
		if (!placed && !absent)
			found_between(r, MISMATCH_ORDER, t, ID_NONE, 0);
	}
}

static void prepare(struct replayer *r)
{
	const struct history *h = r->h;
	size_t keys = atoms_count(&h->keys);
	r->start = pool_zarray(r->pool, (size_t)h->txn_count + 1, sizeof *r->start);
	r->commit = pool_zarray(r->pool, (size_t)h->txn_count + 1, sizeof *r->commit);
	r->session_before = history_session_before(r->pool, h);
	r->keys = pool_zarray(r->pool, keys + 1, sizeof *r->keys);
	for (uint32_t key = 0; key < keys; key++) {
		r->keys[key].now = (struct held){history_initial(h, key), ID_NONE};
		r->keys[key].replaced = r->keys[key].now;
		guard_tick(r->guard);
	}
	if (h->queries) {
		r->looked = pool_zarray(r->pool, keys + 1, sizeof *r->looked);
		updates_init(&r->updates, r->pool, h);
		columns_init(&r->columns, r->pool, h);
		for (uint32_t key = 0; key < keys; key++)
			columns_set(&r->columns, key, r->keys[key].now.value);
		r->changes_first =
		        pool_zarray(r->pool, (size_t)h->txn_count + 1, sizeof *r->changes_first);
	}
	if (h->empty_list != ID_NONE)
		r->lists = pool_zarray(r->pool, keys + 1, sizeof *r->lists);
}

/* Where events share an instant, it matters what opaque updates may have written. */
static void find_reached(struct replayer *r, const replay_event *events, size_t count)
{
	bool tied = false;
	for (size_t i = 0; i < count && has_opaque(r->h) && !tied; i++)
		tied = events[i] & 2;
	if (tied)
		opaque_init(&r->opaque, r->pool, r->h);
	if (tied && !r->opaque.complete)
		found_between(r, MISMATCH_ORDER, r->h->queries->opaque_txn, ID_NONE, 0);
}

bool replay(struct pool *pool, const struct history *h, struct replay_rules rules,
            const replay_event *events, size_t count, replay_report *report, void *data)
{
	struct replayer r = {.pool = pool_child(pool),
	                     .guard = pool_guard(pool),
	                     .h = h,
	                     .rules = rules,
	                     .begun = {ID_NONE, ID_NONE},
	                     .report = report,
	                     .data = data};
	guard_stage(r.guard, "replaying", count);
	prepare(&r);
	find_reached(&r, events, count);
	for (size_t first = 0, end; first < count && !r.stopped; first = end) {
		for (end = first + 1; end < count && events[end] & 2;)
			end++;
		replay_instant(&r, events + first, end - first);
		r.guard->done = end;
	}
	check_complete(&r);
	pool_release(r.pool);
	return !r.stopped;
}
