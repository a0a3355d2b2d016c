/*
 * weak_edges: the commit order that the current read choices force (weak.h).
 *
 * Problem. A reader must read the last version among the writers visible to it. So if u
 * wrote the key of a read and is visible to the reader, and the read chose w, then u commits
 * before w. And a reader of the initial version must not see a writer of the key at all.
 *
 * Idea. First come the edges of visibility itself: session order and reads-from. They are
 * sorted into a first order. It mostly is a commit order already, so of the forced edges only
 * those that go backward in it are made. They are sorted with the others, which gives a next
 * order, and so on until none goes backward. Only if there is a cycle, or no end of it, are all of
 * them made. Of the visible writers in one session, or in one chain of clocks, the last one is
 * enough: the others commit before it anyhow.
 *
 * Invariants.
 * 1. `place` is an order of session order and reads-from, unless these have a cycle. `node_at` is
 *    its inverse.
 * 2. The problem's edges are those of the list.
 * 3. An edge has a reason: WHY_HISTORY (session order), or a read and a claim.
 *
 * Cost. Reads and writes. Read committed and read atomic: for each visible writer the
 * smaller of its writes and the reader's reads. Causal: edges × chains for the clocks, and
 * for each read the chains that write its key.
 */
#ifndef ALIBI_CHECK_WEAK_EDGES_H
#define ALIBI_CHECK_WEAK_EDGES_H

#include "check/weak_reads.h"
#include "order/clocks.h"
#include "order/known.h"
#include "replay/replay.h"

enum { WEAK_REFUTED_MAX = 64 }; /* contradictions looked for in one pass */

/* Why an edge holds: by a read, and one of the CLAIMs of verify/claims.h. */
static inline uint32_t weak_reason(uint32_t read, uint32_t claim)
{
	return read << 2 | claim;
}

static inline uint32_t weak_reason_read(uint32_t reason)
{
	return reason >> 2;
}

static inline uint32_t weak_reason_claim(uint32_t reason)
{
	return reason & 3;
}

/* A read of the initial version, and a writer of its key that is visible to the reader. */
struct overlooked_writer {
	uint32_t read, writer;
};

struct weak_edges {
	struct pool *pool; /* of one pass */
	struct guard *guard;
	struct problem *p;
	const struct weak_reads *reads;
	struct replay_rules rules;
	edge_vec list;  /* in the pool of the problem */
	uint64_t *hint; /* by slot, for all sorts */
	uint32_t *place;
	node_id *node_at;                  /* without snapshots a slot is its node */
	uint32_t *writers_first, *writers; /* by key: slots, by place; once needed */
	uint64_t *written;                 /* by slot: bits of the keys it writes (rc, ra) */
	struct clocks clocks;              /* at the causal level */
	bool backward_only;
	VEC(struct overlooked_writer) overlooked; /* at most WEAK_REFUTED_MAX */
};

/* Adds session order and reads-from, and sorts them. False: they have a cycle. */
bool weak_edges_begin(struct weak_edges *e);
/* Then: adds all edges that are forced, and sorts them. False: as below. */
bool weak_edges_force(struct weak_edges *e);
/* Or: finds a commit order. False: writers were overlooked, or the edges have a cycle. */
bool weak_edges_order(struct weak_edges *e);

#endif
