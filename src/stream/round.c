/*
 * round: one round of rounds.h: the window as a history, its verdict, and who goes.
 *
 * Transaction i of the history is transaction i of the window. Behind them stand those
 * whom reads name as their writers, and who cannot be that: they are gone and were
 * overwritten, or nobody ever saw them. They are aborted, so that such a read has no
 * explanation.
 */
#include "check/check.h"
#include "check/coverage.h"
#include "explain/explain.h"
#include "explain/subset.h"
#include "history/render.h"
#include "stream/fences.h"
#include "stream/frozen.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FEW_TXNS = 4 };

/* A read that names a writer who cannot be that. */
struct stranger {
	uint32_t name; /* the writer's */
	struct op read;
};

struct round {
	struct rounds *r;
	struct stream *s;
	struct pool *pool;
	struct builder *b;
	uint32_t *number_of; /* by key of the stream: its key here + 1 */
	VEC(uint32_t) keys;  /* and back */
	VEC(struct use) pending;
	VEC(struct stranger) strangers;
	bool *frozen;    /* by transaction */
	uint32_t judged; /* committed ones */
	int64_t *ended;  /* by key of the stream: when the last writer did who goes, … */
	bool *written;   /* … if there is one */
};

/* Remnants come before everything else, and those of one lane after each other: that binds
 * nobody, because groups do not depend on each other, and needs few chains. With fences these
 * are all the times there are: what else the fences say stands in the history. */
static const struct client_times before_all = {INT64_MIN, INT64_MIN};
static const struct client_times any_time = {0, INT64_MAX};

static bool by_time(const struct rounds *r)
{
	return !r->s->fences || r->remnants;
}

/* ---- the window as a history ---- */

static uint32_t atom_of(struct atoms *atoms, struct value v)
{
	return atoms_add(atoms, value_public(&v));
}

/* Keys get their numbers, and what they hold, when they are first used. */
static uint32_t key_of(struct round *x, uint32_t key)
{
	if (x->number_of[key])
		return x->number_of[key] - 1;
	const struct key *k = versions_key(&x->s->versions, key);
	uint32_t number = atom_of(x->b->keys, key_name(k));
	assert(number == x->keys.count);
	vec_push(x->pool, &x->keys, key);
	x->number_of[key] = number + 1;
	builder_mention(x->b, number);
	if (k->state & (HELD_WRITTEN | HELD_INITIAL))
		builder_initial(x->b, number,
		                atom_of(x->b->values, versions_held(&x->s->versions, k, 0).value));
	return number;
}

static const struct waiting *with_id(const struct stream *s, struct value id)
{
	return table_find(&s->ids, value_hash(id, s->seed), waiting_has_id, &id);
}

/* What a torn one wrote to a key has a name of its own. */
static struct value part_id(struct round *x, struct value id, uint32_t key)
{
	text_vec t = {0};
	struct value name = key_name(versions_key(&x->s->versions, key));
	text_add_value(x->pool, &t, value_public(&id));
	text_addf(x->pool, &t, " (what it wrote to ");
	text_add_value(x->pool, &t, value_public(&name));
	text_addf(x->pool, &t, ")");
	return value_string(&x->s->store, t.items, t.count);
}

/* Nobody who is left can be the named writer of what was read. */
static uint32_t stranger_called(struct round *x, struct value id)
{
	text_vec t = {0};
	text_addf(x->pool, &t, "%s", id.kind == ALIBI_NULL ? "the initial version" : "");
	if (id.kind != ALIBI_NULL)
		text_add_value(x->pool, &t, value_public(&id));
	text_addf(x->pool, &t, " (overwritten long before, or never seen)");
	return atoms_string(x->b->names, t.items, t.count);
}

/* The read just added names its writer, who may be gone, or torn. */
static void name_writer(struct round *x, const struct waiting_op *o, struct value id)
{
	const struct key *k = versions_key(&x->s->versions, o->key);
	struct value last = versions_held(&x->s->versions, k, 0).writer;
	struct value part = id.kind == ALIBI_NULL ? id : part_id(x, id, o->key);
	if (value_same(last, id) || value_same(last, part)) {
		builder_from(x->b, ATOM_NONE);
	} else if (with_id(x->s, part)) {
		builder_from(x->b, atom_of(x->b->names, part));
	} else if (with_id(x->s, id)) {
		builder_from(x->b, atom_of(x->b->names, id));
	} else {
		struct stranger s = {stranger_called(x, id), x->b->ops.items[x->b->ops.count - 1]};
		vec_push(x->pool, &x->strangers, s);
		builder_from(x->b, s.name);
	}
	value_drop(&x->s->store, part.kind == ALIBI_NULL ? (struct value){0} : part);
}

/* Aborted, each with what others say it wrote. */
static void add_strangers(struct round *x)
{
	for (size_t i = 0; i < x->strangers.count; i++) {
		uint32_t name = x->strangers.items[i].name;
		if (name == ATOM_NONE)
			continue;
		for (size_t j = i; j < x->strangers.count; j++) {
			struct stranger *s = &x->strangers.items[j];
			if (s->name != name)
				continue;
			builder_op(x->b, ALIBI_WRITE, op_key(s->read), s->read.value);
			s->name = ATOM_NONE;
		}
		builder_end(x->b, &(struct txn_head){.session = ATOM_NONE,
		                                     .id = name,
		                                     .number = (uint32_t)x->b->txns.count + 1,
		                                     .status = ALIBI_ABORT});
	}
}

static void add_read(struct round *x, const struct kept *k, uint32_t i, size_t *named)
{
	const struct waiting_op *o = &k->t->ops[i];
	builder_op(x->b, ALIBI_READ, key_of(x, o->key), atom_of(x->b->values, op_value(o)));
	while (*named < k->t->named_count && named_writers(k->t)[*named].op < i)
		++*named;
	if (o->named)
		name_writer(x, o, named_writers(k->t)[*named].id);
}

/* No user's session is called by a row. */
static uint32_t session_of(struct round *x, const struct kept *k)
{
	char lane[32];
	if (k->remnant) {
		int length = snprintf(lane, sizeof lane, "{\"remnant\":%" PRIu32 "}", k->lane);
		return atoms_row(x->b->names, lane, (size_t)length);
	}
	return k->session.kind == ALIBI_NULL ? ATOM_NONE : atom_of(x->b->names, k->session);
}

static void add_txn(struct round *x, uint32_t txn)
{
	const struct kept *k = &x->r->window.items[txn];
	const struct waiting *t = k->t;
	bool reads = k->status == ALIBI_COMMIT && !k->unread;
	size_t named = 0;
	for (uint32_t i = 0; i < t->op_count; i++) {
		const struct waiting_op *o = &t->ops[i];
		bool read = o->kind == ALIBI_READ, used = reads && !o->unread;
		guard_tick(x->s->guard);
		if (read && used && !x->frozen[txn])
			vec_push(x->pool, &x->pending, ((struct use){txn, key_of(x, o->key)}));
		else if (read && used)
			add_read(x, k, i, &named);
		else if (!read)
			builder_op(x->b, (enum alibi_op_kind)o->kind, key_of(x, o->key),
			           atom_of(x->b->values, op_value(o)));
	}
	struct txn_head head = {.session = session_of(x, k),
	                        .id = atom_of(x->b->names, t->id),
	                        .number = txn + 1,
	                        .status = k->status,
	                        .has = by_time(x->r) ? k->has : 0,
	                        .times = {t->start.physical, t->commit.physical}};
	if (x->s->fences)
		head.times = any_time;
	if (k->remnant)
		head.times = before_all;
	builder_end(x->b, &head);
}

static struct history *build(struct round *x)
{
	struct rounds *r = x->r;
	size_t count = r->window.count;
	x->b = builder_new(x->pool);
	x->number_of =
	        pool_zarray(x->pool, (size_t)x->s->versions.keys.count + 1, sizeof(uint32_t));
	x->frozen = pool_zarray(x->pool, count + 1, sizeof *x->frozen);
	x->b->h->only_past = x->s->fences != NULL;
	x->b->h->initial_default = atom_of(x->b->values, x->s->versions.initial);
	for (size_t i = 0; i < count; i++) {
		x->frozen[i] = rounds_is_frozen(r, &r->window.items[i]);
		x->judged += x->frozen[i] && r->window.items[i].status == ALIBI_COMMIT;
	}
	for (uint32_t i = 0; i < count; i++)
		add_txn(x, i);
	add_strangers(x);
	return builder_finish(x->b);
}

/* ---- violations ---- */

/* The transaction of the window that one of a counterexample is; NULL: a remnant, or a
 * writer that was only named. */
static struct kept *kept_of(const struct round *x, const struct history *h, uint32_t txn)
{
	uint32_t i = h->txns[txn].number - 1;
	return i >= x->r->remnants && i < x->r->window.count ? &x->r->window.items[i] : NULL;
}

static bool has_reads(const struct history *h, uint32_t txn)
{
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++)
		if (!op_writes(h->ops[op]))
			return true;
	return false;
}

/* What the transactions of a counterexample read is not used any more. If clocks and sessions
 * alone contradict each other, one of the transactions has to go. */
static void set_aside(const struct round *x, const struct history *h, const struct check_options *o)
{
	const alibi_result *bare = check(x->pool, subset_order_only(x->pool, h), o);
	bool any = false;
	for (uint32_t txn = 0; txn < h->txn_count && bare->verdict == ALIBI_VALID; txn++) {
		struct kept *k = has_reads(h, txn) ? kept_of(x, h, txn) : NULL;
		any |= k && !k->unread;
		if (k)
			k->unread = true;
	}
	for (uint32_t txn = h->txn_count; !any && txn-- > 0;) {
		struct kept *k = kept_of(x, h, txn);
		any = k && k->status == ALIBI_COMMIT;
		if (any) {
			k->status = ALIBI_UNKNOWN_STATUS;
			k->has = 0;
		}
	}
}

/* Few transactions have a name for what they do, and words; more have a list. */
static void tell(const struct round *x, const struct history *h, const struct check_options *o,
                 const alibi_result *result)
{
	const struct history *least = explain_minimal_part(x->pool, h, result, o);
	const alibi_result *again = check(x->pool, least, o);
	assert(again->verdict == ALIBI_VIOLATES && again->described);
	text_vec text = {0};
	if (least->txn_count <= FEW_TXNS) {
		alibi_explanation *e = explain_new(x->pool);
		explain(x->pool, least, o, again, e);
		const alibi_anomaly *a = &e->anomalies[0];
		bool gone =
		        x->r->gone && !strcmp(a->name, "garbage-read"); /* so may its writer be */
		text_addf(x->pool, &text, "%s%s: %s%s", gone ? "Stale read, or " : "", a->title,
		          a->summary, gone ? ", or which others had overwritten long before" : "");
	} else {
		text_addf(x->pool, &text, "%s", again->violations[0].text);
	}
	rounds_violation(x->r, least, text_string(x->pool, &text));
	set_aside(x, least, o);
}

/* ---- who goes ---- */

static void leave_behind(struct round *x, uint32_t key, const struct waiting *t)
{
	struct value value = {0};
	for (uint32_t i = 0; i < t->op_count; i++)
		if (t->ops[i].kind != ALIBI_READ && t->ops[i].key == key)
			value = op_value(&t->ops[i]);
	versions_leave(&x->s->versions, key, value, t->id);
}

/* Who goes and wrote what, until when. */
static void note_written(struct round *x, const struct letting_go *l)
{
	const struct rounds *r = x->r;
	size_t keys = (size_t)x->s->versions.keys.count + 1;
	x->ended = pool_array(x->pool, keys, sizeof *x->ended);
	x->written = pool_zarray(x->pool, keys, sizeof *x->written);
	for (size_t i = r->remnants; i < r->window.count; i++) {
		const struct waiting *t = r->window.items[i].t;
		bool unknown = r->window.items[i].status == ALIBI_UNKNOWN_STATUS;
		int64_t end = unknown ? INT64_MAX : t->commit.physical;
		for (uint32_t j = 0; l->goes[i] && j < t->op_count; j++) {
			uint32_t key = t->ops[j].key;
			if (t->ops[j].kind == ALIBI_READ ||
			    (x->written[key] && x->ended[key] >= end))
				continue;
			x->written[key] = true;
			x->ended[key] = end;
		}
	}
}

/* Of one that nobody has read from yet: others wrote its keys who go, and may have come
 * after it. */
static bool is_torn(const struct round *x, const struct kept *k)
{
	bool several = false, touched = false;
	uint32_t first = ATOM_NONE;
	int64_t begin = k->t->start.physical;
	for (uint32_t i = 0; i < k->t->op_count; i++) {
		const struct waiting_op *o = &k->t->ops[i];
		if (o->kind == ALIBI_READ)
			continue;
		bool before = k->has & ALIBI_HAS_BEGIN && begin > x->ended[o->key] &&
		              (uint64_t)begin - (uint64_t)x->ended[o->key] > x->r->skew;
		several |= first != ATOM_NONE && first != o->key;
		first = o->key;
		touched |= x->written[o->key] && !before;
	}
	return several && touched;
}

/* Of a transaction, only what it wrote to these keys. */
static struct waiting *part_of(struct stream *s, const struct waiting *t, const uint32_t *keys,
                               size_t count)
{
	struct waiting like = *t;
	like.op_count = (uint32_t)count;
	like.named_count = 0;
	struct waiting *part = store_take(&s->store, waiting_bytes(&like));
	*part = like;
	part->id = value_copy(&s->store, t->id);
	for (size_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < t->op_count; j++)
			if (t->ops[j].kind != ALIBI_READ && t->ops[j].key == keys[i])
				part->ops[i] = t->ops[j];
		part->ops[i].word = value_copy(&s->store, op_value(&part->ops[i])).word;
	}
	return part;
}

/* Each of its writes may have taken effect or not, by itself. */
static void tear(struct round *x, const struct kept *k, kept_vec *left)
{
	struct stream *s = x->s;
	const struct waiting *t = k->t;
	for (uint32_t i = 0; i < t->op_count; i++) {
		uint32_t key = t->ops[i].key, last = i;
		for (uint32_t j = i; j < t->op_count; j++)
			if (t->ops[j].kind != ALIBI_READ && t->ops[j].key == key)
				last = j;
		if (t->ops[i].kind == ALIBI_READ || last != i)
			continue;
		struct kept part = *k;
		part.torn = true;
		part.session = value_copy(&s->store, k->session);
		part.t = part_of(s, t, &key, 1);
		value_drop(&s->store, part.t->id);
		part.t->id = part_id(x, t->id, key);
		table_add(&s->ids, value_hash(part.t->id, s->seed), part.t);
		vec_push(s->pool, left, part);
	}
}

/* Its memory. */
static void release(struct round *x, const struct kept *k)
{
	value_drop(&x->s->store, k->session);
	if (x->s->fences)
		fences_forget(x->s->fences, k->t);
	stream_release(x->s, k->t);
}

static void add_remnants(struct round *x, const struct letting_go *l, kept_vec *left)
{
	struct stream *s = x->s;
	size_t group = 0, end;
	uint32_t lane = 0, *keys = pool_array(x->pool, l->remnants.count + 1, sizeof *keys);
	for (size_t i = 0; i < l->remnants.count; i++)
		keys[i] = x->keys.items[l->remnants.items[i].key];
	for (size_t i = 0; i < l->remnants.count; i = end) {
		const struct use *uses = l->remnants.items;
		struct waiting *t = x->r->window.items[uses[i].txn].t;
		for (end = i + 1; end < l->remnants.count && uses[end].txn == uses[i].txn;)
			end++;
		if (i == l->group_ends.items[group]) {
			group++;
			lane = 0;
		}
		struct kept k = {.t = part_of(s, t, keys + i, end - i),
		                 .status = ALIBI_COMMIT,
		                 .has = BOTH_TIMES,
		                 .judged = true,
		                 .remnant = true,
		                 .lane = lane++};
		table_remove(&s->ids, value_hash(t->id, s->seed), t);
		t->has_id = false;
		table_add(&s->ids, value_hash(k.t->id, s->seed), k.t);
		vec_push(s->pool, left, k);
	}
}

static void remove_gone(struct round *x, const struct letting_go *l)
{
	struct rounds *r = x->r;
	kept_vec left = {0};
	note_written(x, l);
	add_remnants(x, l, &left);
	size_t remnants = left.count;
	for (size_t i = 0; i < r->window.count; i++) {
		struct kept k = r->window.items[i];
		bool unread = k.status == ALIBI_UNKNOWN_STATUS && !l->takes_part[i];
		if (k.torn && !k.told && !unread) {
			rounds_doubt(r, &k, DOUBT_TORN);
			k.told = true;
		}
		if (l->goes[i] || (k.status == ALIBI_ABORT && x->frozen[i])) {
			release(x, &k);
			r->gone += !k.remnant;
		} else if (unread && is_torn(x, &k)) {
			tear(x, &k, &left);
			release(x, &k);
		} else {
			k.judged = x->frozen[i];
			vec_push(x->s->pool, &left, k);
		}
	}
	pool_free(x->s->pool, r->window.items);
	r->window = left;
	r->remnants = remnants;
}

/* When each committed, in the order that was found. */
static uint32_t *places(struct round *x, const struct history *h, const struct check_order *order)
{
	uint32_t *place = pool_array(x->pool, (size_t)h->txn_count + 1, sizeof *place);
	memset(place, 0xff, ((size_t)h->txn_count + 1) * sizeof *place);
	for (uint32_t i = 0; i < order->count; i++)
		place[event_txn(order->events[i])] = i;
	return place;
}

static void go_on(struct round *x, const struct history *h, const struct check_options *o,
                  const struct check_order *order)
{
	struct letting_go l = {
	        .h = h,
	        .rules = {.realtime = o->time_order, .skew = o->skew, .session = o->session_order},
	        .frozen = x->frozen,
	        .place = places(x, h, order),
	        .pending = x->pending.items,
	        .pending_count = x->pending.count};
	let_go(x->pool, &l);
	for (size_t key = 0; key < x->keys.count; key++)
		if (l.last[key] != NO_TXN)
			leave_behind(x, x->keys.items[key], x->r->window.items[l.last[key]].t);
	remove_gone(x, &l);
}

/* False: there is more to be told. */
static bool run_once(struct round *x)
{
	static const struct coverage nothing = {0};
	struct rounds *r = x->r;
	const struct history *h = build(x);
	struct check_options o = {.level = x->s->options.level,
	                          .session_order = x->s->options.session_order,
	                          .time_order = by_time(r),
	                          .skew = r->skew,
	                          .max_violations = 1,
	                          .coverage = &nothing,
	                          .threads = 1};
	if (!x->judged)
		return true;
	struct check_order order;
	const alibi_result *result = check_with_order(x->pool, h, &o, &order);
	if (result->verdict == ALIBI_VALID) {
		go_on(x, h, &o, &order);
		return true;
	}
	if (result->verdict == ALIBI_VIOLATES) {
		tell(x, h, &o, result);
		return false;
	}
	rounds_undecided(r, result->reason);
	for (size_t i = 0; i < r->window.count; i++)
		r->window.items[i].unread |= x->frozen[i];
	return false;
}

void round_run(struct rounds *r)
{
	bool done = false;
	while (!done) {
		struct round x = {.r = r, .s = r->s, .pool = pool_child(r->s->pool)};
		done = run_once(&x);
		pool_release(x.pool);
	}
}
