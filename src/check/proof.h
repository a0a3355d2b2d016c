/*
 * proof: the steps that refute every order, as they are found.
 *
 * A step derives a clause; its number is its place. Literals are about events, not
 * about the search's nodes: "event a before event b", where event 2 t is the start of
 * transaction t and 2 t + 1 its commit (levels without snapshots have commits
 * only). What each kind of step claims, and how it is checked, stands in
 * verify.h, from which it is copied to nowhere else.
 *
 * Most of what a search derives is not needed in the end: proof_trim() keeps what
 * the last step rests on.
 */
#ifndef ALIBI_CHECK_PROOF_H
#define ALIBI_CHECK_PROOF_H

#include "base/vec.h"
#include "verify/steps.h"

/* A step that is not written out yet: see lemma.h. */
enum { STEP_LATER = STEP_KINDS };

struct proof_step {
	uint8_t kind;    /* enum step_kind, or STEP_LATER */
	uint64_t offset; /* of its words */
	uint32_t count;
};

struct proof {
	struct pool *pool;
	VEC(struct proof_step) steps;
	VEC(uint32_t) words;
};

/* The words of a step are added one by one, then it is closed: its number. */
void proof_word(struct proof *p, uint32_t word);
uint32_t proof_close(struct proof *p, unsigned kind);
/* The hints of a learnt step begin behind its literals. */
uint32_t proof_hints(const struct proof *p, const struct proof_step *s);

/* Drops the steps on which the last one does not rest, and renumbers. */
void proof_trim(struct proof *p);

#endif
