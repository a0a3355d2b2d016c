/*
 * history: what is in a history, transaction by transaction.
 *
 * A query and its rows are several operations inside, and one outside: as in a file.
 */
#include "api/job.h"
#include "api/sized.h"
#include "base/bisect.h"
#include "format/alibi_query.h"
#include "format/meaning.h"
#include "history/query.h"

void alibi_history_stats(const alibi_history *h, alibi_stats *out)
{
	alibi_stats s = history_stats(inside(h));
	s.timestamps = meaning_name(inside(h)->stamp_meaning);
	sized_write(out, &s, sizeof s);
}

size_t alibi_history_txn_count(const alibi_history *h)
{
	return inside(h)->txn_count;
}

/* The operation behind this one. */
static uint32_t next_op(const struct history *h, uint32_t op)
{
	const struct query *q = query_at(h, op);
	return op + 1 + (q ? q->rows : 0);
}

static size_t op_count(const struct history *h, uint32_t txn)
{
	size_t count = 0;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op = next_op(h, op))
		count++;
	return count;
}

bool alibi_history_txn_at(const alibi_history *history, size_t index, alibi_txn *out)
{
	const struct history *h = inside(history);
	if (index >= h->txn_count)
		return false;
	uint32_t t = (uint32_t)index, name = h->session_name[h->txns[t].session];
	alibi_txn txn = {.id = history_txn_id(h, t),
	                 .status = h->txns[t].status,
	                 .has = h->txns[t].has,
	                 .op_count = op_count(h, t)};
	if (name != ID_NONE)
		txn.session = atoms_value(&h->names, name);
	if (h->times) {
		txn.begin = h->times[t].begin;
		txn.end = h->times[t].end;
	}
	if (h->stamps) {
		txn.start_ts = h->stamps[t].start;
		txn.commit_ts = h->stamps[t].commit;
	}
	size_t at;
	bisect(at, 0, h->info.count, h->info.items[at].txn < t);
	if (at < h->info.count && h->info.items[at].txn == t) {
		txn.info = h->texts.items + h->info.items[at].offset;
		txn.info_length = h->info.items[at].length;
	}
	sized_write(out, &txn, sizeof txn);
	return true;
}

static alibi_value value_of(struct pool *pool, const struct history *h, uint32_t atom)
{
	size_t count;
	if (atoms_kind(&h->values, atom) != ALIBI_LIST)
		return atoms_value(&h->values, atom);
	const uint32_t *numbers = atoms_items(&h->values, atom, &count);
	alibi_value *items = pool_array(pool, count + 1, sizeof *items);
	for (size_t i = 0; i < count; i++)
		items[i] = atoms_value(&h->values, numbers[i]);
	return (alibi_value){.kind = ALIBI_LIST, .items = items, .length = count};
}

static alibi_op op_of(struct pool *pool, const struct history *h, uint32_t op)
{
	const struct query *q = query_at(h, op);
	uint32_t writer;
	if (q) {
		struct sink *s = sink_in_memory(pool);
		alibi_write_query(h, s, q);
		return (alibi_op){.kind = ALIBI_QUERY,
		                  .json = s->buffer.items,
		                  .json_length = s->buffer.count};
	}
	alibi_op made = {.kind = op_kind(h->ops[op]),
	                 .key = atoms_value(&h->keys, op_key(h->ops[op])),
	                 .value = value_of(pool, h, h->ops[op].value),
	                 .has_from = history_read_from(h, op, &writer)};
	if (made.has_from && writer != ID_NONE)
		made.from = history_txn_id(h, writer);
	return made;
}

bool alibi_history_op_at(alibi *a, const alibi_history *history, size_t txn, size_t index,
                         alibi_op *out)
{
	const struct history *h = inside(history);
	if (guard_enter(&a->guard)) {
		if (txn >= h->txn_count || index >= op_count(h, (uint32_t)txn))
			guard_fail(&a->guard, ALIBI_USAGE, NULL,
			           "transaction %zu has no operation %zu, counted from 0", txn,
			           index);
		uint32_t op = h->txns[txn].first_op;
		for (size_t i = 0; i < index; i++)
			op = next_op(h, op);
		if (a->scratch)
			pool_release(a->scratch);
		a->scratch = NULL;
		a->scratch = pool_child(a->pool);
		alibi_op made = op_of(a->scratch, h, op);
		sized_write(out, &made, sizeof made);
	}
	return guard_leave(&a->guard);
}
