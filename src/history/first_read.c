/* first_read: see first_read.h. */
#include "history/first_read.h"

#include "base/guard.h"
#include "base/map.h"
#include "history/builder.h"

#include <assert.h>

static uint64_t key_and_value(struct op o)
{
	return (uint64_t)(op_key(o) + 1) << 32 | o.value;
}

static struct map writes_of(struct pool *pool, const struct history *h, uint32_t key)
{
	struct map writes = {0};
	for (uint32_t i = 0; i < h->op_count; i++, guard_tick(pool_guard(pool)))
		if (op_writes(h->ops[i]) && (key == ID_NONE || op_key(h->ops[i]) == key))
			map_put(pool, &writes, key_and_value(h->ops[i]), 0);
	return writes;
}

static bool names_a_writer(const struct history *h, uint32_t op)
{
	uint32_t writer;
	return history_read_from(h, op, &writer) && writer != ID_NONE;
}

op_vec first_read_unwritten(struct pool *pool, const struct history *h, uint32_t key)
{
	assert(!has_opaque(h));
	struct pool *own = pool_child(pool);
	struct map writes = writes_of(own, h, key);
	/* by key: the last transaction, + 1, that wrote it so far */
	uint32_t *written_by = pool_zarray(own, atoms_count(&h->keys) + 1, sizeof *written_by);
	op_vec found = {0};
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		for (uint32_t i = h->txns[txn].first_op; i < txn_op_end(h, txn); i++) {
			struct op o = h->ops[i];
			guard_tick(pool_guard(pool));
			if (op_writes(o))
				written_by[op_key(o)] = txn + 1;
			else if (h->txns[txn].status == ALIBI_COMMIT &&
			         (key == ID_NONE || op_key(o) == key) && !is_query(h, i) &&
			         !h->key_is_list[op_key(o)] && written_by[op_key(o)] != txn + 1 &&
			         !map_find(&writes, key_and_value(o)) && !names_a_writer(h, i))
				vec_push(pool, &found, i);
		}
	pool_release(own);
	return found;
}

void first_read_bind(struct history *h)
{
	op_vec reads = first_read_unwritten(h->pool, h, ID_NONE);
	bool *bound = pool_zarray(h->pool, atoms_count(&h->keys) + 1, sizeof *bound); /* by key */
	for (size_t i = 0; i < h->initial.count; i++)
		bound[h->initial.items[i].key] = true;
	for (size_t i = 0; i < reads.count; i++) {
		struct op o = h->ops[reads.items[i]];
		if (!bound[op_key(o)] && o.value != h->initial_default)
			vec_push(h->pool, &h->initial,
			         ((struct initial_value){.key = op_key(o), .value = o.value}));
		bound[op_key(o)] = true;
	}
	builder_sort_initial(h);
	pool_free(h->pool, reads.items);
	pool_free(h->pool, bound);
}
