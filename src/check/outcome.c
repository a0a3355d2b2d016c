/* outcome: see outcome.h. */
#include "check/outcome.h"

#include "base/guard.h"

void outcome_prepare(struct search *s)
{
	const struct history *h = s->problem.h;
	if (!has_open(h))
		return;
	size_t count = h->queries->reach_txn.count;
	s->outcome = pool_array(s->pool, count + 1, sizeof *s->outcome);
	s->perhaps = pool_zarray(s->pool, count + 1, sizeof *s->perhaps);
	for (uint32_t key = 0; key < atoms_count(&h->keys); key++)
		for (struct reach r = open_reachers(h, key); r.first < r.end; r.first++) {
			guard_tick(s->guard);
			s->outcome[r.first] = OPEN_KEPT;
			s->perhaps[r.first] =
			        open_may_write(h, h->queries->reach_txn.items[r.first], key);
		}
}

/* Where the slot stands among those that reach the key, if it writes it perhaps; or
 * ATOM_NONE. */
static uint32_t place_of(const struct search *s, uint32_t slot, uint32_t key)
{
	uint32_t place = open_place(s->problem.h, s->problem.txn_of[slot], key);
	return place != ATOM_NONE && s->perhaps[place] ? place : ATOM_NONE;
}

static lit literal(struct search *s, uint32_t place, uint32_t outcome)
{
	return search_literal(s, OUTCOME | place, outcome);
}

void outcome_assigned(struct search *s, uint32_t from, uint32_t to, bool assigned)
{
	*map_put(s->pool, &s->believed, map_pair(from, to), 0) = assigned && from & OUTCOME;
}

static bool is_believed(const struct search *s, uint32_t place, uint32_t outcome)
{
	const uint32_t *there = map_find(&s->believed, map_pair(OUTCOME | place, outcome));
	return there && *there;
}

bool outcome_is(const struct search *s, uint32_t place, uint32_t outcome)
{
	return s->outcome[place & ~OUTCOME] == outcome;
}

uint32_t outcome_left(const struct search *s, uint32_t slot, uint32_t key)
{
	uint32_t place = place_of(s, slot, key);
	return place == ATOM_NONE ? OPEN_KEPT : s->outcome[place];
}

/* ---- rules ---- */

void outcome_blocker(struct search *s, uint32_t slot, uint32_t key)
{
	uint32_t place = place_of(s, slot, key);
	if (place == ATOM_NONE)
		return;
	proof_word(&s->proof, s->outcome[place]);
	vec_push(s->pool, &s->clause, lit_not(literal(s, place, s->outcome[place])));
}

/* It stands elsewhere, or it left the key as it was. */
static void candidate(struct search *s, uint32_t place, uint32_t slot, uint32_t r, uint32_t blocker)
{
	const struct problem *p = &s->problem;
	const uint32_t *at = s->topology.place;
	bool blocked = blocker != ID_NONE;
	uint32_t c = write_node(p, slot), v = blocked ? write_node(p, blocker) : 0;
	guard_tick(s->guard);
	if (at[c] > at[r] || (blocked && at[c] < at[v])) {
		broken_candidate(s, c, r, v, blocked);
		return;
	}
	proof_word(&s->proof, 2);
	vec_push(s->pool, &s->clause, lit_not(literal(s, place, OPEN_KEPT)));
}

void outcome_candidates(struct search *s, uint32_t reader, uint32_t op, uint32_t key,
                        uint32_t value, uint32_t blocker)
{
	const struct problem *p = &s->problem;
	const struct history *h = p->h;
	uint32_t named = NO_TXN;
	bool has_named = op != NO_OP && h->from.count && history_read_from(h, op, &named);
	for (struct reach r = open_reachers(h, key); r.first < r.end; r.first++) {
		uint32_t txn = h->queries->reach_txn.items[r.first];
		uint32_t slot = problem_slot(p, txn);
		if (slot == reader || slot == blocker || !s->perhaps[r.first] ||
		    (has_named && txn != named) ||
		    (value != ATOM_NONE && !open_may_leave(h, txn, key, value)))
			continue;
		candidate(s, r.first, slot, read_node(p, reader), blocker);
	}
}

/* The slot meets what makes it leave this, which it cannot, or is not believed to. */
static void is_met(struct search *s, uint32_t slot, uint32_t key, uint32_t outcome)
{
	const struct problem *p = &s->problem;
	uint32_t number = p->number_of[key], txn = p->txn_of[slot];
	uint32_t blocker = s->writer[number] ? s->writer[number] - 1 : ID_NONE;
	uint32_t r = read_node(p, slot), v = blocker == ID_NONE ? 0 : write_node(p, blocker);
	proof_word(&s->proof, txn);
	proof_word(&s->proof, key);
	proof_word(&s->proof, outcome);
	if (outcome != OPEN_NEVER)
		vec_push(s->pool, &s->clause, literal(s, place_of(s, slot, key), outcome));
	broken_blocker(s, slot, key, blocker);
	for (uint32_t i = s->writers_first[number]; i < s->writers_first[number + 1]; i++) {
		uint32_t write = s->writers[i], other = s->writer_slot[write];
		guard_tick(s->guard);
		if (other != slot && open_leaves(p->h, txn, key, p->txn_of[other],
		                                 p->writes.items[write].value) != outcome)
			broken_candidate(s, write_node(p, other), r, v, blocker != ID_NONE);
	}
	outcome_candidates(s, slot, NO_OP, key, ATOM_NONE, blocker);
	broken_close(s, STEP_MET);
}

void outcome_walk(struct search *s, uint32_t slot)
{
	const struct problem *p = &s->problem;
	const struct history *h = p->h;
	struct reach reached = open_reached(h, p->txn_of[slot]);
	for (; reached.first < reached.end; reached.first++) {
		uint32_t key = h->queries->reach_key[reached.first], number = p->number_of[key];
		uint32_t place = place_of(s, slot, key), writer = s->writer[number];
		uint32_t outcome =
		        open_leaves(h, p->txn_of[slot], key,
		                    writer ? p->txn_of[writer - 1] : NO_TXN, s->rows.value[number]);
		bool never = outcome == OPEN_NEVER;
		guard_tick(s->guard);
		if (place != ATOM_NONE)
			s->outcome[place] = never ? OPEN_KEPT : outcome;
		if (s->only_count)
			s->added += never;
		else if (never || (place != ATOM_NONE && !is_believed(s, place, outcome)))
			is_met(s, slot, key, outcome);
	}
}
