/* written: see written.h. */
#include "format/written.h"

#include "base/bisect.h"
#include "base/guard.h"

struct written written_index(struct pool *pool, const struct op *ops, size_t op_count)
{
	struct guard *g = pool_guard(pool);
	struct written w = {0};
	for (size_t i = 0; i < op_count; i++)
		w.count += op_kind(ops[i]) == ALIBI_WRITE;
	w.writes = pool_array(pool, w.count + 1, sizeof *w.writes);
	size_t at = 0;
	for (size_t i = 0; i < op_count; i++) {
		guard_tick(g);
		if (op_kind(ops[i]) == ALIBI_WRITE)
			w.writes[at++] =
			        (struct keyed){.key = radix_pair(op_key(ops[i]), ops[i].value),
			                       .item = (uint32_t)i};
	}
	radix_sort(pool, w.writes, w.count);
	return w;
}

/* The first of n sorted writes that is not below: by key, then by operation. */
static size_t first_not_below(const struct keyed *writes, size_t n, uint64_t key, uint32_t op)
{
	size_t at;
	bisect(at, 0, n, writes[at].key < key || (writes[at].key == key && writes[at].item < op));
	return at;
}

struct writers written_to(const struct written *w, uint32_t key, uint32_t value)
{
	size_t from = first_not_below(w->writes, w->count, radix_pair(key, value), 0);
	size_t to = first_not_below(w->writes, w->count, radix_pair(key, value), UINT32_MAX);
	return (struct writers){.writes = w->writes + from, .count = to - from};
}

uint32_t writers_in(struct writers w, const struct history *h, uint32_t txn)
{
	if (!w.count)
		return ID_NONE;
	size_t end = first_not_below(w.writes, w.count, w.writes[0].key, txn_op_end(h, txn));
	bool found = end > 0 && w.writes[end - 1].item >= h->txns[txn].first_op;
	return found ? w.writes[end - 1].item : ID_NONE;
}

bool writers_only(struct writers w, const struct history *h, uint32_t txn)
{
	return w.count && w.writes[0].item >= h->txns[txn].first_op &&
	       w.writes[w.count - 1].item < txn_op_end(h, txn);
}
