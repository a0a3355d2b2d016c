/* duplicates: see duplicates.h. */
#include "stream/core/duplicates.h"

#include "history/render.h"
#include "stream/core/batch.h"

static bool same_op(const struct stream *s, const struct inflight_op *known, uint32_t op)
{
	const struct builder *b = s->batch.b;
	struct op o = b->ops.items[op];
	struct value v = op_value(known);
	return known->key == batch_key(s, op) && known->kind == op_kind(o) &&
	       (v.kind == ALIBI_LIST || value_is_atom(v, b->values, o.value));
}

bool duplicates_same_ops(const struct stream *s, const struct inflight *known, uint32_t txn)
{
	uint32_t count = 0;
	for (uint32_t op = s->batch.b->txns.items[txn].first_op; op < batch_op_end(s, txn); op++) {
		guard_tick(s->guard);
		if (batch_key(s, op) == ID_NONE)
			continue;
		if (count == known->op_count || !same_op(s, &known->ops[count++], op))
			return false;
	}
	return count == known->op_count;
}

bool duplicates_some_ops(const struct stream *s, const struct inflight *known, uint32_t txn)
{
	for (uint32_t i = 0; i < known->op_count; i++) {
		uint32_t op = s->batch.b->txns.items[txn].first_op, end = batch_op_end(s, txn);
		while (op < end && !same_op(s, &known->ops[i], op))
			op++;
		if (op == end)
			return false;
	}
	return true;
}

static _Noreturn void reject_id(const struct stream *s, struct value id, uint32_t txn)
{
	struct place place = s->batch.b->place;
	place.line = s->lines + s->batch.b->txns.items[txn].number;
	place.column = 0;
	guard_fail(
	        s->guard, ALIBI_INPUT, &place,
	        "id %s was that of another transaction, with another status, other times or other "
	        "operations; ids must be unique, among all collectors, and a transaction that is "
	        "tried again needs a new one",
	        render_value(s->pool, value_public(&id)));
}

bool duplicates_has(const struct stream *s, struct value id, bool has_id, uint32_t txn)
{
	const struct engine *e = s->engine;
	enum alibi_status status = s->batch.b->txns.items[txn].status, was = status;
	const struct inflight *known = has_id || e->names_all ? inflight_find(s, id) : NULL;
	if (known) {
		if (!has_id || known->status != status || !e->is_same(s->state, known, txn))
			reject_id(s, id, txn);
		return true;
	}
	bool dropped = has_id && e->was_dropped && e->was_dropped(s->state, id, &was);
	if (was != status)
		reject_id(s, id, txn);
	return dropped;
}
