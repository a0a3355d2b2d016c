/* history: see history.h. */
#include "history/query.h"

#include "base/bisect.h"
#include "base/guard.h"

uint32_t history_txn_at(const struct history *h, uint32_t op)
{
	uint32_t t;
	bisect(t, 0, h->txn_count, h->txns[t].first_op <= op);
	return t ? t - 1 : 0;
}

uint32_t history_initial(const struct history *h, uint32_t key)
{
	if (h->key_is_list[key])
		return h->empty_list;
	size_t at;
	bisect(at, 0, h->initial.count, h->initial.items[at].key < key);
	if (at < h->initial.count && h->initial.items[at].key == key)
		return h->initial.items[at].value;
	return h->initial_default;
}

bool history_read_from(const struct history *h, uint32_t op, uint32_t *writer)
{
	size_t at;
	bisect(at, 0, h->from.count, h->from.items[at].op < op);
	if (at == h->from.count || h->from.items[at].op != op)
		return false;
	*writer = h->from.items[at].writer;
	return true;
}

bool history_ended_before(const struct history *h, uint32_t s, uint32_t t, uint64_t skew)
{
	if (!h->times || !(h->txns[s].has & ALIBI_HAS_END) || !(h->txns[t].has & ALIBI_HAS_BEGIN))
		return false;
	int64_t end = h->times[s].end, begin = h->times[t].begin;
	return end < begin && (uint64_t)begin - (uint64_t)end > skew;
}

void history_note_begin(const struct history *h, uint32_t txn, uint32_t begun[2])
{
	for (int i = 0; i < 2 && txn != ID_NONE && h->txns[txn].has & ALIBI_HAS_BEGIN; i++) {
		uint32_t other = begun[i];
		if (other == ID_NONE || h->times[txn].begin > h->times[other].begin) {
			begun[i] = txn;
			txn = other;
		}
	}
}

alibi_value history_txn_id(const struct history *h, uint32_t txn)
{
	if (h->txn_id && h->txn_id[txn] != ID_NONE)
		return atoms_value(&h->names, h->txn_id[txn]);
	return (alibi_value){.kind = ALIBI_INT, .integer = h->txns[txn].number};
}

uint32_t *history_session_before(struct pool *pool, const struct history *h)
{
	uint32_t *session_before = pool_array(pool, (size_t)h->txn_count + 1, sizeof(uint32_t));
	for (uint32_t s = 0; s < h->session_count; s++) {
		uint32_t before = ID_NONE;
		for (uint32_t i = h->session_first[s]; i < h->session_first[s + 1]; i++) {
			uint32_t txn = h->session_txns[i];
			session_before[txn] = before;
			if (h->txns[txn].status == ALIBI_COMMIT)
				before = txn;
			guard_tick(pool_guard(pool));
		}
	}
	return session_before;
}

static void count_ops(const struct history *h, alibi_stats *s)
{
	for (uint32_t i = 0; i < h->op_count; i++) {
		struct op o = h->ops[i];
		switch (op_kind(o)) {
		case ALIBI_READ:
			s->reads += !is_query(h, i);
			s->list_reads += h->key_is_list[op_key(o)];
			break;
		case ALIBI_WRITE:
			s->writes += o.value != ATOM_NULL;
			s->deletes += o.value == ATOM_NULL;
			break;
		case ALIBI_APPEND:
			s->appends++;
			break;
		case ALIBI_QUERY: /* inside, a read with rows (query.h) */
			break;
		}
	}
}

alibi_stats history_stats(const struct history *h)
{
	alibi_stats s = {
	        .format = h->format,
	        .source = h->source,
	        .claimed_level = h->claimed_level,
	        .txns = h->txn_count,
	        .sessions = h->session_count,
	        .ops = h->op_count,
	        .keys = atoms_count(&h->keys) - (h->queries != NULL),
	        .values = atoms_count(&h->values) - 1 -
	                  (h->queries ? h->queries->made_values : 0), /* null is none */
	        .annotations = h->annotations.count,
	        .with_info = h->info.count,
	        .reads_with_writer = h->from.count,
	        .queries = h->queries ? h->queries->list.count : 0,
	        .bytes = pool_guard(h->pool)->used,
	};
	for (uint32_t t = 0; t < h->txn_count; t++) {
		unsigned has = h->txns[t].has;
		s.committed += h->txns[t].status == ALIBI_COMMIT;
		s.aborted += h->txns[t].status == ALIBI_ABORT;
		s.unknown += h->txns[t].status == ALIBI_UNKNOWN_STATUS;
		s.with_client_times += (has & BOTH_TIMES) != 0;
		s.with_timestamps += (has & (ALIBI_HAS_START_TS | ALIBI_HAS_COMMIT_TS)) != 0;
	}
	for (size_t k = 0; k < atoms_count(&h->keys); k++)
		s.list_keys += h->key_is_list[k];
	count_ops(h, &s);
	return s;
}
