/*
 * weak_propagate: candidate writers that cannot be the ones, before the solver guesses (weak.h).
 *
 * Problem. Where values repeat, a contradiction is mostly about few reads, but the solver meets
 * it only after it has chosen a writer for every read of the history, and learns one clause
 * from it.
 *
 * Idea. Arc consistency. Reads with one candidate, and session order, force edges that hold
 * whatever is chosen elsewhere. A candidate of a read goes if
 *   - it comes after the reader,
 *   - it comes before a writer of the key that is visible to the reader, or
 *   - it would make itself visible to another read of the reader, and comes after each candidate
 *     of that one.
 * A read whose other candidates are gone has one, which forces more edges. If a read has none, or
 * the edges have a cycle, the history is refuted.
 *
 * First all this is done without a proof, round by round: what goes in one round rests on what went
 * in earlier ones. Then, from the last round to the first, each candidate that the contradiction
 * rests on gets a step of the proof and a clause, with the edges as they were in its round. The
 * solver finds the contradiction from these clauses alone.
 *
 * Only registers are looked at. Without a contradiction nothing is left behind.
 *
 * Cost. A round: all candidates, times the visible writers of the key and the candidates of
 * the other reads; edges times chains. Memory: 16 bytes a candidate, transactions times chains.
 */
#ifndef ALIBI_CHECK_WEAK_PROPAGATE_H
#define ALIBI_CHECK_WEAK_PROPAGATE_H

#include "check/weak_cycles.h"

/* read_of: by variable. Leaves the reads with variables open. */
void weak_propagate(struct pool *pool, struct problem *p, struct weak_reads *reads,
                    const uint32_t *read_of, size_t variables, struct replay_rules rules,
                    struct proof *proof, struct solver *solver);

#endif
