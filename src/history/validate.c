/* validate: see validate.h. */
#include "history/validate.h"

static bool txns_valid(const struct history *h)
{
	bool ok = h->txns[h->txn_count].first_op == h->op_count && !h->txns[0].first_op;
	for (uint32_t t = 0; t < h->txn_count; t++) {
		const struct txn *x = &h->txns[t];
		ok &= x->first_op <= x[1].first_op && x->session < h->session_count;
		ok &= !t || x[-1].number < x->number;
	}
	return ok;
}

/* Each transaction is in its session, in the order of the history. */
static bool sessions_valid(const struct history *h)
{
	bool ok = h->session_first[h->session_count] == h->txn_count;
	for (uint32_t s = 0; s < h->session_count && ok; s++)
		for (uint32_t i = h->session_first[s]; i < h->session_first[s + 1]; i++) {
			uint32_t t = h->session_txns[i];
			ok &= t < h->txn_count && h->txns[t].session == s;
			ok &= i == h->session_first[s] || h->session_txns[i - 1] < t;
		}
	return ok;
}

/* On list keys there are appends, and reads of lists; no other value is a list. */
static bool ops_valid(const struct history *h)
{
	for (uint32_t i = 0; i < h->op_count; i++) {
		struct op o = h->ops[i];
		if (op_key(o) >= atoms_count(&h->keys) || o.value >= atoms_count(&h->values))
			return false;
		bool of_list = h->key_is_list[op_key(o)], read = op_kind(o) == ALIBI_READ;
		bool is_list = atoms_kind(&h->values, o.value) == ALIBI_LIST;
		if (is_list != (of_list && read) ||
		    (!read && of_list != (op_kind(o) == ALIBI_APPEND)))
			return false;
	}
	return true;
}

static bool columns_sorted(const struct history *h)
{
	bool ok = true;
	for (size_t i = 0; i < h->from.count; i++) {
		const struct read_from *f = &h->from.items[i];
		ok &= f->op < h->op_count && op_kind(h->ops[f->op]) == ALIBI_READ;
		ok &= f->writer == ID_NONE || f->writer < h->txn_count;
		ok &= !i || f[-1].op < f->op;
	}
	for (size_t i = 0; i < h->initial.count; i++)
		ok &= !h->key_is_list[h->initial.items[i].key] &&
		      (!i || h->initial.items[i - 1].key < h->initial.items[i].key);
	return ok;
}

/* The rows of a query follow it in its transaction, and it asks for their keys, but for its
 * exceptions. */
static bool query_valid(const struct history *h, const struct query *q)
{
	bool ok = is_query(h, q->op) && h->ops[q->op].value == h->initial_default &&
	          q->op + q->rows < txn_op_end(h, history_txn_at(h, q->op)) &&
	          !(q->opaque && q->rows);
	for (uint32_t i = 1; i < q->excepts && ok; i++)
		ok = query_except(h, q)[i - 1] <= query_except(h, q)[i];
	for (uint32_t row = q->op + 1; row <= q->op + q->rows && ok; row++)
		ok = !is_query(h, row) && query_row(h, q, op_key(h->ops[row])) == row;
	return ok;
}

static bool queries_valid(const struct history *h)
{
	const struct queries *x = h->queries;
	bool ok = !x || x->cell_first.count == atoms_count(&h->values) + 1;
	for (size_t i = 0; x && i < x->list.count; i++)
		ok &= (!i || x->list.items[i - 1].op < x->list.items[i].op) &&
		      query_valid(h, &x->list.items[i]);
	for (size_t i = 1; x && i < x->cell_first.count; i++)
		ok &= x->cell_first.items[i - 1] <= x->cell_first.items[i];
	return ok;
}

bool history_validate(const struct history *h)
{
	return txns_valid(h) && sessions_valid(h) && ops_valid(h) && columns_sorted(h) &&
	       queries_valid(h);
}
