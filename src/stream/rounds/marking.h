/*
 * marking: the mark phase of gc.h. What is live in each chain, and what follows from it.
 */
#ifndef ALIBI_STREAM_ROUNDS_MARKING_H
#define ALIBI_STREAM_ROUNDS_MARKING_H

#include "order/clocks.h"
#include "stream/rounds/gc.h"

struct marking {
	struct pool *pool;
	struct guard *guard;
	struct problem *p;
	const struct clocks *writers; /* of all chains: the writers of a key */
	struct clocks users;          /* only its groups: the readers and writers of a key */
	uint32_t *live_from;          /* by chain: live from this place on */
	uint32_t *read_first, *reads; /* by slot: keys, one more first at the end */
	VEC(uint32_t) unvisited;      /* live slots whose edges were not followed yet */
};

/* Nothing is live yet. */
void marking_init(struct marking *m, struct pool *pool, struct problem *p,
                  const struct clocks *writers, const struct gc *g);
/* Makes all of a chain from this place on live. */
void marking_add(struct marking *m, uint32_t chain, uint32_t index);
/* Makes everything live that can be reached. */
void marking_reach(struct marking *m);

static inline const uint32_t *marking_past(const struct marking *m, uint32_t slot)
{
	return m->writers->past + (size_t)slot * m->writers->chains;
}

static inline bool marking_removable(const struct marking *m, uint32_t slot)
{
	return m->writers->index_of[slot] < m->live_from[m->writers->chain_of[slot]];
}

#endif
