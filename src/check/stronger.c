/* stronger: see stronger.h. */
#include "check/stronger.h"

#include "base/guard.h"

#include <stdlib.h>
#include <string.h>

struct search_result stronger_with_starts(struct pool *pool, const struct search_result *serial)
{
	struct search_result found = {.found = true};
	found.events = pool_array(pool, 2 * serial->event_count + 1, sizeof *found.events);
	for (size_t i = 0; i < serial->event_count; i++) {
		uint32_t txn = event_txn(serial->events[i]);
		found.events[found.event_count++] = event_of(txn, false, false);
		found.events[found.event_count++] = event_of(txn, true, false);
	}
	return found;
}

static int by_op(const void *x, const void *y)
{
	const struct read_from *a = x, *b = y;
	return a->op < b->op ? -1 : a->op > b->op;
}

struct choosing {
	struct pool *pool;
	const struct history *h;
	uint32_t *writer; /* by key: its last writer */
	uint32_t *own;    /* by key: the last transaction that wrote it before reading on */
	VEC(struct read_from) chosen;
};

/* Named writers are no choices: the kernel checks them. */
static void choose(struct choosing *c, uint32_t txn)
{
	const struct history *h = c->h;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		uint32_t key = op_key(h->ops[op]);
		guard_tick(pool_guard(c->pool));
		if (op_writes(h->ops[op]))
			c->own[key] = txn;
		else if (!h->key_is_list[key] && c->own[key] != txn)
			vec_push(c->pool, &c->chosen, ((struct read_from){op, c->writer[key]}));
	}
}

static void write(struct choosing *c, uint32_t txn)
{
	const struct history *h = c->h;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		guard_tick(pool_guard(c->pool));
		if (op_writes(h->ops[op]))
			c->writer[op_key(h->ops[op])] = txn;
	}
}

static uint32_t *none_by_key(struct pool *pool, const struct history *h)
{
	size_t bytes = ((size_t)atoms_count(&h->keys) + 1) * sizeof(uint32_t);
	return memset(pool_alloc(pool, bytes), 0xff, bytes);
}

struct search_result stronger_with_choices(struct pool *pool, const struct history *h,
                                           const struct search_result *order, bool snapshot)
{
	struct choosing c = {
	        .pool = pool, .h = h, .writer = none_by_key(pool, h), .own = none_by_key(pool, h)};
	struct search_result found = {.found = true};
	found.events = pool_array(pool, order->event_count + 1, sizeof *found.events);
	for (size_t i = 0; i < order->event_count; i++) {
		uint32_t txn = event_txn(order->events[i]);
		bool commits = order->events[i] & 1;
		if (!snapshot || !commits)
			choose(&c, txn);
		if (!commits)
			continue;
		write(&c, txn);
		found.events[found.event_count++] = order->events[i];
	}
	if (c.chosen.count)
		qsort(c.chosen.items, c.chosen.count, sizeof *c.chosen.items, by_op);
	found.chosen = c.chosen.items;
	found.chosen_count = c.chosen.count;
	pool_free(pool, c.writer);
	pool_free(pool, c.own);
	return found;
}
