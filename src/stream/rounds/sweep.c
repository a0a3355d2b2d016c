/*
 * sweep: removes transactions from the window after a round; see round.h.
 *
 * The last write to each key becomes its base. Where it is not certain which write was the last,
 * residual writes stay (residual.h). A transaction of unknown outcome that nothing has read from
 * is torn (rounds.h), if another writer of one of its keys is removed that may have come after it.
 */
#include "stream/rounds/report.h"
#include "stream/rounds/round.h"

/* The writes that are removed: by key of the stream, whether there is one, and the latest end. */
struct removed_writes {
	bool *any;
	int64_t *end;
};

static struct removed_writes removed_writes(struct round *x, const struct gc *g)
{
	const struct rounds *r = x->r;
	size_t keys = (size_t)x->s->versions.keys.count + 1;
	struct removed_writes w = {pool_zarray(x->pool, keys, sizeof *w.any),
	                           pool_array(x->pool, keys, sizeof *w.end)};
	for (size_t i = r->residuals; i < r->window.count; i++) {
		const struct inflight *t = r->window.items[i].t;
		bool unknown = r->window.items[i].status == ALIBI_UNKNOWN_STATUS;
		int64_t end = unknown ? INT64_MAX : t->commit.physical;
		for (uint32_t j = 0; g->removable[i] && j < t->op_count; j++) {
			uint32_t key = t->ops[j].key;
			if (op_is_read(&t->ops[j]) || (w.any[key] && w.end[key] >= end))
				continue;
			w.any[key] = true;
			w.end[key] = end;
		}
	}
	return w;
}

/* Of a transaction of unknown outcome that nothing has read from: is another writer of one of its
 * keys removed that may have come after it? */
static bool is_torn(const struct round *x, const struct window_txn *k,
                    const struct removed_writes *w)
{
	bool several = false, touched = false;
	uint32_t first = ID_NONE;
	for (uint32_t i = 0; i < k->t->op_count; i++) {
		const struct inflight_op *o = &k->t->ops[i];
		if (op_is_read(o))
			continue;
		bool before = k->has & ALIBI_HAS_BEGIN &&
		              rounds_is_after(x->r, k->t->start.physical, w->end[o->key]);
		several |= first != ID_NONE && first != o->key;
		first = o->key;
		touched |= w->any[o->key] && !before;
	}
	return several && touched;
}

/* The last write of a transaction to a key; NULL: none. */
static const struct inflight_op *last_write(const struct inflight *t, uint32_t key)
{
	for (const struct inflight_op *o = t->ops + t->op_count; o-- > t->ops;)
		if (!op_is_read(o) && o->key == key)
			return o;
	return NULL;
}

/* A transaction of the window with some of its writes only; id: it owns. */
static void push_part(struct stream *s, window_vec *left, struct window_txn part, struct value id,
                      const uint32_t *keys, size_t count)
{
	struct inflight head = *part.t;
	head.op_count = (uint32_t)count;
	head.named_count = 0;
	head.id = id;
	struct inflight *t = store_take(&s->store, inflight_bytes(&head));
	*t = head;
	for (size_t i = 0; i < count; i++) {
		t->ops[i] = *last_write(part.t, keys[i]);
		t->ops[i].word = value_copy(&s->store, op_value(&t->ops[i])).word;
	}
	inflight_add_id(s, t);
	part.t = t;
	vec_push(s->pool, left, part);
}

/* Each of its writes may have taken effect or not, by itself. */
static void tear(struct round *x, const struct window_txn *w, window_vec *left)
{
	struct stream *s = x->s;
	const struct inflight *t = w->t;
	for (const struct inflight_op *o = t->ops; o < t->ops + t->op_count; o++) {
		if (op_is_read(o) || last_write(t, o->key) != o)
			continue;
		struct window_txn part = *w;
		part.torn = true;
		part.session = value_copy(&s->store, w->session);
		push_part(s, left, part, round_torn_id(x, t->id, o->key), &o->key, 1);
	}
}

/* Their transactions are removable, and hand over their ids. */
static void add_residuals(struct round *x, const struct gc *g, window_vec *left)
{
	struct stream *s = x->s;
	const struct access *writes = g->residuals.items;
	size_t group = 0, end;
	uint32_t lane = 0, *keys = pool_array(x->pool, g->residuals.count + 1, sizeof *keys);
	for (size_t i = 0; i < g->residuals.count; i = end) {
		struct inflight *t = x->r->window.items[writes[i].txn].t;
		for (end = i; end < g->residuals.count && writes[end].txn == writes[i].txn; end++)
			keys[end] = x->keys.items[writes[end].key];
		if (i == g->group_ends.items[group]) {
			group++;
			lane = 0;
		}
		inflight_remove_id(s, t);
		push_part(s, left,
		          (struct window_txn){.t = t,
		                              .status = ALIBI_COMMIT,
		                              .has = BOTH_TIMES,
		                              .checked = true,
		                              .residual = true,
		                              .lane = lane++},
		          value_copy(&s->store, t->id), keys + i, end - i);
	}
}

static void set_bases(const struct round *x, const struct gc *g)
{
	for (size_t key = 0; key < x->keys.count; key++) {
		if (g->last[key] == ID_NONE)
			continue;
		const struct inflight *t = x->r->window.items[g->last[key]].t;
		const struct inflight_op *o = last_write(t, x->keys.items[key]);
		versions_set_base(&x->s->versions, o->key, op_value(o), t->id);
	}
}

static void release(struct round *x, const struct window_txn *w)
{
	value_drop(&x->s->store, w->session);
	if (x->r->times->collected)
		x->r->times->collected(x->r, w->t);
	inflight_release(x->s, w->t);
}

void round_sweep(struct round *x, const struct gc *g)
{
	struct rounds *r = x->r;
	window_vec left = {0};
	struct removed_writes removed = removed_writes(x, g);
	set_bases(x, g);
	add_residuals(x, g, &left);
	for (size_t i = 0; i < r->window.count; i++) {
		struct window_txn w = r->window.items[i];
		bool unread = w.status == ALIBI_UNKNOWN_STATUS && !g->takes_part[i];
		if (w.torn && !w.torn_reported && !unread) {
			report_txn(r, &w, ALIBI_WATCH_OUTCOME,
			           "has an unknown outcome, and was read only after other writers "
			           "of its keys had been collected; whether its writes took "
			           "effect together was not checked");
			w.torn_reported = true;
		}
		if (g->removable[i] || (w.status == ALIBI_ABORT && x->behind[i])) {
			release(x, &w);
			r->collected += !w.residual;
		} else if (unread && is_torn(x, &w, &removed)) {
			tear(x, &w, &left);
			release(x, &w);
		} else {
			w.checked = x->behind[i];
			vec_push(x->s->pool, &left, w);
		}
	}
	pool_free(x->s->pool, r->window.items);
	r->window = left;
	for (r->residuals = 0; r->residuals < left.count; r->residuals++)
		if (!left.items[r->residuals].residual) /* earlier ones may stay behind the new */
			break;
}
