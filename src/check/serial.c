/* serial: see serial.h. */
#include "check/serial.h"

#include "base/guard.h"

#include <stdlib.h>
#include <string.h>

struct search_result serial_with_starts(struct pool *pool, const struct search_result *serial)
{
	struct search_result found = {.found = true};
	found.events = pool_array(pool, 2 * serial->event_count + 1, sizeof *found.events);
	for (size_t i = 0; i < serial->event_count; i++) {
		uint32_t txn = serial->events[i] >> 2;
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

/* Named writers are no choices: the kernel sees to them. */
struct search_result serial_with_choices(struct pool *pool, const struct history *h,
                                         const struct search_result *serial)
{
	struct search_result found = {.found = true, .event_count = serial->event_count};
	uint32_t *writer = pool_array(pool, atoms_count(&h->keys) + 1, sizeof *writer);
	VEC(struct read_from) chosen = {0};
	memset(writer, 0xff, (atoms_count(&h->keys) + 1) * sizeof *writer);
	found.events = pool_array(pool, serial->event_count + 1, sizeof *found.events);
	for (size_t i = 0; i < serial->event_count; i++) {
		uint32_t txn = serial->events[i] >> 2;
		found.events[i] = serial->events[i];
		for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
			uint32_t key = op_key(h->ops[op]);
			guard_tick(pool_guard(pool));
			if (op_writes(h->ops[op]))
				writer[key] = txn;
			else if (!h->key_is_list[key] && writer[key] != txn)
				vec_push(pool, &chosen, ((struct read_from){op, writer[key]}));
		}
	}
	if (chosen.count)
		qsort(chosen.items, chosen.count, sizeof *chosen.items, by_op);
	found.chosen = chosen.items;
	found.chosen_count = chosen.count;
	pool_free(pool, writer);
	return found;
}
