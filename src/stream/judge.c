/*
 * judge: the reads of one transaction, when all that it may have seen has arrived.
 *
 * The same rules as in replay.c, in the same order, but from versions instead of a
 * state. What a transaction itself did before is found through its keys: each notes
 * by which operation it was judged last.
 */
#include "stream/inside.h"

#include <assert.h>

/* What others left of a key, as this transaction sees it. */
static struct held seen_by(const struct stream *s, const struct key *k, const struct waiting *t)
{
	bool last_of_instant = s->snapshot || (!t->writes && !t->goes_on);
	size_t visible =
	        versions_visible(k, s->snapshot ? t->start : t->commit, t->number, last_of_instant);
	return versions_held(&s->versions, k, visible);
}

/* Who else commits the key in the same instant; NULL: nobody. */
static const struct version *tied_with(const struct key *k, const struct waiting *t)
{
	for (size_t i = k->count; i-- > 0;)
		if (!stamp_compare(k->recent[i].commit, t->commit) &&
		    k->recent[i].number != t->number)
			return &k->recent[i];
	return NULL;
}

/* A read that is not what it should be, and what that proves. */
static void misread(struct stream *s, struct misread *m, const struct held *h)
{
	const struct waiting_op *o = &m->t->ops[m->op];
	const struct key *k = versions_key(&s->versions, o->key);
	const struct version *tie = NULL;
	if (m->kind == MISMATCH_EXT && !s->snapshot)
		tie = tied_with(k, m->t);
	if (tie) {
		m->kind = MISMATCH_TIE;
		m->other = (struct value){.word = tie->writer, .kind = tie->writer_kind};
	} else if (m->kind == MISMATCH_EXT && h->tied) {
		m->doubt = "; but several transactions wrote it with the same timestamp, and who "
		           "came last is not known";
	} else if (m->kind == MISMATCH_EXT && gap_hides(s, k, h)) {
		m->doubt = "; but messages of the stream were lost, and nobody is known to have "
		           "written the key after them";
	} else if (m->kind == MISMATCH_EXT && unknown_wrote(s, o->key, op_value(o))) {
		m->doubt = "; a transaction whose outcome is unknown wrote that, and may have "
		           "taken effect";
	} else if (m->kind == MISMATCH_EXT && k->state & HELD_UNCLEAR) {
		m->doubt = "; but too many transactions whose outcome is unknown wrote that key";
	}
	event_misread(s, m);
}

/* Did the database name another writer than this one? */
static bool named_otherwise(const struct waiting *t, uint32_t op, struct value writer)
{
	const struct named_writer *named = named_writers(t);
	if (!t->ops[op].named)
		return false;
	while (named->op != op)
		named++;
	return !value_same(named->id, writer);
}

/* Has the transaction seen the key before this operation? What the key notes may be of
 * another transaction; but if that operation is on this key here, too, then it has been
 * judged, and the key's note is about it or a later one. */
static bool was_seen(const struct waiting *t, uint32_t op, const struct key *k)
{
	return k->seen_op < op && t->ops[k->seen_op].key == t->ops[op].key;
}

static void read_register(struct stream *s, const struct waiting *t, uint32_t op, struct key *k)
{
	struct value found = op_value(&t->ops[op]);
	bool internal = was_seen(t, op, k), own = internal && k->own;
	struct held h = seen_by(s, k, t);
	struct value expected = internal ? op_value(&t->ops[k->seen_op]) : h.value;
	struct value writer = own ? t->id : h.writer;
	bool right = value_same(expected, found);
	bool wrong_writer = right && named_otherwise(t, op, writer);
	if (!right || wrong_writer)
		misread(s,
		        &(struct misread){.t = t,
		                          .kind = internal && !(wrong_writer && !own)
		                                          ? MISMATCH_INT
		                                          : MISMATCH_EXT,
		                          .op = op,
		                          .other = writer,
		                          .other_is_self = own,
		                          .wrong_writer = wrong_writer,
		                          .expected = expected},
		        &h);
	k->own = own;
	k->seen_op = op;
}

/* ---- lists ---- */

/* The operation before this one on the same list, and what was done up to it. */
static struct list_step *step_to(struct stream *s, const struct waiting *t, uint32_t op,
                                 struct key *k)
{
	struct list_step *step = &s->steps.items[op];
	*step = (struct list_step){.previous = NO_OP, .base_op = NO_OP};
	if (was_seen(t, op, k)) {
		*step = s->steps.items[k->seen_op];
		step->previous = k->seen_op;
	}
	k->seen_op = op;
	return step;
}

/* What the transaction had appended before this operation, in a block of the pool. */
static struct value *appended_before(struct stream *s, const struct waiting *t, uint32_t op)
{
	size_t count = s->steps.items[op].appended;
	struct value *items = pool_array(s->pool, count + 1, sizeof *items);
	for (uint32_t at = s->steps.items[op].previous; at != NO_OP && count;
	     at = s->steps.items[at].previous)
		if (t->ops[at].kind == ALIBI_APPEND)
			items[--count] = op_value(&t->ops[at]);
	return items;
}

static bool same_items(const struct value *a, const struct value *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!value_same(a[i], b[i]))
			return false;
	return true;
}

static void read_list(struct stream *s, const struct waiting *t, uint32_t op, struct key *k)
{
	struct held h = seen_by(s, k, t);
	struct list_step *step = step_to(s, t, op, k);
	size_t count, known = h.elements, length, own = step->appended;
	const struct value *items = value_items(op_value(&t->ops[op]), &count);
	const struct value *base = versions_list(&s->versions, k)->items.items;
	bool base_seen = step->base_op != NO_OP;
	if (base_seen) {
		base = value_items(op_value(&t->ops[step->base_op]), &length);
		known = step->base_count;
	}
	struct value *appended = appended_before(s, t, op);
	struct misread m = {.t = t,
	                    .kind = base_seen ? MISMATCH_INT : MISMATCH_EXT,
	                    .op = op,
	                    .other = own ? t->id : h.writer,
	                    .other_is_self = own > 0,
	                    .there = base,
	                    .there_count = known,
	                    .appended = appended,
	                    .appended_count = own};
	bool ends_right = count >= own && same_items(items + (count - own), appended, own);
	bool same = ends_right && count - own == known && same_items(items, base, known);
	m.wrong_writer = ends_right && (same || own) && named_otherwise(t, op, m.other);
	if (!ends_right)
		m.kind = MISMATCH_INT;
	else if (m.wrong_writer)
		m.kind = own ? MISMATCH_INT : MISMATCH_EXT;
	if (!m.wrong_writer)
		m.other = h.writer;
	if (!same || m.wrong_writer)
		misread(s, &m, &h);
	pool_free(s->pool, appended);
	if (ends_right) {
		step->base_op = op;
		step->base_count = (uint32_t)(count - own);
	}
}

/* ---- all ---- */

static void prefetch_reads(const struct stream *s, const struct waiting *t)
{
	for (uint32_t op = 0; t && t->reads && op < t->op_count; op++)
		if (t->ops[op].kind == ALIBI_READ)
			__builtin_prefetch(versions_key(&s->versions, t->ops[op].key));
}

void judge_reads(struct stream *s, struct waiting *t)
{
	prefetch_reads(s, t->next);
	if (s->any_list)
		vec_reserve(s->pool, &s->steps, t->op_count);
	for (uint32_t op = 0; op < t->op_count; op++) {
		const struct waiting_op *o = &t->ops[op];
		struct key *k = versions_key(&s->versions, o->key);
		guard_tick(s->guard);
		if (o->kind == ALIBI_READ) {
			(k->state & HELD_LIST ? read_list : read_register)(s, t, op, k);
		} else if (o->kind == ALIBI_APPEND) {
			step_to(s, t, op, k)->appended++;
		} else {
			k->seen_op = op;
			k->own = true;
		}
	}
}
