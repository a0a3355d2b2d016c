/* outcome: see outcome.h. */
#include "check/outcome.h"

#include "base/guard.h"
#include "history/opaque_update.h"

enum { CANDIDATE_LEFT_KEY = 2 }; /* word of a candidate: it left the key as it was */

void outcomes_init(struct outcomes *o, struct clauses *c, const struct walk *walk,
                   const struct writers *writers)
{
	const struct history *h = c->problem->h;
	*o = (struct outcomes){.c = c, .walk = walk, .writers = writers};
	if (!has_opaque(h))
		return;
	size_t count = h->queries->reach_txn.count;
	o->left = pool_array(c->pool, count + 1, sizeof *o->left);
	o->only_perhaps = pool_zarray(c->pool, count + 1, sizeof *o->only_perhaps);
	for (uint32_t key = 0; key < atoms_count(&h->keys); key++)
		for (struct reach r = opaque_update_reachers(h, key); r.first < r.end; r.first++) {
			guard_tick(c->guard);
			o->left[r.first] = OPAQUE_KEPT;
			o->only_perhaps[r.first] = opaque_update_may_write(
			        h, h->queries->reach_txn.items[r.first], key);
		}
}

/* The opaque_update_place() of the slot at the key if only that makes it a writer; or ID_NONE. */
static uint32_t place_of(const struct outcomes *o, uint32_t slot, uint32_t key)
{
	const struct problem *p = o->c->problem;
	uint32_t place = opaque_update_place(p->h, p->txn_of[slot], key);
	return place != ID_NONE && o->only_perhaps[place] ? place : ID_NONE;
}

void outcome_assigned(struct outcomes *o, struct literal_pair p, bool assigned)
{
	*map_put(o->c->pool, &o->assumed, map_pair(p.from, p.to), 0) = assigned && p.from & OUTCOME;
}

static bool is_assumed(const struct outcomes *o, uint32_t place, uint32_t outcome)
{
	const uint32_t *there = map_find(&o->assumed, map_pair(OUTCOME | place, outcome));
	return there && *there;
}

bool outcome_holds(const struct outcomes *o, struct literal_pair p)
{
	return p.from & OUTCOME ? o->left[p.from & ~OUTCOME] == p.to
	                        : o->left[p.to & ~OUTCOME] != p.from;
}

uint32_t outcome_left(const struct outcomes *o, uint32_t slot, uint32_t key)
{
	uint32_t place = place_of(o, slot, key);
	return place == ID_NONE ? OPAQUE_KEPT : o->left[place];
}

/* ---- rules ---- */

void outcome_of_writer(struct outcomes *o, uint32_t slot, uint32_t key)
{
	uint32_t place = place_of(o, slot, key);
	if (place == ID_NONE)
		return;
	rule_word(o->c, o->left[place]);
	rule_literal(o->c, lit_not(clauses_outcome(o->c, place, o->left[place])));
}

node_id outcome_blocker(struct outcomes *o, uint32_t reader, uint32_t key, uint32_t blocker)
{
	const struct problem *p = o->c->problem;
	node_id node = version_node(p, blocker);
	rule_word(o->c, blocker == ID_NONE ? STEP_NOBODY : p->txn_of[blocker]);
	if (blocker != ID_NONE) {
		rule_before(o->c, read_node(p, reader), node);
		outcome_of_writer(o, blocker, key);
	}
	return node;
}

/* It is elsewhere, or it left the key as it was. */
static void add_candidate(struct outcomes *o, uint32_t place, node_id candidate, node_id r,
                          node_id blocker)
{
	const uint32_t *at = o->c->topology->place;
	uint32_t c = at[candidate.index];
	bool earlier = !same_node(blocker, NODE_NONE) && c < at[blocker.index];
	if (c > at[r.index] || earlier) {
		rule_candidate(o->c, candidate, r, blocker);
		return;
	}
	guard_tick(o->c->guard);
	rule_word(o->c, CANDIDATE_LEFT_KEY);
	rule_literal(o->c, lit_not(clauses_outcome(o->c, place, OPAQUE_KEPT)));
}

void outcome_candidates(struct outcomes *o, uint32_t reader, uint32_t op, uint32_t key,
                        uint32_t value, uint32_t blocker)
{
	const struct problem *p = o->c->problem;
	const struct history *h = p->h;
	uint32_t named = ID_NONE;
	bool has_named = op != ID_NONE && history_read_from(h, op, &named);
	for (struct reach r = opaque_update_reachers(h, key); r.first < r.end; r.first++) {
		uint32_t txn = h->queries->reach_txn.items[r.first];
		uint32_t slot = problem_slot(p, txn);
		if (slot == reader || slot == blocker || !o->only_perhaps[r.first] ||
		    (has_named && txn != named) ||
		    (value != ID_NONE && !opaque_update_may_leave(h, txn, key, value)))
			continue;
		add_candidate(o, r.first, write_node(p, slot), read_node(p, reader),
		              version_node(p, blocker));
	}
}

/* The slot meets what makes it leave this, which it cannot, or is not assumed to. */
static void add_met(struct outcomes *o, uint32_t slot, uint32_t key, uint32_t outcome)
{
	const struct problem *p = o->c->problem;
	const struct writers *w = o->writers;
	uint32_t number = p->number_of[key], txn = p->txn_of[slot];
	uint32_t met = o->walk->writer[number];
	rule_word(o->c, txn);
	rule_word(o->c, key);
	rule_word(o->c, outcome);
	if (outcome != OPAQUE_NEVER)
		rule_literal(o->c, clauses_outcome(o->c, place_of(o, slot, key), outcome));
	node_id blocker = outcome_blocker(o, slot, key, met);
	for (uint32_t i = w->first[number]; i < w->first[number + 1]; i++) {
		uint32_t write = w->writes[i], other = w->slot[write];
		guard_tick(o->c->guard);
		if (other != slot && opaque_update_leaves(p->h, txn, key, p->txn_of[other],
		                                          p->writes.items[write].value) != outcome)
			rule_candidate(o->c, write_node(p, other), read_node(p, slot), blocker);
	}
	outcome_candidates(o, slot, ID_NONE, key, ID_NONE, met);
	rule_close(o->c, STEP_MET);
}

void outcome_walk(struct outcomes *o, uint32_t slot)
{
	const struct problem *p = o->c->problem;
	const struct history *h = p->h;
	struct reach reached = opaque_update_reached(h, p->txn_of[slot]);
	for (; reached.first < reached.end; reached.first++) {
		uint32_t key = h->queries->reach_key[reached.first], number = p->number_of[key];
		uint32_t place = place_of(o, slot, key), met = o->walk->writer[number];
		uint32_t outcome = opaque_update_leaves(h, p->txn_of[slot], key,
		                                        met == ID_NONE ? met : p->txn_of[met],
		                                        o->walk->rows.value[number]);
		bool never = outcome == OPAQUE_NEVER;
		guard_tick(o->c->guard);
		if (place != ID_NONE)
			o->left[place] = never ? OPAQUE_KEPT : outcome;
		bool wrong = never || (place != ID_NONE && !o->c->only_count &&
		                       !is_assumed(o, place, outcome));
		if (wrong && !rule_counted(o->c))
			add_met(o, slot, key, outcome);
	}
}
