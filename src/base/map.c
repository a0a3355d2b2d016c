/* map: see map.h. */
#include "base/map.h"

#include "base/pool.h"

#include <assert.h>

enum { FIRST_SIZE = 256 };

static size_t place_for(const struct map *m, uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash ^ hash >> 32) & (m->size - 1);
	while (m->keys[at] && m->keys[at] != key)
		at = (at + 1) & (m->size - 1);
	return at;
}

uint32_t *map_find(const struct map *m, uint64_t key)
{
	if (!m->size)
		return NULL;
	size_t at = place_for(m, key);
	return m->keys[at] ? &m->values[at] : NULL;
}

static void grow(struct pool *pool, struct map *m)
{
	struct map bigger = {.size = m->size ? 2 * m->size : FIRST_SIZE, .used = m->used};
	bigger.keys = pool_zarray(pool, bigger.size, sizeof *bigger.keys);
	bigger.values = pool_array(pool, bigger.size, sizeof *bigger.values);
	for (size_t i = 0; i < m->size; i++) {
		if (!m->keys[i])
			continue;
		size_t at = place_for(&bigger, m->keys[i]);
		bigger.keys[at] = m->keys[i];
		bigger.values[at] = m->values[i];
	}
	pool_free(pool, m->keys);
	pool_free(pool, m->values);
	*m = bigger;
	assert(map_validate(m)); /* as often as it grows, so in amortized constant time */
}

bool map_validate(const struct map *m)
{
	size_t used = 0;
	for (size_t i = 0; i < m->size; i++) {
		used += m->keys[i] != 0;
		if (m->keys[i] && place_for(m, m->keys[i]) != i)
			return false;
	}
	return !(m->size & (m->size - 1)) && used == m->used && 2 * used <= m->size;
}

uint32_t *map_put(struct pool *pool, struct map *m, uint64_t key, uint32_t fresh)
{
	assert(key);
	if (2 * m->used >= m->size)
		grow(pool, m);
	size_t at = place_for(m, key);
	if (!m->keys[at]) {
		m->keys[at] = key;
		m->values[at] = fresh;
		m->used++;
	}
	return &m->values[at];
}
