/* reads: see reads.h. */
#include "stream/timestamps/reads.h"

#include "stream/timestamps/report.h"
#include "stream/timestamps/unknown.h"
#include "stream/timestamps/unrefuted.h"

/* The version of a key that others committed and this transaction sees. */
static struct visible seen_by(const struct timestamps *e, const struct key *k,
                              const struct inflight *t)
{
	const struct stream *s = e->s;
	bool all_of_instant = s->snapshot || (!t->writes && !t->session_continues);
	size_t count = versions_visible(k, read_moment(s, t), t->number, all_of_instant);
	return versions_read(&s->versions, k, count);
}

/* Another transaction that commits the key in the same instant; NULL: none. */
static const struct version *tied_with(const struct key *k, const struct inflight *t)
{
	for (size_t i = k->count; i-- > 0;)
		if (!stamp_compare(k->recent[i].commit, t->commit) &&
		    k->recent[i].number != t->number)
			return &k->recent[i];
	return NULL;
}

/* May a lost transaction have overwritten this version? See gap.h. */
static bool gap_hides(const struct gap *g, const struct key *k, const struct visible *v)
{
	return g->count &&
	       (g->open || k->state & KEY_IS_LIST || stamp_compare(v->commit, g->until) <= 0);
}

/* Why a mismatch with this version proves nothing; NULL: it is a violation. */
static const char *why_undecided(const struct timestamps *e, const struct inflight_op *o,
                                 const struct key *k, const struct visible *v)
{
	if (v->tied)
		return "; but several transactions wrote it with the same timestamp, and which "
		       "came last is not known";
	if (gap_hides(&e->s->gap, k, v))
		return "; but messages of the stream were lost, and no later write of "
		       "the key is known";
	if (unknown_wrote(e, o->key, op_value(o)))
		return "; a transaction whose outcome is unknown wrote that, and may have "
		       "taken effect";
	if (k->state & KEY_MANY_UNKNOWN)
		return "; but too many transactions whose outcome is unknown wrote that key";
	return NULL;
}

static void misread(struct timestamps *e, struct misread *m, const struct visible *v)
{
	struct stream *s = e->s;
	const struct inflight_op *o = &m->t->ops[m->op];
	const struct key *k = versions_key(&s->versions, o->key);
	bool external = m->kind == MISMATCH_EXT;
	const struct version *tie = external && !s->snapshot ? tied_with(k, m->t) : NULL;
	if (tie) {
		m->kind = MISMATCH_TIE;
		m->other = (struct value){.word = tie->writer, .kind = tie->writer_kind};
	} else if (external) {
		m->undecided = why_undecided(e, o, k, v);
	}
	if (report_misread(s, m) && external)
		unrefuted_add(e, o->key, read_moment(s, m->t));
}

/* Did the database name another writer than this one? */
static bool named_otherwise(const struct inflight *t, uint32_t op, struct value writer)
{
	const struct named_writer *named = named_writers(t);
	if (!t->ops[op].named)
		return false;
	while (named->op != op)
		named++;
	return !value_same(named->id, writer);
}

/* Has the transaction used the key before this operation? The key's seen_op may be from another
 * transaction; but if this transaction's operation of that number is on the key, too, it has been
 * checked, and seen_op is that operation or a later one. */
static bool was_seen(const struct inflight *t, uint32_t op, const struct key *k)
{
	return k->seen_op < op && t->ops[k->seen_op].key == t->ops[op].key;
}

static void read_register(struct timestamps *e, const struct inflight *t, uint32_t op,
                          struct key *k)
{
	struct value found = op_value(&t->ops[op]);
	bool internal = was_seen(t, op, k), own = internal && k->own;
	struct visible v = seen_by(e, k, t);
	struct value expected = internal ? op_value(&t->ops[k->seen_op]) : v.value;
	struct value writer = own ? t->id : v.writer;
	bool right = value_same(expected, found);
	bool wrong_writer = right && named_otherwise(t, op, writer);
	if (!right || wrong_writer)
		misread(e,
		        &(struct misread){.t = t,
		                          .kind = internal && !(wrong_writer && !own)
		                                          ? MISMATCH_INT
		                                          : MISMATCH_EXT,
		                          .op = op,
		                          .other = writer,
		                          .other_is_self = own,
		                          .wrong_writer = wrong_writer,
		                          .expected = expected},
		        &v);
	k->own = own;
	k->seen_op = op;
}

/* ---- lists ---- */

/* The state of the list before this operation. */
static struct list_step *step_to(struct timestamps *e, const struct inflight *t, uint32_t op,
                                 struct key *k)
{
	struct list_step *step = &e->steps.items[op];
	*step = (struct list_step){.previous = ID_NONE, .base_op = ID_NONE};
	if (was_seen(t, op, k)) {
		*step = e->steps.items[k->seen_op];
		step->previous = k->seen_op;
	}
	k->seen_op = op;
	return step;
}

/* What the transaction appended before this operation, in a block of the pool. */
static struct value *appended_before(struct timestamps *e, const struct inflight *t, uint32_t op)
{
	size_t count = e->steps.items[op].appended;
	struct value *items = pool_array(e->s->pool, count + 1, sizeof *items);
	for (uint32_t at = e->steps.items[op].previous; at != ID_NONE && count;
	     at = e->steps.items[at].previous)
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

static void read_list(struct timestamps *e, const struct inflight *t, uint32_t op, struct key *k)
{
	struct visible v = seen_by(e, k, t);
	struct list_step *step = step_to(e, t, op, k);
	size_t count, known = v.elements, length, own = step->appended;
	const struct value *items = value_items(op_value(&t->ops[op]), &count);
	const struct value *base = versions_list(&e->s->versions, k)->items.items;
	bool base_seen = step->base_op != ID_NONE;
	if (base_seen) {
		base = value_items(op_value(&t->ops[step->base_op]), &length);
		known = step->base_count;
	}
	struct value *appended = appended_before(e, t, op);
	struct misread m = {.t = t,
	                    .kind = base_seen ? MISMATCH_INT : MISMATCH_EXT,
	                    .op = op,
	                    .other = own ? t->id : v.writer,
	                    .other_is_self = own > 0,
	                    .base = base,
	                    .base_count = known,
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
		m.other = v.writer;
	if (!same || m.wrong_writer)
		misread(e, &m, &v);
	pool_free(e->s->pool, appended);
	if (ends_right) {
		step->base_op = op;
		step->base_count = (uint32_t)(count - own);
	}
}

/* ---- all ---- */

static void prefetch_reads(const struct timestamps *e, const struct inflight *t)
{
	for (uint32_t op = 0; t && t->checks_reads && op < t->op_count; op++)
		if (op_is_read(&t->ops[op]))
			__builtin_prefetch(versions_key(&e->s->versions, t->ops[op].key));
}

void reads_check(struct timestamps *e, struct inflight *t)
{
	prefetch_reads(e, t->next);
	if (e->any_list)
		vec_reserve(e->s->pool, &e->steps, t->op_count);
	for (uint32_t op = 0; op < t->op_count; op++) {
		const struct inflight_op *o = &t->ops[op];
		struct key *k = versions_key(&e->s->versions, o->key);
		guard_tick(e->s->guard);
		if (op_is_read(o)) {
			(k->state & KEY_IS_LIST ? read_list : read_register)(e, t, op, k);
		} else if (o->kind == ALIBI_APPEND) {
			step_to(e, t, op, k)->appended++;
		} else {
			k->seen_op = op;
			k->own = true;
		}
	}
}
