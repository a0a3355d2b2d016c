/* clauses: see clauses.h. */
#include "check/clauses.h"

#include "base/guard.h"

#include <assert.h>

/* Pairs that are far apart in the present order are decided first, as they stand there. So of the
 * ways to make a violated rule hold, the one that moves least is left. */
static uint32_t rank_of(const struct clauses *c, struct literal_pair p)
{
	const uint32_t *place = c->topology->place;
	if (is_outcome(p))
		return 0;
	return place[p.from] > place[p.to] ? place[p.from] - place[p.to]
	                                   : place[p.to] - place[p.from];
}

static lit literal(struct clauses *c, struct literal_pair p)
{
	uint64_t pair = map_pair(p.from, p.to);
	assert(p.from != p.to);
	uint32_t *variable = map_put(c->pool, &c->variables, pair, ID_NONE);
	if (*variable == ID_NONE) {
		*variable = solver_new_variable(c->solver, rank_of(c, p));
		vec_push(c->pool, &c->pairs, pair);
	}
	return lit_of(*variable, p.from > p.to);
}

lit clauses_before(struct clauses *c, node_id a, node_id b)
{
	return literal(c, (struct literal_pair){a.index, b.index});
}

lit clauses_outcome(struct clauses *c, uint32_t place, uint32_t outcome)
{
	return literal(c, (struct literal_pair){OUTCOME | place, outcome});
}

struct literal_pair clauses_pair(const struct clauses *c, lit l)
{
	uint64_t pair = c->pairs.items[lit_variable(l)];
	uint32_t low = (uint32_t)(pair >> 32), high = (uint32_t)pair;
	return l & 1 ? (struct literal_pair){high, low} : (struct literal_pair){low, high};
}

uint32_t clauses_event(const struct clauses *c, node_id node)
{
	const struct problem *p = c->problem;
	assert(is_event(p, node));
	return 2 * p->txn_of[slot_of_node(p, node)] + writes_at(p, node);
}

uint32_t clauses_learnt(struct clauses *c, const lit *literals, size_t count, const uint32_t *hints,
                        size_t hint_count)
{
	proof_word(&c->proof, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		struct literal_pair p = clauses_pair(c, literals[i]);
		bool outcome = is_outcome(p);
		proof_word(&c->proof, outcome ? p.from : clauses_event(c, (node_id){p.from}));
		proof_word(&c->proof, outcome ? p.to : clauses_event(c, (node_id){p.to}));
	}
	for (size_t i = 0; i < hint_count; i++)
		proof_word(&c->proof, hints[i]);
	return proof_close(&c->proof, STEP_LEARNT);
}

bool rule_counted(struct clauses *c)
{
	c->violated++;
	return c->only_count;
}

void rule_word(struct clauses *c, uint32_t word)
{
	proof_word(&c->proof, word);
}

void rule_literal(struct clauses *c, lit l)
{
	vec_push(c->pool, &c->rule, l);
}

void rule_before(struct clauses *c, node_id a, node_id b)
{
	rule_literal(c, clauses_before(c, a, b));
}

void rule_candidate(struct clauses *c, node_id candidate, node_id r, node_id blocker)
{
	const uint32_t *place = c->topology->place;
	bool after = same_node(blocker, NODE_NONE) || place[candidate.index] > place[r.index];
	guard_tick(c->guard);
	rule_word(c, after);
	if (after)
		rule_before(c, candidate, r);
	else
		rule_before(c, blocker, candidate);
}

void rule_close(struct clauses *c, enum step_kind kind)
{
	solver_add(c->solver, c->rule.items, c->rule.count, proof_close(&c->proof, kind));
	c->rule.count = 0;
}
