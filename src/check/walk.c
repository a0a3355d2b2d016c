/* walk: see walk.h. */
#include "check/walk.h"

#include "base/guard.h"

#include <string.h>

void walk_init(struct walk *w, struct pool *pool, const struct problem *p)
{
	size_t keys = (size_t)p->keys + 1;
	w->p = p;
	w->writer = pool_array(pool, keys, sizeof *w->writer);
	w->value = pool_array(pool, keys, sizeof *w->value);
	if (!p->h->queries)
		return;
	rows_init(&w->initially, pool, p->h, p->keys, p->number_of);
	rows_init(&w->rows, pool, p->h, p->keys, p->number_of);
	for (uint32_t key = 0; key < p->keys; key++, guard_tick(pool_guard(pool)))
		rows_set(&w->initially, key, history_initial(p->h, p->key_of[key]));
}

void walk_restart(struct walk *w)
{
	memset(w->writer, 0xff, ((size_t)w->p->keys + 1) * sizeof *w->writer);
	if (w->p->h->queries)
		rows_copy(&w->rows, &w->initially);
}

void walk_write(struct walk *w, uint32_t slot, uint32_t key, uint32_t value)
{
	w->writer[key] = slot;
	w->value[key] = value;
	if (w->p->h->queries && value != ID_NONE)
		rows_set(&w->rows, key, value);
}
