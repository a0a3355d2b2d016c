/*
 * lemma: proofs of cycles, and of the edges that saturation derived.
 *
 * A derived edge (saturate.h) is proven only when a cycle needs it: its rule is a
 * READ step, the path that forced it a CYCLE step with the edge that the rule
 * offered instead, and together they leave a unit clause. What follows from a query (told.h)
 * rests on several paths, one for each candidate. Paths use only edges that
 * were there before, so proofs end; they are made with a stack, not by recursion.
 */
#ifndef ALIBI_CHECK_LEMMA_H
#define ALIBI_CHECK_LEMMA_H

#include "check/broken.h"

/* Most cycles that a search meets are not needed in the end, and proofs of derived edges are
 * long. So a cycle is noted first, as a step of its own kind, and written out when the proof
 * is finished.
 *
 * The cycle in s->topology.cycle contradicts these literals, which are the negations
 * of its guessed edges: the number of that clause. */
uint32_t cycle_lemma(struct search *s, const lit *literals, size_t count);
/* The same, to be written out by lemmas_finish(). */
uint32_t cycle_later(struct search *s, const lit *literals, size_t count);

/* That a is before b is known: the number of that unit clause, written out later. */
uint32_t known_later(struct search *s, uint32_t a, uint32_t b);

/* Writes the proof out, and leaves nothing in it that is not needed. */
void lemmas_finish(struct search *s);

#endif
