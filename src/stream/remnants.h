/*
 * remnants: what is left of those who go where it is not certain who was last.
 *
 * Problem. Two transactions wrote a key at the same time, and nobody has read it since.
 * Either may have been the last one. If both stayed until somebody reads or writes the
 * key, all that came after them would have to stay, too, and some keys are never
 * used again.
 *
 * Idea. Of such transactions only these writes stay, a remnant each, which comes before
 * everything else. Remnants that share a key are a group, and may come in any order.
 * That is right if each order of the remnants is one that those who go can have. It is,
 * under two conditions.
 * 1. For all reads of those who go it is settled whom they came before. Where it is not, it is
 *    settled now, as in the order that was found: edges are added. Then every order
 *    that follows the edges explains the reads: whoever writes the key comes after the
 *    read, or before its writer.
 * 2. Edges and any order of each group together have no cycle. That is so if the graph in
 *    which each group is one node has none.
 * The second is tried by sorting that graph topologically. Groups on a cycle stay, with
 * all that can be reached from them.
 *
 * Cost. Linear in the edges, and for each read of those who go a bisection a chain.
 */
#ifndef ALIBI_STREAM_REMNANTS_H
#define ALIBI_STREAM_REMNANTS_H

#include "order/clocks.h"
#include "order/saturate.h"
#include "stream/frozen.h"

struct staying {
	struct pool *pool;
	struct guard *guard;
	struct problem *p;
	struct saturation *s;
	const struct clocks *writers; /* the saturation's: who writes a key */
	struct clocks users;          /* only its groups: who reads or writes a key */
	uint32_t *chain_first;        /* by chain, one more at the end: its slots, … */
	uint32_t *slot_at;            /* … in its order */
	uint32_t *cut;                /* by chain: who stays, from this place on */
	uint32_t *read_first, *reads; /* by slot: keys, one more first at the end */
	VEC(uint32_t) fresh;          /* who stays and was not looked at yet */
	bool settled;                 /* edges were added for all reads */
};

static inline const uint32_t *staying_past(const struct staying *y, uint32_t slot)
{
	return y->writers->past + (size_t)slot * y->writers->chains;
}

static inline bool staying_goes(const struct staying *y, uint32_t slot)
{
	return y->writers->index_of[slot] < y->cut[y->writers->chain_of[slot]];
}

/* In a chain, all from this place on. */
void staying_add(struct staying *y, uint32_t chain, uint32_t index);

/* Fills last, remnants and groups. False: some more must stay, and are fresh. */
bool remnants_find(struct staying *y, struct letting_go *l);

#endif
