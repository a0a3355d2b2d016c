/*
 * hereditary: definition_is_hereditary() of definition.h.
 *
 * Transactions and reads are left out; writes, session order and the witness stay as they are for
 * the others. So each formula has a direction: in a positive place it must stay true, in a
 * negative one, under `not` or before =>, false. An atom about reads may only become false, and
 * so may a composition or a closure, whose steps may be gone; `all` may only become true, `some`
 * false.
 */
#include "synth/definition.h"

static bool stays(const struct definition *d, const struct node *n, bool positive);

static bool relation_stays(const struct definition *d, uint32_t relation, bool positive)
{
	const struct relation *r = &d->relations.items[relation];
	switch (r->kind) {
	case RELATION_WR:
		return !positive;
	case RELATION_UNION:
	case RELATION_INTERSECTION:
		return relation_stays(d, r->a, positive) && relation_stays(d, r->b, positive);
	case RELATION_COMPOSITION:
		return !positive && relation_stays(d, r->a, false) &&
		       relation_stays(d, r->b, false);
	case RELATION_PLUS:
	case RELATION_STAR:
		return !positive && relation_stays(d, r->a, false);
	case RELATION_FORMULA:
		return stays(d, r->body, positive);
	default: /* session order and the witness */
		return true;
	}
}

static bool stays(const struct definition *d, const struct node *n, bool positive)
{
	switch (n->kind) {
	case NODE_NOT:
		return stays(d, n->left, !positive);
	case NODE_AND:
	case NODE_OR:
		return stays(d, n->left, positive) && stays(d, n->right, positive);
	case NODE_ALL:
		return positive && stays(d, n->left, positive);
	case NODE_SOME:
		return !positive && stays(d, n->left, positive);
	case NODE_READS:
	case NODE_WR:
	case NODE_BEFORE:
		return !positive;
	case NODE_RELATION:
		return relation_stays(d, n->relation, positive);
	default: /* constants, equality, writes */
		return true;
	}
}

bool definition_is_hereditary(const struct definition *d)
{
	for (size_t i = 0; i < d->axioms.count; i++)
		if (!stays(d, d->axioms.items[i].formula, true))
			return false;
	return true;
}
