/*
 * searching: how a search goes, for the user who waits for it.
 *
 * The job has one of these, and its guard knows it. Of the threads of a team only the one that
 * reports progress writes to it; the guards of the others have none.
 */
#ifndef ALIBI_BASE_SEARCHING_H
#define ALIBI_BASE_SEARCHING_H

#include "base/guard.h"

struct searching {
	alibi_search_state state; /* its seconds are not filled; level NULL: there is no search */
	uint64_t since_ns;        /* it is at this level */
	uint64_t ordered;         /* transactions of the components that have an order */
	alibi_decided_fn *decided;
	void *decided_data;
};

static inline void searching_level(const struct guard *g, const char *level, const char *next_level)
{
	if (!g->searching)
		return;
	g->searching->state = (alibi_search_state){.level = level, .next_level = next_level};
	g->searching->since_ns = monotonic_ns();
	g->searching->ordered = 0;
}

static inline void searching_try(const struct guard *g, const char *trying, const char *next)
{
	if (!g->searching)
		return;
	g->searching->state.trying = trying;
	g->searching->state.next = next;
}

/* An order of txns transactions was looked at (0: it is not about their places); so many of them
 * come before the first rule that it violates. */
static inline void searching_order(const struct guard *g, uint64_t placed, uint64_t txns)
{
	if (!g->searching)
		return;
	g->searching->state.orders++;
	g->searching->state.placed = g->searching->ordered + placed;
	g->searching->state.txns = txns;
}

/* A component has an order. */
static inline void searching_ordered(const struct guard *g, uint64_t txns)
{
	if (g->searching)
		g->searching->ordered += txns;
}

static inline void searching_conflict(const struct guard *g)
{
	if (g->searching)
		g->searching->state.conflicts++;
}

static inline void searching_decided(const struct guard *g, const alibi_result *result)
{
	if (g->searching && g->searching->decided)
		g->searching->decided(g->searching->decided_data, result);
}

#endif
