/*
 * outcome: what updates that do not tell their rows left, as literals.
 *
 * What a transaction leaves at a key by such an update follows from what it meets there
 * (open.h). "It leaves o at the key" is a literal; that the key stays as it was is one, too.
 * The walk along an order (broken.h) knows what each of them meets. If the solver does not
 * believe what follows from that, it is told by a rule: whoever was met left this, so that is
 * left, or somebody else came between. Rules about reads and queries then speak of these
 * literals where the value that they find, or that somebody did not write, rests on them.
 *
 * So only outcomes that some order has had are ever literals. That a key has one outcome only
 * needs no rule, because rules other than these say only what was not left: nothing is
 * believed unless the order says so.
 */
#ifndef ALIBI_CHECK_OUTCOME_H
#define ALIBI_CHECK_OUTCOME_H

#include "check/broken.h"
#include "history/open.h"

void outcome_prepare(struct search *s);

/* For the solver's theory: a literal (from, to) is true from now on, or no longer. */
void outcome_assigned(struct search *s, uint32_t from, uint32_t to, bool assigned);
/* Is this what was left at the place, in the latest order? */
bool outcome_is(const struct search *s, uint32_t place, uint32_t outcome);

/* For the walk: what the slot meets and leaves at all keys that it reaches. */
void outcome_walk(struct search *s, uint32_t slot);
/* What the slot, which reaches the key, leaves there; OPEN_KEPT: nothing, or it is certain. */
uint32_t outcome_left(const struct search *s, uint32_t slot, uint32_t key);

/* For rules, where the slot writes the key (a number of the history) perhaps: what it left
 * (the word), or that it did not (the literal). */
void outcome_blocker(struct search *s, uint32_t slot, uint32_t key);
/* Those who may have left the value (ATOM_NONE: any) at the key, for the rule of the reader
 * at op (NO_OP: none) who finds what blocker (ID_NONE: nobody) left. */
void outcome_candidates(struct search *s, uint32_t reader, uint32_t op, uint32_t key,
                        uint32_t value, uint32_t blocker);

#endif
