/* vec: see vec.h. */
#include "base/vec.h"

#include <assert.h>

enum { FIRST_BYTES = 64, LARGE_BYTES = 1 << 20 };

void *vec_grown(struct pool *p, void *items, size_t *capacity, size_t wanted, size_t item_size)
{
	assert(wanted > *capacity);
	size_t more = *capacity * item_size < LARGE_BYTES ? *capacity : *capacity / 8;
	size_t next = *capacity + more;
	if (next < wanted)
		next = wanted;
	if (next * item_size < FIRST_BYTES)
		next = FIRST_BYTES / item_size + 1;
	items = pool_resize(p, items, next * item_size);
	*capacity = next;
	return items;
}

void *vec_trimmed(struct pool *p, void *items, size_t *capacity, size_t count, size_t item_size)
{
	assert(count <= *capacity);
	if (!items || count == *capacity)
		return items;
	*capacity = count;
	return pool_resize(p, items, count * item_size);
}
