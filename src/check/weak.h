/*
 * weak: finds a commit order at the levels without a common state, or proves that there is
 * none.
 *
 * Problem. At read committed, read atomic and causal consistency (Biswas and Enea, "On the
 * Complexity of Checking Transactional Consistency", OOPSLA 2019) a transaction has no
 * snapshot. The reads-from relation decides which writers are visible to it, and of the
 * visible writers of a key it reads the last one in the commit order. So once reads-from is
 * known, the commit order is forced edge by edge, and the history holds exactly if these
 * edges have no cycle.
 *
 * Idea. With unique values that is one pass without search (weak_edges.h), as in AWDIT.
 * Where values repeat, each choice of a candidate writer (weak_reads.h) is a variable of
 * the solver. A complete assignment is tried in a pass. If the pass ends in contradictions,
 * each becomes a clause (weak_cycles.h), and the solver chooses again.
 *
 * Invariants.
 * 1. Exactly the reads with several candidates have variables. If a history has none, there
 *    is no solver.
 * 2. Every clause is a step of the proof. The verifier checks it from the history alone.
 * 3. A history of which a read was left out (weak_reads.h) can be refuted, not confirmed.
 *
 * Why this is not search.h: see README.md.
 */
#ifndef ALIBI_CHECK_WEAK_H
#define ALIBI_CHECK_WEAK_H

#include "check/search.h"

/* The component is all of the history. max_passes 0: as many as can be waited for. given_up:
 * more remains to be tried. */
struct search_result weak_search(struct pool *pool, struct component component,
                                 struct replay_rules rules, uint32_t max_passes,
                                 struct search_log *log);

#endif
