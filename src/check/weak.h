/*
 * weak: finds an order of commits at the levels that have no common state, or proves
 * that there is none.
 *
 * Problem. At read committed, read atomic and causal consistency (Biswas and Enea's
 * definitions) who reads from whom decides whom a transaction sees, and of the writers
 * of a key that it sees, it reads the last one in the order of commits. So once it is
 * known who was read from, all the rest is forced: u, who wrote the key and is seen,
 * comes before w, who was read from. The history holds if these edges, those of the
 * reads, of the sessions and of the lists have no cycle.
 *
 * Idea. With unique values that is one pass without search. Causally, whom a reader
 * sees is a row of clocks (order/clocks.h), and of the writers in one chain only the
 * last one seen matters. Where values have several candidates, the choices are
 * variables of the solver: each pass that ends in cycles adds, for each cycle, the
 * clause that not all of the choices in it can stand.
 *
 * Invariants.
 * 1. A sight is an external read. It has choices: sequences of slots, the last of
 *    whom was read from; on registers these have one slot, or none: the initial version.
 * 2. Choices are numbered as verify/visible.c numbers them (history/origins.h).
 *
 * Cost. A pass: reads and writes; for each who is seen directly the smaller of its
 * writes and the reader's reads; causally edges × chains, and for each read the chains
 * that write its key and of which the reader sees more than who it read from.
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
