/* round_history: the window of a round as a history; see round.h. */
#include "history/render.h"
#include "stream/rounds/round.h"

#include <inttypes.h>
#include <stdio.h>

/* Residual writes come before everything else, and those of one lane in sequence. That excludes no
 * order, because groups are independent, and needs few chains. With fences these are the only
 * times: session order and reads imply everything else that fences say. */
static const struct client_times before_all = {INT64_MIN, INT64_MIN};
static const struct client_times any_time = {0, INT64_MAX};

bool round_has_times(const struct rounds *r)
{
	return r->times->clocks || r->residuals;
}

static uint32_t atom_of(struct atoms *atoms, struct value v)
{
	return atoms_add(atoms, value_public(&v));
}

/* Keys get their numbers and initial values when they are first used. */
static uint32_t key_of(struct round *x, uint32_t key)
{
	const struct versions *vs = &x->s->versions;
	if (x->number_of[key])
		return x->number_of[key] - 1;
	const struct key *k = versions_key(vs, key);
	uint32_t number = atom_of(x->b->keys, key_name(k));
	assert(number == x->keys.count);
	vec_push(x->pool, &x->keys, key);
	x->number_of[key] = number + 1;
	builder_mention(x->b, number);
	if (k->state & (BASE_WRITTEN | BASE_INITIAL))
		builder_initial(x->b, number, atom_of(x->b->values, versions_read(vs, k, 0).value));
	return number;
}

/* ---- named writers ---- */

struct value round_torn_id(struct round *x, struct value id, uint32_t key)
{
	text_vec t = {0};
	struct value name = key_name(versions_key(&x->s->versions, key));
	text_add_value(x->pool, &t, value_public(&id));
	text_addf(x->pool, &t, " (what it wrote to ");
	text_add_value(x->pool, &t, value_public(&name));
	text_addf(x->pool, &t, ")");
	return value_string(&x->s->store, t.items, t.count);
}

static bool is_in_window(const struct stream *s, struct value id)
{
	const struct inflight *t = inflight_find(s, id);
	return t && t->in_window;
}

static uint32_t missing_name(struct round *x, struct value id)
{
	bool initial = id.kind == ALIBI_NULL;
	text_vec t = {0};
	text_addf(x->pool, &t, "%s (overwritten long before, or never seen)",
	          initial ? "the initial version" : render_value(x->pool, value_public(&id)));
	return atoms_string(x->b->names, t.items, t.count);
}

/* The read just added names its writer, which may be collected, or torn. */
static void name_writer(struct round *x, const struct inflight_op *o, struct value id)
{
	const struct stream *s = x->s;
	struct atoms *names = x->b->names;
	struct value base =
	        versions_read(&s->versions, versions_key(&s->versions, o->key), 0).writer;
	struct value part = id.kind == ALIBI_NULL ? id : round_torn_id(x, id, o->key);
	if (value_same(base, id) || value_same(base, part)) {
		builder_from(x->b, ID_NONE);
	} else if (is_in_window(s, part)) {
		builder_from(x->b, atom_of(names, part));
	} else if (is_in_window(s, id)) {
		builder_from(x->b, atom_of(names, id));
	} else {
		struct missing_writer m = {missing_name(x, id),
		                           x->b->ops.items[x->b->ops.count - 1]};
		vec_push(x->pool, &x->missing, m);
		builder_from(x->b, m.name);
	}
	if (id.kind != ALIBI_NULL)
		value_drop(&x->s->store, part);
}

/* Aborted transactions, each with the writes that reads attribute to it. */
static void add_missing(struct round *x)
{
	for (size_t i = 0; i < x->missing.count; i++) {
		uint32_t name = x->missing.items[i].name;
		if (name == ID_NONE)
			continue;
		for (size_t j = i; j < x->missing.count; j++) {
			struct missing_writer *m = &x->missing.items[j];
			if (m->name != name)
				continue;
			builder_op(x->b, ALIBI_WRITE, op_key(m->read), m->read.value);
			m->name = ID_NONE;
		}
		builder_end(x->b, &(struct txn_head){.session = ID_NONE,
		                                     .id = name,
		                                     .number = (uint32_t)x->b->txns.count + 1,
		                                     .status = ALIBI_ABORT});
	}
}

/* ---- transactions ---- */

/* A lane is a session; no user's session is named by a row. */
static uint32_t session_of(struct round *x, const struct window_txn *w)
{
	char lane[32];
	if (w->residual) {
		int length = snprintf(lane, sizeof lane, "{\"residual\":%" PRIu32 "}", w->lane);
		return atoms_row(x->b->names, lane, (size_t)length);
	}
	return w->session.kind == ALIBI_NULL ? ID_NONE : atom_of(x->b->names, w->session);
}

static void add_ops(struct round *x, const struct window_txn *w, uint32_t txn)
{
	const struct inflight *t = w->t;
	bool reads = w->status == ALIBI_COMMIT && !w->ignore_reads;
	const struct named_writer *named = named_writers(t);
	for (const struct inflight_op *o = t->ops; o < t->ops + t->op_count; o++) {
		uint32_t i = (uint32_t)(o - t->ops);
		bool is_read = op_is_read(o);
		guard_tick(x->s->guard);
		if (is_read && (!reads || o->ignored))
			continue;
		if (is_read && !x->behind[txn]) {
			vec_push(x->pool, &x->pending, ((struct access){txn, key_of(x, o->key)}));
			continue;
		}
		builder_op(x->b, (enum alibi_op_kind)o->kind, key_of(x, o->key),
		           atom_of(x->b->values, op_value(o)));
		if (!o->named)
			continue;
		while (named->op < i)
			named++;
		name_writer(x, o, named->id);
	}
}

static void add_txn(struct round *x, uint32_t txn)
{
	const struct window_txn *w = &x->r->window.items[txn];
	const struct inflight *t = w->t;
	add_ops(x, w, txn);
	struct txn_head head = {.session = session_of(x, w),
	                        .id = atom_of(x->b->names, t->id),
	                        .number = txn + 1,
	                        .status = w->status,
	                        .has = round_has_times(x->r) ? w->has : 0,
	                        .times = {t->start.physical, t->commit.physical}};
	if (!x->r->times->clocks)
		head.times = any_time;
	if (w->residual)
		head.times = before_all;
	builder_end(x->b, &head);
}

/* Does it precede all future transactions? */
static bool is_behind(const struct rounds *r, const struct window_txn *w)
{
	if (w->status == ALIBI_UNKNOWN_STATUS)
		return false;
	if (r->finished || !(w->has & ALIBI_HAS_END))
		return true;
	return r->any_watermark && rounds_is_after(r, r->watermark, w->t->commit.physical);
}

struct history *round_history(struct round *x)
{
	const struct rounds *r = x->r;
	size_t keys = (size_t)x->s->versions.keys.count + 1, count = r->window.count;
	x->b = builder_new(x->pool);
	x->number_of = pool_zarray(x->pool, keys, sizeof(uint32_t));
	x->behind = pool_zarray(x->pool, count + 1, sizeof *x->behind);
	x->b->h->only_past = !r->times->clocks;
	x->b->h->initial_default = atom_of(x->b->values, x->s->versions.initial);
	for (uint32_t i = 0; i < count; i++) {
		x->behind[i] = is_behind(r, &r->window.items[i]);
		x->checked += x->behind[i] && r->window.items[i].status == ALIBI_COMMIT;
		add_txn(x, i);
	}
	add_missing(x);
	return builder_finish(x->b);
}
