/* recent: see recent.h. */
#include "stream/core/recent.h"

enum { CHUNK = 1 << 14 };

void recent_init(struct recent *r, struct pool *pool, struct store *store, uint64_t seed,
                 size_t most)
{
	*r = (struct recent){.store = store, .most = most};
	table_init(&r->known, pool, seed);
}

bool recent_has(const struct recent *r, struct value v)
{
	return table_get(&r->known, v);
}

static struct value *place_at(const struct recent *r, size_t place)
{
	return &r->chunks.items[place / CHUNK][place % CHUNK];
}

void recent_add(struct recent *r, struct value v)
{
	struct pool *pool = r->known.pool;
	if (recent_has(r, v))
		return;
	if (r->next / CHUNK == r->chunks.count)
		vec_push(pool, &r->chunks, pool_array(pool, CHUNK, sizeof(struct value)));
	struct value *place = place_at(r, r->next);
	if (r->known.used == r->most) {
		table_take_out(&r->known, place);
		value_drop(r->store, *place);
	}
	*place = value_copy(r->store, v);
	table_put(&r->known, place);
	r->next = (r->next + 1) % r->most;
}

/* The oldest first. */
void recent_codec(struct recent *r, struct codec *c)
{
	uint64_t count = r->known.used;
	size_t oldest = count == r->most ? r->next : 0;
	codec_any(c, &count);
	for (uint64_t i = 0; c->write && i < count; i++)
		codec_any(c, place_at(r, (oldest + i) % r->most));
	for (uint64_t i = 0; !c->write && i < count; i++) {
		struct value v = {0};
		codec_any(c, &v);
		if (v.kind == ALIBI_LIST)
			codec_reject(c);
		recent_add(r, v);
		value_drop(r->store, v);
	}
}
