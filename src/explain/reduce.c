/* reduce: see reduce.h. */
#include "explain/reduce.h"

#include "base/guard.h"
#include "base/radix.h"
#include "explain/exceptions.h"

#include <assert.h>
#include <string.h>

enum {
	WHOLE_LISTS_MAX = 64, /* transactions: with more, lists are cut at once */
	WHOLE_LISTS_FINE = 6, /* transactions: with so few, lists are never cut */
};

/* Operations that are dropped together: those of a transaction, or one. */
struct item {
	uint32_t first, end;
};

struct reduction {
	struct pool *pool;
	const struct history *h;
	struct check_options options;
	struct keyed *writes; /* by key and value; item: operation */
	size_t write_count;
	bool *keep, *tried; /* by operation */
	bool cut;           /* elements may be removed from lists */
	const bool *prefer; /* by transaction, or NULL */
	VEC(struct item) items;
};

static void index_writes(struct reduction *r)
{
	const struct history *h = r->h;
	r->writes = pool_array(r->pool, (size_t)h->op_count + 1, sizeof *r->writes);
	for (uint32_t i = 0; i < h->op_count; i++)
		if (op_writes(h->ops[i]))
			r->writes[r->write_count++] =
			        (struct keyed){radix_pair(op_key(h->ops[i]), h->ops[i].value), i};
	radix_sort(r->pool, r->writes, r->write_count);
}

/* ---- what must be dropped together ---- */

static bool all_kept(const struct reduction *r, const bool *keep, uint32_t key, uint32_t value)
{
	uint64_t wanted = radix_pair(key, value);
	size_t i = radix_find(r->writes, r->write_count, wanted);
	for (; i < r->write_count && r->writes[i].key == wanted; i++)
		if (!keep[r->writes[i].item])
			return false;
	return true;
}

static bool any_kept(const struct reduction *r, const bool *keep, uint32_t txn)
{
	for (uint32_t i = r->h->txns[txn].first_op; i < txn_op_end(r->h, txn); i++)
		if (keep[i])
			return true;
	return false;
}

static bool writers_kept(const struct reduction *r, const bool *keep, uint32_t read)
{
	const struct history *h = r->h;
	struct op o = h->ops[read];
	size_t count;
	if (!h->key_is_list[op_key(o)])
		return all_kept(r, keep, op_key(o), o.value);
	const uint32_t *items = atoms_items(&h->values, o.value, &count);
	for (size_t i = 0; i < count && !r->cut; i++, guard_tick(pool_guard(r->pool)))
		if (!all_kept(r, keep, op_key(o), items[i]))
			return false;
	return true;
}

static bool read_has_its_writers(const struct reduction *r, const bool *keep, uint32_t txn,
                                 uint32_t read)
{
	const struct history *h = r->h;
	uint32_t key = op_key(h->ops[read]), named;
	bool cuts = r->cut && h->key_is_list[key], own = false;
	for (uint32_t i = h->txns[txn].first_op; i < read; i++) {
		bool writes = op_writes(h->ops[i]) && op_key(h->ops[i]) == key;
		if (!cuts && writes && !keep[i])
			return false;
		own |= writes && !h->key_is_list[key];
	}
	if (history_read_from(h, read, &named) && named != ID_NONE && !any_kept(r, keep, named))
		return false;
	return own || writers_kept(r, keep, read);
}

/* If an element was appended twice, both appends are dropped, or none. */
static void close_appends(const struct reduction *r, bool *keep)
{
	for (size_t first = 0, end; first < r->write_count; first = end) {
		bool all = true;
		for (end = first;
		     end < r->write_count && r->writes[end].key == r->writes[first].key; end++)
			all &= keep[r->writes[end].item];
		for (size_t i = first; i < end && !all; i++)
			if (op_kind(r->h->ops[r->writes[i].item]) == ALIBI_APPEND)
				keep[r->writes[i].item] = false;
	}
}

static void drop_dangling_reads(const struct reduction *r, bool *keep)
{
	const struct history *h = r->h;
	if (r->cut)
		close_appends(r, keep);
	bool *lost = exceptions_lost(r->pool, h, keep);
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		for (uint32_t i = h->txns[txn].first_op; i < txn_op_end(h, txn); i++) {
			guard_tick(pool_guard(r->pool));
			const struct query *q = query_at(h, i);
			if (keep[i] && op_kind(h->ops[i]) == ALIBI_READ && !(q && q->opaque))
				keep[i] = h->txns[txn].status == ALIBI_COMMIT &&
				          !(lost && lost[op_key(h->ops[i])]) &&
				          read_has_its_writers(r, keep, txn, i);
		}
	pool_free(r->pool, lost);
}

void reduce_close(struct pool *pool, const struct history *h, bool *keep)
{
	struct pool *own = pool_child(pool);
	struct reduction r = {.pool = own, .h = h};
	index_writes(&r);
	drop_dangling_reads(&r, keep);
	pool_release(own);
}

/* ---- dropping ---- */

static bool violates(const struct reduction *r, const bool *keep)
{
	struct pool *own = pool_child(r->pool);
	struct subset s = subset_of(own, r->h, keep);
	bool yes = check(own, s.h, &r->options)->verdict == ALIBI_VIOLATES;
	pool_release(own);
	return yes;
}

/* Drops the items from first up to end, if the rest still violates. */
static bool drop(struct reduction *r, size_t first, size_t end)
{
	memcpy(r->tried, r->keep, r->h->op_count * sizeof *r->keep);
	for (size_t i = first; i < end; i++)
		for (uint32_t op = r->items.items[i].first; op < r->items.items[i].end; op++)
			r->tried[op] = false;
	drop_dangling_reads(r, r->tried);
	if (!violates(r, r->tried))
		return false;
	bool *swap = r->keep;
	r->keep = r->tried;
	r->tried = swap;
	return true;
}

static void list_txn(struct reduction *r, uint32_t txn, bool by_txn)
{
	uint32_t first = r->h->txns[txn].first_op, end = txn_op_end(r->h, txn);
	if (by_txn && any_kept(r, r->keep, txn))
		vec_push(r->pool, &r->items, ((struct item){first, end}));
	for (uint32_t i = first; i < end && !by_txn; i++)
		if (r->keep[i])
			vec_push(r->pool, &r->items, ((struct item){i, i + 1}));
}

/* Preferred transactions are tried last. */
static void list_items(struct reduction *r, bool by_txn)
{
	r->items.count = 0;
	for (uint32_t txn = 0; txn < r->h->txn_count; txn++)
		if (!r->prefer || !r->prefer[txn])
			list_txn(r, txn, by_txn);
	for (uint32_t txn = 0; r->prefer && txn < r->h->txn_count; txn++)
		if (r->prefer[txn])
			list_txn(r, txn, by_txn);
}

/* Tries groups of half of the items, of a quarter, and so on down to one. Was any dropped? */
static bool sweep(struct reduction *r, bool by_txn)
{
	bool any = false;
	list_items(r, by_txn);
	for (size_t size = (r->items.count + 1) / 2; size; size = size == 1 ? 0 : (size + 1) / 2) {
		for (size_t first = 0; first < r->items.count; first += size) {
			size_t end = first + size < r->items.count ? first + size : r->items.count;
			any |= drop(r, first, end);
		}
		list_items(r, by_txn);
	}
	return any;
}

static void minimise(struct reduction *r)
{
	for (bool again = true; again;) {
		bool txns = sweep(r, true), ops = sweep(r, false);
		again = txns || ops;
	}
}

static uint32_t count_txns(const struct reduction *r)
{
	uint32_t count = 0;
	for (uint32_t txn = 0; txn < r->h->txn_count; txn++)
		count += any_kept(r, r->keep, txn);
	return count;
}

struct subset reduce_history(struct pool *pool, const struct history *h,
                             const struct check_options *options, const bool *prefer)
{
	struct pool *own = pool_child(pool);
	struct reduction r = {.pool = own, .h = h, .options = *options, .prefer = prefer};
	assert(h->txn_count); /* an empty history violates nothing */
	bool lists = h->empty_list != ID_NONE;
	index_writes(&r);
	r.keep = pool_array(own, (size_t)h->op_count + 1, sizeof *r.keep);
	r.tried = pool_array(own, (size_t)h->op_count + 1, sizeof *r.tried);
	memset(r.keep, true, (size_t)h->op_count + 1);
	r.cut = lists && h->txn_count > WHOLE_LISTS_MAX;
	minimise(&r);
	if (lists && !r.cut && count_txns(&r) > WHOLE_LISTS_FINE) {
		r.cut = true;
		minimise(&r);
	}
	struct subset made = subset_of(pool, h, r.keep);
	pool_release(own);
	return made;
}
