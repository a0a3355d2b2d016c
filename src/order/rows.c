/* rows: see rows.h. */
#include "order/rows.h"

#include "base/guard.h"

#include <string.h>

void rows_init(struct rows *r, struct pool *pool, const struct history *h, size_t keys,
               const uint32_t *number_of)
{
	*r = (struct rows){.pool = pool, .h = h, .keys = keys, .number_of = number_of};
	r->value = pool_zarray(pool, keys + 1, sizeof *r->value);
	for (uint32_t i = 0; i < h->queries->ranks->compared_count; i++)
		r->rank[i] = pool_zarray(pool, keys + 1, sizeof **r->rank);
}

void rows_set(struct rows *r, uint32_t number, uint32_t value)
{
	const struct queries *x = r->h->queries;
	r->value[number] = value;
	for (uint32_t i = 0; i < x->ranks->compared_count; i++)
		r->rank[i][number] = query_rank(x, value, x->ranks->compared[i]);
}

void rows_copy(struct rows *r, const struct rows *as)
{
	memcpy(r->value, as->value, r->keys * sizeof *r->value);
	for (uint32_t i = 0; i < r->h->queries->ranks->compared_count; i++)
		memcpy(r->rank[i], as->rank[i], r->keys * sizeof **r->rank);
}

/* One comparison that an array has: other conditions are asked of what is left. */
static const struct interval *first_of(const struct queries *x, const struct query *q)
{
	for (uint32_t i = q->comparison; i < q->comparison + q->comparisons;) {
		const struct comparison *c = &x->comparisons.items[i];
		const struct interval *interval = &x->ranks->of_comparison[i];
		if (c->kind != COMPARE_IN && !joins(c) && interval->place < ROWS_COLUMNS)
			return interval;
		i += condition_size(c);
	}
	return NULL;
}

void rows_match(struct rows *r, const struct query *q)
{
	const struct interval *c = first_of(r->h->queries, q);
	const uint32_t *of = c ? r->rank[c->place] : r->value;
	uint32_t low = c ? c->low : ATOM_NULL + 1, width = c ? c->high - c->low : UINT32_MAX - low;
	size_t count;
	const uint32_t *keys = query_keys(r->h, q, &count);
	r->found.count = 0;
	for (size_t i = 0; i < count && (!c || c->low <= c->high); i++) {
		uint32_t number = r->number_of ? r->number_of[keys[i]] : keys[i];
		if (of[number] - low > width)
			continue;
		guard_tick(pool_guard(r->pool));
		if (query_matches(r->h, q, r->value[number]))
			vec_push(r->pool, &r->found, keys[i]);
	}
}
