/*
 * outcome: what opaque updates (opaque_update.h) left, as literals.
 *
 * What a transaction leaves at a key by such an update follows from the version it meets there.
 * "It leaves o at the key" is a literal; that the key stays as it was is one, too.
 * The walk along an order (rules.h) knows what each of them meets. If the solver does not
 * assume what follows from that, a rule says so: this version was met, so that is
 * left, or another writer came between. Rules about reads and queries then use these
 * literals where the version they find, or the absence of a write, rests on them.
 *
 * So only outcomes that some order has had are ever literals. That a key has one outcome only
 * needs no rule, because all other rules only say what was not left: no outcome is
 * assumed unless the order says so.
 */
#ifndef ALIBI_CHECK_OUTCOME_H
#define ALIBI_CHECK_OUTCOME_H

#include "check/clauses.h"
#include "check/walk.h"
#include "order/writers.h"

struct outcomes {
	struct clauses *c;
	const struct walk *walk;
	const struct writers *writers;
	uint32_t *left;     /* by opaque_update_place(): what was left in the latest walk */
	bool *only_perhaps; /* by the same: the transaction does not write the key besides */
	struct map assumed; /* by literal: does the solver assume it? */
};

void outcomes_init(struct outcomes *o, struct clauses *c, const struct walk *walk,
                   const struct writers *writers);

/* For the solver's theory: a literal becomes true, or is undone. */
void outcome_assigned(struct outcomes *o, struct literal_pair p, bool assigned);
/* For the solver: does the latest order say what the literal does? */
bool outcome_holds(const struct outcomes *o, struct literal_pair p);

/* For the walk: computes what the slot meets and leaves at all keys that it reaches, and adds the
 * rules that are violated. */
void outcome_walk(struct outcomes *o, uint32_t slot);
/* What the slot leaves at a key that it reaches; OPAQUE_KEPT: nothing, or it writes it anyway. */
uint32_t outcome_left(const struct outcomes *o, uint32_t slot, uint32_t key);

/* For rules; keys are the history's. If slot's write of the key rests on an outcome: the word
 * and the literal for that. */
void outcome_of_writer(struct outcomes *o, uint32_t slot, uint32_t key);
/* The blocker (ID_NONE: the initial version), whose version of the key the reader finds: its
 * word and literals. Returns its version_node(). */
node_id outcome_blocker(struct outcomes *o, uint32_t reader, uint32_t key, uint32_t blocker);
/* The opaque updates that may have left the value (ID_NONE: any) at the key, as candidates of the
 * read at op (ID_NONE: not a read) by the reader, which finds the blocker's version. */
void outcome_candidates(struct outcomes *o, uint32_t reader, uint32_t op, uint32_t key,
                        uint32_t value, uint32_t blocker);

#endif
