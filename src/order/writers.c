/* writers: see writers.h. */
#include "order/writers.h"

#include "base/guard.h"

void writers_index(struct writers *w, struct pool *pool, const struct problem *p)
{
	size_t keys = (size_t)p->keys + 2, writes = p->writes.count + 1;
	*w = (struct writers){.pool = pool, .p = p};
	w->first = pool_zarray(pool, keys, sizeof *w->first);
	w->writes = pool_array(pool, writes, sizeof *w->writes);
	w->slot = pool_array(pool, writes, sizeof *w->slot);
	for (size_t i = 0; i < p->writes.count; i++, guard_tick(pool_guard(pool)))
		w->first[p->writes.items[i].key + 2]++;
	for (size_t i = 2; i < keys; i++)
		w->first[i] += w->first[i - 1];
	for (uint32_t slot = 0, i = 0; slot < p->slots; slot++)
		for (; i < p->write_first[slot + 1]; i++, guard_tick(pool_guard(pool))) {
			w->writes[w->first[p->writes.items[i].key + 1]++] = i;
			w->slot[i] = slot;
		}
}

slot_vec *writers_explain(struct writers *w, const struct query *q, uint32_t key, uint32_t row,
                          uint32_t reader)
{
	const struct problem *p = w->p;
	uint32_t number = p->number_of[key];
	w->explain.count = 0;
	for (uint32_t i = w->first[number]; i < w->first[number + 1]; i++) {
		uint32_t write = w->writes[i];
		guard_tick(pool_guard(w->pool));
		if (w->slot[write] != reader &&
		    query_explains(p->h, q, row, p->writes.items[write].value))
			vec_push(w->pool, &w->explain, w->slot[write]);
	}
	return &w->explain;
}
