/*
 * reduce: forgetting. Learnt clauses whose literals come from many levels (a
 * large LBD) rarely help again; the worse half of them goes, and so does what is
 * satisfied for good. The arena is packed and all watches are set anew, which is
 * simple because it happens at level 0 only.
 */
#include "base/guard.h"
#include "sat/internal.h"

#include <assert.h>
#include <stdlib.h>

static int by_lbd(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;
	return *a < *b ? -1 : *a > *b;
}

/* The largest LBD of a clause that stays. */
static uint32_t limit(struct solver *s)
{
	VEC(uint32_t) lbds = {0};
	const uint32_t *arena = s->arena.items;
	for (size_t at = 0; at < s->arena.count; at += CLAUSE_LITERALS + arena[at + CLAUSE_SIZE])
		if (arena[at + CLAUSE_LBD] != LBD_ORIGINAL)
			vec_push(s->pool, &lbds, arena[at + CLAUSE_LBD]);
	if (!lbds.count)
		return UINT32_MAX;
	qsort(lbds.items, lbds.count, sizeof *lbds.items, by_lbd);
	uint32_t middle = lbds.items[lbds.count / 2];
	pool_free(s->pool, lbds.items);
	return middle > 3 ? middle - 1 : 2;
}

static bool satisfied(const struct solver *s, const uint32_t *clause)
{
	for (uint32_t i = 0; i < clause[CLAUSE_SIZE]; i++)
		if (lit_value(s, clause[CLAUSE_LITERALS + i]) > 0)
			return true;
	return false;
}

/* Two literals that are not false come first. */
static void choose_watches(const struct solver *s, uint32_t *clause)
{
	lit *l = clause + CLAUSE_LITERALS;
	for (uint32_t w = 0; w < 2; w++) {
		uint32_t i = w;
		while (lit_value(s, l[i]) < 0)
			i++;
		assert(i < clause[CLAUSE_SIZE]);
		lit swap = l[w];
		l[w] = l[i];
		l[i] = swap;
	}
}

void reduce(struct solver *s)
{
	uint32_t *arena = s->arena.items, worst = limit(s);
	size_t kept = 0, size;
	assert(!solver_level(s) && s->head == s->trail.count);
	for (size_t i = 0; i < s->watches.count; i++)
		s->watches.items[i].count = 0;
	for (size_t at = 0; at < s->arena.count; at += size) {
		size = CLAUSE_LITERALS + arena[at + CLAUSE_SIZE];
		guard_tick(s->guard);
		if (arena[at + CLAUSE_LBD] > worst || satisfied(s, arena + at))
			continue;
		for (size_t i = 0; i < size; i++)
			arena[kept + i] = arena[at + i];
		choose_watches(s, arena + kept);
		solver_attach(s, (clause_ref){(uint32_t)kept});
		kept += size;
	}
	s->arena.count = kept;
}
