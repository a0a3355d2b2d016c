/* recent: see recent.h. */
#include "stream/recent.h"

enum { PIECE = 1 << 14 };

static bool same(const void *item, const void *wanted)
{
	return value_same(*(const struct value *)item, *(const struct value *)wanted);
}

void recent_init(struct recent *r, struct pool *pool, struct store *store, uint64_t seed,
                 size_t most)
{
	*r = (struct recent){.store = store, .seed = seed, .most = most};
	table_init(&r->known, pool);
}

bool recent_has(const struct recent *r, struct value v)
{
	return table_find(&r->known, value_hash(v, r->seed), same, &v);
}

static struct value *place_at(const struct recent *r, size_t place)
{
	return &r->pieces.items[place / PIECE][place % PIECE];
}

void recent_add(struct recent *r, struct value v)
{
	struct pool *pool = r->known.pool;
	if (recent_has(r, v))
		return;
	if (r->next / PIECE == r->pieces.count)
		vec_push(pool, &r->pieces, pool_array(pool, PIECE, sizeof(struct value)));
	struct value *place = place_at(r, r->next);
	if (r->known.used == r->most) {
		table_remove(&r->known, value_hash(*place, r->seed), place);
		value_drop(r->store, *place);
	}
	*place = value_copy(r->store, v);
	table_add(&r->known, value_hash(v, r->seed), place);
	r->next = (r->next + 1) % r->most;
}

/* The oldest first. */
void recent_tape(struct recent *r, struct tape *t)
{
	uint64_t count = r->known.used;
	size_t oldest = count == r->most ? r->next : 0;
	tape_count(t, &count);
	for (uint64_t i = 0; t->write && i < count; i++)
		tape_value(t, place_at(r, (oldest + i) % r->most));
	for (uint64_t i = 0; !t->write && i < count; i++) {
		struct value v = {0};
		tape_value(t, &v);
		if (v.kind == ALIBI_LIST)
			tape_refuse(t);
		recent_add(r, v);
		value_drop(r->store, v);
	}
}
