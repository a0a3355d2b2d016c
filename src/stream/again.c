/*
 * again: transactions that come a second time.
 *
 * A stream delivers at least once, and what was counted and judged already must not be
 * counted again. It is known by its id, as long as that is kept. But an id is only as good
 * as the collectors that give it out: one that names another transaction than before is an
 * error of theirs, and told as such, since dropping it would hide what it did.
 *
 * What is compared is what is still known: what became of it, and by timestamps all of the
 * transaction; by clocks its times; by fences the operations that are left of it. So a
 * client that tries again under the id of its first try, which aborted, is told, too.
 */
#include "stream/fences.h"
#include "stream/inside.h"

#include "history/render.h"

static bool same_op(const struct stream *s, const struct waiting_op *known, uint32_t op)
{
	struct op o = s->b->ops.items[op];
	struct value v = op_value(known);
	return known->key == batch_key(s, op) && known->kind == op_kind(o) &&
	       (v.kind == ALIBI_LIST || value_is_atom(v, s->b->values, o.value));
}

static bool same_ops(const struct stream *s, const struct waiting *known, uint32_t txn)
{
	uint32_t count = 0;
	for (uint32_t op = s->b->txns.items[txn].first_op; op < batch_op_end(s, txn); op++) {
		guard_tick(s->guard);
		if (batch_key(s, op) == NO_KEY)
			continue;
		if (count == known->op_count || !same_op(s, &known->ops[count++], op))
			return false;
	}
	return count == known->op_count;
}

/* Does the transaction of the batch have all operations that are left of this one? */
static bool has_ops(const struct stream *s, const struct waiting *left, uint32_t txn)
{
	for (uint32_t i = 0; i < left->op_count; i++) {
		uint32_t op = s->b->txns.items[txn].first_op, end = batch_op_end(s, txn);
		while (op < end && !same_op(s, &left->ops[i], op))
			op++;
		if (op == end)
			return false;
	}
	return true;
}

static const struct waiting *known_as(const struct stream *s, struct value id)
{
	const struct waiting *known =
	        table_find(&s->ids, value_hash(id, s->seed), waiting_has_id, &id);
	return known || !s->fences ? known : fences_held(s->fences, id);
}

/* When one that was replayed happened is known if it committed, and its stamps said so. */
static bool same_place(const struct stream *s, const struct waiting *known, uint32_t txn)
{
	struct stamps stamps = stream_stamps(s, txn);
	if (known->status != ALIBI_COMMIT)
		return true;
	return known->placed == stream_has_place(s, txn) &&
	       !(known->placed && (stamp_compare(known->start, stamps.start) ||
	                           stamp_compare(known->commit, stamps.commit)));
}

/* Is this transaction of the batch the one that came before with its id? Of some that are
 * searched only some writes may be left, but by clocks these have its times. */
static bool is_same(const struct stream *s, const struct waiting *known, uint32_t txn)
{
	const struct builder *b = s->b;
	if (known->status != b->txns.items[txn].status)
		return false;
	if (s->fences)
		return has_ops(s, known, txn);
	if (s->rounds) {
		struct client_times times = {0};
		if (txn < b->times.count)
			times = b->times.items[txn];
		return times.begin == known->start.physical && times.end == known->commit.physical;
	}
	return same_ops(s, known, txn) && same_place(s, known, txn);
}

static _Noreturn void reject_id(const struct stream *s, struct value id, uint32_t txn)
{
	struct place place = s->b->place;
	place.line = s->numbers + s->b->txns.items[txn].number;
	place.column = 0;
	guard_fail(
	        s->guard, ALIBI_INPUT, &place,
	        "id %s was that of another transaction, with another status, other times or other "
	        "operations; ids must be unique, among all collectors, and a transaction that is "
	        "tried again needs a new one",
	        render_value(s->pool, value_public(&id)));
}

bool came_before(const struct stream *s, struct value id, bool has_id, uint32_t txn)
{
	const struct waiting *known = has_id || s->rounds ? known_as(s, id) : NULL;
	enum alibi_status status = s->b->txns.items[txn].status, then = status;
	bool gone = !known && has_id && s->fences && fences_saw(s->fences, id, &then);
	if ((known && !(has_id && is_same(s, known, txn))) || then != status)
		reject_id(s, id, txn);
	return known || gone;
}
