/* radix: see radix.h. */
#include "base/radix.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "base/pool.h"

#include <assert.h>
#include <string.h>

enum { BYTES = 8, BUCKETS = 256, VALIDATED_MOST = 1 << 10 };

static unsigned byte_of(uint64_t key, unsigned pass)
{
	return (unsigned)(key >> (8 * pass)) & (BUCKETS - 1);
}

/* Turns counts into places; false: all keys have the same byte here. */
static bool places(size_t *counts, size_t total)
{
	size_t place = 0;
	for (unsigned b = 0; b < BUCKETS; b++) {
		size_t n = counts[b];
		if (n == total)
			return false;
		counts[b] = place;
		place += n;
	}
	return true;
}

void radix_sort(struct pool *pool, struct keyed *items, size_t count)
{
	size_t counts[BYTES][BUCKETS] = {{0}};
	if (count < 2)
		return;
	struct guard *guard = pool_guard(pool);
	struct keyed *other = pool_array(pool, count, sizeof *other), *from = items, *to = other;
	for (size_t i = 0; i < count; i++, guard_tick(guard))
		for (unsigned pass = 0; pass < BYTES; pass++)
			counts[pass][byte_of(items[i].key, pass)]++;
	for (unsigned pass = 0; pass < BYTES; pass++) {
		if (!places(counts[pass], count))
			continue;
		for (size_t i = 0; i < count; i++, guard_tick(guard))
			to[counts[pass][byte_of(from[i].key, pass)]++] = from[i];
		struct keyed *swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof *items);
	pool_free(pool, other);
	assert(count > VALIDATED_MOST || radix_is_sorted(items, count)); /* not in hot loops */
}

bool radix_is_sorted(const struct keyed *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (items[i - 1].key > items[i].key)
			return false;
	return true;
}

size_t radix_find(const struct keyed *items, size_t count, uint64_t key)
{
	size_t at;
	bisect(at, 0, count, items[at].key < key);
	return at;
}
