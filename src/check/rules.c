/* rules: see rules.h. This file: the walk, registers, and conflicts of writers. */
#include "check/rules.h"

#include "base/guard.h"
#include "order/first_order.h"

#include <assert.h>

/* ---- registers ---- */

static void add_read(struct rules *r, uint32_t reader, const struct external_read *read)
{
	const struct problem *p = r->c->problem;
	uint32_t key = p->key_of[read->key], found = r->walk.writer[read->key];
	rule_word(r->c, read->op);
	node_id blocker = outcome_blocker(&r->outcomes, reader, key, found);
	for (uint32_t i = 0; i < read->count; i++) {
		uint32_t slot = p->candidates[read->first + i];
		if (slot != reader)
			rule_candidate(r->c, write_node(p, slot), read_node(p, reader), blocker);
	}
	outcome_candidates(&r->outcomes, reader, read->op, key, read->value, found);
	rule_close(r->c, STEP_READ);
}

/* Does the read find its value, by the writer that the database named? */
static bool read_holds(const struct rules *r, const struct external_read *read)
{
	const struct problem *p = r->c->problem;
	uint32_t writer = r->walk.writer[read->key], named;
	if (writer == ID_NONE)
		return read->initial;
	return r->walk.value[read->key] == read->value &&
	       (!read->named ||
	        (history_read_from(p->h, read->op, &named) && named == p->txn_of[writer]));
}

static void check_reads(struct rules *r, uint32_t slot)
{
	const struct problem *p = r->c->problem;
	for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++) {
		guard_tick(r->c->guard);
		if (!read_holds(r, &p->reads.items[i]) && !rule_counted(r->c))
			add_read(r, slot, &p->reads.items[i]);
	}
}

/* ---- writes ---- */

static void check_conflict(struct rules *r, uint32_t slot, uint32_t number)
{
	const struct problem *p = r->c->problem;
	uint32_t other = r->walk.writer[number], key = p->key_of[number];
	node_id start = read_node(p, slot), other_commit = write_node(p, other);
	const uint32_t *place = r->c->topology->place;
	if (place[other_commit.index] < place[start.index] || rule_counted(r->c))
		return;
	rule_word(r->c, p->txn_of[slot]);
	rule_word(r->c, p->txn_of[other]);
	rule_word(r->c, key);
	outcome_of_writer(&r->outcomes, slot, key);
	outcome_of_writer(&r->outcomes, other, key);
	rule_before(r->c, write_node(p, slot), read_node(p, other));
	rule_before(r->c, other_commit, start);
	rule_close(r->c, STEP_CONFLICT);
}

static void enter_write(struct rules *r, uint32_t slot, struct final_write w)
{
	guard_tick(r->c->guard);
	if (r->c->problem->rules.noconflict && r->walk.writer[w.key] != ID_NONE)
		check_conflict(r, slot, w.key);
	walk_write(&r->walk, slot, w.key, w.value);
	if (r->lists.appenders && w.value == ID_NONE)
		vec_push(r->c->pool, &r->lists.appenders[w.key], slot);
}

static void enter_writes(struct rules *r, uint32_t slot)
{
	const struct problem *p = r->c->problem;
	struct reach reached = opaque_update_reached(p->h, p->txn_of[slot]);
	for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++)
		enter_write(r, slot, p->writes.items[i]);
	assert(reached.first == reached.end || p->h->queries);
	for (; reached.first < reached.end; reached.first++) {
		uint32_t key = p->h->queries->reach_key[reached.first];
		uint32_t left = outcome_left(&r->outcomes, slot, key);
		if (left != OPAQUE_KEPT)
			enter_write(r, slot, (struct final_write){p->number_of[key], left});
	}
}

/* ---- the walk ---- */

void rules_init(struct rules *r, struct clauses *c, struct lemmas *lemmas)
{
	r->c = c;
	walk_init(&r->walk, c->pool, c->problem);
	if (c->problem->h->queries) {
		writers_index(&r->writers, c->pool, c->problem);
		query_rules_init(&r->queries, c, lemmas, &r->walk, &r->writers, &r->outcomes);
	}
	outcomes_init(&r->outcomes, c, &r->walk, &r->writers);
	list_rules_init(&r->lists, c);
}

static size_t go_along(struct rules *r, const node_id *node_at)
{
	const struct problem *p = r->c->problem;
	walk_restart(&r->walk);
	list_rules_restart(&r->lists);
	r->c->violated = r->placed = 0;
	for (uint32_t i = 0; i < p->nodes; i++) {
		node_id node = node_at[i];
		guard_tick(r->c->guard);
		if (!is_event(p, node))
			continue;
		uint32_t slot = slot_of_node(p, node);
		if (reads_at(p, node)) {
			check_reads(r, slot);
			check_lists(&r->lists, slot);
			check_queries(&r->queries, slot);
			outcome_walk(&r->outcomes, slot);
		}
		if (writes_at(p, node)) {
			enter_writes(r, slot);
			r->placed += !r->c->violated;
		}
	}
	return r->c->violated;
}

size_t rules_add_violated(struct rules *r)
{
	return go_along(r, r->c->topology->node_at);
}

size_t rules_count_violated(struct rules *r)
{
	r->c->only_count = true;
	size_t count = rules_add_violated(r);
	r->c->only_count = false;
	return count;
}

size_t rules_infer(struct rules *r, struct saturation *s, const uint64_t *hint)
{
	const struct problem *p = r->c->problem;
	struct pool *own = pool_child(r->c->pool);
	uint32_t *place = pool_array(own, (size_t)p->nodes + 1, sizeof *place);
	node_id *node_at = pool_array(own, (size_t)p->nodes + 1, sizeof *node_at);
	r->queries.inferred = 0;
	if (first_order(own, p, hint, place, node_at)) {
		r->queries.inferring = s;
		r->c->only_count = true;
		go_along(r, node_at);
		r->c->only_count = false;
		r->queries.inferring = NULL;
	}
	pool_release(own);
	return r->queries.inferred;
}
