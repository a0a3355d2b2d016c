/*
 * lemma: proofs of cycles, and of the edges that saturation derived.
 *
 * A derived edge (saturate.h) is proven only when a cycle needs it: its rule is a
 * READ step, the path that forced it a CYCLE step with the edge that the rule
 * offered instead, and together they leave a unit clause. What follows from a query
 * (query_inference.h) rests on several paths, one for each candidate. Paths use only edges that
 * were there before, so proofs end; they are made with a stack, not by recursion.
 *
 * Most cycles that a search meets are not needed in the end, and proofs of derived edges are
 * long. So a cycle is noted first, as a step of its own kind (STEP_LATER), and written out when
 * the proof is finished.
 */
#ifndef ALIBI_CHECK_LEMMA_H
#define ALIBI_CHECK_LEMMA_H

#include "check/clauses.h"
#include "order/writers.h"

struct lemmas {
	struct clauses *c;
	struct topology *topology;
	struct writers *writers;
	uint32_t *unit; /* by derived edge: its unit clause in the proof; ID_NONE: not proven yet */
	VEC(uint32_t) pending; /* derived edges to be proven; the last one first */
	VEC(uint32_t) hints;   /* of the step at hand */
	path_vec path;         /* of the step at hand */
};

/* When all edges are derived; if none ever are, it is not needed. */
void lemmas_prepare(struct lemmas *l);

/* Notes a clause, to be written out by lemmas_finish(): the cycle contradicts these literals,
 * which are the negations of its inserted edges. Returns its number. */
uint32_t lemmas_note_cycle(struct lemmas *l, const path_vec *cycle, const lit *literals,
                           size_t count);
/* Notes the unit clause that a is before b, which is known. */
uint32_t lemmas_note_known(struct lemmas *l, node_id a, node_id b);

/* Writes the proof out, and leaves nothing in it that is not needed. */
void lemmas_finish(struct lemmas *l);

#endif
