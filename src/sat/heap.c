/* heap: open variables, those of the highest rank or the most active first. */
#include "sat/internal.h"

static bool goes_first(const struct solver *s, uint32_t a, uint32_t b)
{
	const struct variable *v = s->variables.items;
	return s->by_rank ? v[a].rank > v[b].rank : v[a].activity > v[b].activity;
}

static void put(struct solver *s, size_t at, uint32_t variable)
{
	s->heap.items[at] = variable;
	s->variables.items[variable].heap_at = (uint32_t)at + 1;
}

static void sift_up(struct solver *s, size_t at)
{
	uint32_t variable = s->heap.items[at];
	for (; at && goes_first(s, variable, s->heap.items[(at - 1) / 2]); at = (at - 1) / 2)
		put(s, at, s->heap.items[(at - 1) / 2]);
	put(s, at, variable);
}

static void sift_down(struct solver *s, size_t at)
{
	uint32_t variable = s->heap.items[at];
	size_t child;
	while ((child = 2 * at + 1) < s->heap.count) {
		if (child + 1 < s->heap.count &&
		    goes_first(s, s->heap.items[child + 1], s->heap.items[child]))
			child++;
		if (!goes_first(s, s->heap.items[child], variable))
			break;
		put(s, at, s->heap.items[child]);
		at = child;
	}
	put(s, at, variable);
}

void heap_insert(struct solver *s, uint32_t variable)
{
	if (s->variables.items[variable].heap_at)
		return;
	vec_push(s->pool, &s->heap, variable);
	sift_up(s, s->heap.count - 1);
}

uint32_t heap_take(struct solver *s)
{
	if (!s->heap.count)
		return ID_NONE;
	uint32_t top = s->heap.items[0], last = s->heap.items[--s->heap.count];
	s->variables.items[top].heap_at = 0;
	if (s->heap.count) {
		put(s, 0, last);
		sift_down(s, 0);
	}
	return top;
}

void heap_bump(struct solver *s, uint32_t variable)
{
	struct variable *v = &s->variables.items[variable];
	v->activity += s->bump;
	if (v->activity > 1e100) {
		for (size_t i = 0; i < s->variables.count; i++)
			s->variables.items[i].activity *= 1e-100;
		s->bump *= 1e-100;
	}
	if (v->heap_at && !s->by_rank)
		sift_up(s, v->heap_at - 1);
}

void heap_by_activity(struct solver *s)
{
	s->by_rank = false;
	for (size_t at = s->heap.count / 2; at-- > 0;)
		sift_down(s, at);
}
