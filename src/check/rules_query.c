/* rules_query: see rules_query.h. */
#include "check/rules_query.h"

#include "base/guard.h"

void query_rules_init(struct query_rules *r, struct clauses *c, struct lemmas *lemmas,
                      struct walk *walk, struct writers *writers, struct outcomes *outcomes)
{
	size_t keys = (size_t)c->problem->keys + 1;
	*r = (struct query_rules){.c = c,
	                          .lemmas = lemmas,
	                          .walk = walk,
	                          .rows = &walk->rows,
	                          .writers = writers,
	                          .outcomes = outcomes};
	r->own = pool_zarray(c->pool, keys, sizeof *r->own);
	r->done = pool_zarray(c->pool, keys, sizeof *r->done);
}

/* ---- what is known of the candidates ---- */

/* Adds the known fact that a is before b as a clause, once, so that the solver never decides the
 * contrary. */
static void settle(struct query_rules *r, node_id a, node_id b)
{
	uint32_t *there = map_put(r->c->pool, &r->settled, map_pair(a.index, b.index), 0);
	if (*there)
		return;
	*there = 1;
	lit known = clauses_before(r->c, a, b);
	solver_add(r->c->solver, &known, 1, lemmas_note_known(r->lemmas, a, b));
}

static void settle_known(struct query_rules *r, const struct query_violation *v,
                         const slot_vec *candidates)
{
	const struct problem *p = r->c->problem;
	const uint32_t *place = r->c->topology->place;
	bool blocked = v->blocker != ID_NONE;
	node_id read = read_node(p, v->reader), left = version_node(p, v->blocker);
	if (blocked && saturation_before(r->known, v->blocker, read))
		settle(r, left, read);
	for (size_t i = 0; i < candidates->count; i++) {
		uint32_t slot = candidates->items[i];
		node_id c = write_node(p, slot);
		bool after = !blocked || place[c.index] > place[read.index];
		if (after && saturation_after(r->known, slot, read))
			settle(r, read, c);
		else if (!after && saturation_before(r->known, slot, left))
			settle(r, c, left);
	}
}

/* ---- violated rules ---- */

static void add_query(struct query_rules *r, const struct query_violation *v)
{
	const struct problem *p = r->c->problem;
	rule_word(r->c, v->q->op);
	rule_word(r->c, v->key);
	node_id blocker = outcome_blocker(r->outcomes, v->reader, v->key, v->blocker);
	const slot_vec *candidates = writers_explain(r->writers, v->q, v->key, v->row, v->reader);
	for (size_t i = 0; i < candidates->count; i++)
		rule_candidate(r->c, write_node(p, candidates->items[i]), read_node(p, v->reader),
		               blocker);
	outcome_candidates(r->outcomes, v->reader, ID_NONE, v->key, ID_NONE, v->blocker);
	rule_close(r->c, STEP_QUERY);
	if (r->known)
		settle_known(r, v, candidates);
}

/* What the key holds does not explain the query's row. */
static void violates(struct query_rules *r, uint32_t reader, const struct query *q, uint32_t key,
                     uint32_t row)
{
	uint32_t blocker = r->walk->writer[r->c->problem->number_of[key]];
	struct query_violation v = {reader, q, key, row, blocker};
	if (r->inferring)
		r->inferred += query_infer(r->inferring, r->writers, &v);
	if (!rule_counted(r->c))
		add_query(r, &v);
}

/* ---- queries ---- */

static void check_query(struct query_rules *r, uint32_t slot, const struct query *q)
{
	const struct history *h = r->c->problem->h;
	const uint32_t *number_of = r->c->problem->number_of, *except = query_except(h, q);
	r->done_now++;
	for (uint32_t i = 0; i < q->excepts; i++)
		r->done[number_of[except[i]]] = r->done_now;
	for (uint32_t row = q->op + 1; row <= q->op + q->rows; row++) {
		uint32_t key = op_key(h->ops[row]), k = number_of[key];
		guard_tick(r->c->guard);
		if (q->kind != QUERY_SELECT && r->done[k] != r->done_now &&
		    r->own[k] != r->own_now && !query_explains(h, q, row, r->rows->value[k]))
			violates(r, slot, q, key, row);
		r->done[k] = r->done_now;
	}
	rows_match(r->rows, q);
	for (size_t i = 0; i < r->rows->found.count; i++) {
		uint32_t key = r->rows->found.items[i], k = number_of[key];
		if (r->done[k] != r->done_now && r->own[k] != r->own_now)
			violates(r, slot, q, key, ID_NONE);
	}
}

/* What the transaction reads later of keys that it may have changed is checked by opaque_update.h.
 */
static void enter_opaque(struct query_rules *r, uint32_t txn, const struct query *q)
{
	const struct history *h = r->c->problem->h;
	struct reach reached = opaque_update_reached(h, txn);
	for (; reached.first < reached.end; reached.first++) {
		uint32_t key = h->queries->reach_key[reached.first];
		guard_tick(r->c->guard);
		if (query_asks(h, q, key))
			r->own[r->c->problem->number_of[key]] = r->own_now;
	}
}

void check_queries(struct query_rules *r, uint32_t slot)
{
	if (!r->c)
		return; /* the history has none */
	const struct problem *p = r->c->problem;
	const struct history *h = p->h;
	uint32_t txn = p->txn_of[slot];
	if (h->txns[txn].status != ALIBI_COMMIT)
		return;
	r->own_now++;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		guard_tick(r->c->guard);
		const struct query *q = query_at(h, op);
		if (q && q->opaque)
			enter_opaque(r, txn, q);
		else if (q)
			check_query(r, slot, q);
		else if (op_writes(h->ops[op]))
			r->own[problem_key(p, op)] = r->own_now;
	}
}
