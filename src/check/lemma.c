/* lemma: see lemma.h. */
#include "check/lemma.h"

#include "base/guard.h"

#include <assert.h>
#include <string.h>

void lemmas_prepare(struct lemmas *l)
{
	size_t bytes = (l->c->problem->derived.count + 1) * sizeof *l->unit;
	l->unit = pool_alloc(l->c->pool, bytes);
	memset(l->unit, 0xff, bytes);
}

/* The derived edge that the step is, or ID_NONE. */
static uint32_t derived_of(const struct lemmas *l, const struct path_step *step)
{
	return step->label == ID_NONE ? why_derived(l->c->problem, step->why) : ID_NONE;
}

static void add_hint(struct lemmas *l, uint32_t number)
{
	vec_push(l->c->pool, &l->hints, number);
}

/* The way back, as a literal; its label is not looked at. */
static void close_cycle(struct lemmas *l, node_id from)
{
	vec_push(l->c->pool, &l->path, ((struct path_step){from, 0, WHY_HISTORY}));
}

/* Time points are left out: what is before and behind them is ordered by time. */
static uint32_t write_cycle(struct lemmas *l, const path_vec *cycle)
{
	for (size_t i = 0; i < cycle->count; i++) {
		const struct path_step *step = &cycle->items[i];
		uint32_t why = step->why + WHY_READ;
		if (!is_event(l->c->problem, step->node))
			continue;
		if (step->label != ID_NONE || derived_of(l, step) != ID_NONE)
			why = WHY_LITERAL;
		else if (step->why == WHY_HISTORY)
			why = WHY_BY_HISTORY;
		rule_word(l->c, clauses_event(l->c, step->node));
		rule_word(l->c, why);
	}
	return proof_close(&l->c->proof, STEP_CYCLE);
}

/* ---- derived edges ---- */

/* Pushes the derived edges of the path that are not proven; false: there are some. */
static bool all_proven(struct lemmas *l, const path_vec *path)
{
	size_t before = l->pending.count;
	for (size_t i = 0; i < path->count; i++) {
		uint32_t derived = derived_of(l, &path->items[i]);
		if (derived != ID_NONE && l->unit[derived] == ID_NONE)
			vec_push(l->c->pool, &l->pending, derived);
	}
	return l->pending.count == before;
}

/* The units of the derived edges on the way. */
static void hint_units(struct lemmas *l, const path_vec *path)
{
	for (size_t i = 0; i < path->count; i++) {
		uint32_t derived = derived_of(l, &path->items[i]);
		if (derived != ID_NONE)
			add_hint(l, l->unit[derived]);
	}
}

/* The edge as a unit clause, which follows from the hints. */
static void write_unit(struct lemmas *l, uint32_t which)
{
	const struct derived *d = &l->c->problem->derived.items[which];
	lit unit = clauses_before(l->c, d->from, d->to);
	l->unit[which] = clauses_learnt(l->c, &unit, 1, l->hints.items, l->hints.count);
}

/* ---- what follows from a read ---- */

/* The one candidate of the read, or ID_NONE: the initial version. */
static uint32_t writer_of(const struct problem *p, uint32_t op, uint32_t reader)
{
	uint32_t i = p->read_first[reader];
	while (p->reads.items[i].op != op)
		i++;
	assert(i < p->read_first[reader + 1]);
	return first_candidate(p, reader, &p->reads.items[i]);
}

/* The rule by which it follows: (read before other) or (other before writer). */
static uint32_t write_rule(struct lemmas *l, const struct derived *d, bool has_writer)
{
	rule_word(l->c, d->op);
	rule_word(l->c, l->c->problem->txn_of[d->other]);
	if (has_writer)
		rule_word(l->c, 0);
	return proof_close(&l->c->proof, STEP_READ);
}

static bool prove_by_read(struct lemmas *l, uint32_t which)
{
	const struct problem *p = l->c->problem;
	const struct derived *d = &p->derived.items[which];
	uint32_t reader = p->slot_of[history_txn_at(p->h, d->op)];
	uint32_t writer = writer_of(p, d->op, reader);
	node_id read = read_node(p, reader), other = write_node(p, d->other);
	if (writer == ID_NONE) { /* the rule is a unit already */
		l->unit[which] = write_rule(l, d, false);
		return true;
	}
	/* other is before the read, and so before the writer; or after the writer, and so after
	 * the read */
	bool before = same_node(d->from, other);
	node_id from = before ? other : write_node(p, writer), to = before ? read : other;
	bool found = topology_path(l->topology, from, to, d->earlier, &l->path);
	assert(found);
	(void)found;
	if (!all_proven(l, &l->path))
		return false;
	l->hints.count = 0;
	hint_units(l, &l->path);
	if (l->path.count > 1 || !l->hints.count) { /* else the path is that unit itself */
		close_cycle(l, to);
		add_hint(l, write_cycle(l, &l->path));
	}
	add_hint(l, write_rule(l, d, true));
	write_unit(l, which);
	return true;
}

/* ---- what follows from a query ---- */

/* A proof in the making. */
struct argument {
	struct lemmas *l;
	struct pool *pool;
	const struct derived *d;
	node_id read;
	bool all;            /* what it rests on is proven so far */
	bool write;          /* steps are written; else it is only asked what it rests on */
	struct map believed; /* by pair: nodes that a hint has ordered */
};

static bool is_new(struct argument *a, node_id from, node_id to)
{
	uint64_t pair = map_pair(from.index, to.index);
	uint32_t *there = map_put(a->pool, &a->believed, pair, 0);
	return !(*there)++;
}

static void believe_units(struct argument *a)
{
	for (size_t i = 0; i < a->l->path.count; i++) {
		uint32_t derived = derived_of(a->l, &a->l->path.items[i]);
		if (derived == ID_NONE)
			continue;
		const struct derived *d = &a->l->c->problem->derived.items[derived];
		if (is_new(a, d->from, d->to))
			add_hint(a->l, a->l->unit[derived]);
	}
}

/* Proves that from is before to, if that is known. via, if it is a node: because otherwise to would
 * be before via, and via before from, which is assumed not to be. */
static bool argue(struct argument *a, node_id from, node_id to, node_id via)
{
	struct lemmas *l = a->l;
	if (!topology_path(l->topology, from, to, a->d->earlier, &l->path))
		return false;
	if (!a->write) {
		a->all &= all_proven(l, &l->path);
		return true;
	}
	believe_units(a);
	bool direct = same_node(via, NODE_NONE);
	if (!is_new(a, direct ? from : via, to))
		return true;
	close_cycle(l, to);
	if (!direct)
		close_cycle(l, via);
	add_hint(l, write_cycle(l, &l->path));
	return true;
}

/* Sets choices, by candidate: is it after the query? Else it is before `other`. */
static void argue_candidates(struct argument *a, const slot_vec *candidates, uint32_t *choices)
{
	const struct problem *p = a->l->c->problem;
	const struct derived *d = a->d;
	for (size_t i = 0; i < candidates->count; i++) {
		node_id c = write_node(p, candidates->items[i]);
		bool before =
		        d->other != ID_NONE &&
		        (same_node(d->to, c) || argue(a, c, write_node(p, d->other), NODE_NONE));
		choices[i] = !before;
		if (before || same_node(d->from, c) || argue(a, a->read, c, NODE_NONE))
			continue;
		bool behind = argue(a, d->from, c, a->read);
		assert(behind);
		(void)behind;
	}
}

/* The step about the query, with its choices. */
static uint32_t write_query(struct lemmas *l, const struct derived *d, const uint32_t *choices,
                            size_t count)
{
	rule_word(l->c, d->op);
	rule_word(l->c, d->key);
	rule_word(l->c, d->other == ID_NONE ? STEP_NOBODY : l->c->problem->txn_of[d->other]);
	for (size_t i = 0; i < count; i++)
		rule_word(l->c, choices[i]);
	return proof_close(&l->c->proof, STEP_QUERY);
}

static bool prove_by_query(struct lemmas *l, uint32_t which)
{
	const struct problem *p = l->c->problem;
	const struct derived *d = &p->derived.items[which];
	const struct query *q = query_at(p->h, d->op);
	struct pool *own = pool_child(l->c->pool);
	uint32_t reader = p->slot_of[history_txn_at(p->h, d->op)];
	const slot_vec *candidates =
	        writers_explain(l->writers, q, d->key, query_row(p->h, q, d->key), reader);
	uint32_t *choices = pool_array(own, candidates->count + 1, sizeof *choices);
	struct argument a = {l, own, d, read_node(p, reader), .all = true};
	l->hints.count = 0;
	for (int pass = 0; pass < 2 && a.all; pass++) {
		a.write = pass;
		is_new(&a, d->from, d->to); /* its contrary is assumed */
		if (d->other != ID_NONE && !same_node(d->from, a.read))
			argue(&a, write_node(p, d->other), a.read, NODE_NONE);
		argue_candidates(&a, candidates, choices);
	}
	if (a.all) {
		add_hint(l, write_query(l, d, choices, candidates->count));
		write_unit(l, which);
	}
	pool_release(own);
	return a.all;
}

/* ---- cycles ---- */

/* An edge that rests on others that are not proven pushes these, and is proven after them. */
static void prove_pending(struct lemmas *l)
{
	while (l->pending.count) {
		uint32_t which = l->pending.items[l->pending.count - 1];
		bool by_query = l->c->problem->derived.items[which].key != ID_NONE;
		if (l->unit[which] != ID_NONE ||
		    (by_query ? prove_by_query(l, which) : prove_by_read(l, which)))
			l->pending.count--;
	}
}

/* The number of the clause that the cycle contradicts. */
static uint32_t prove_cycle(struct lemmas *l, const path_vec *cycle, const lit *literals,
                            size_t count)
{
	if (!all_proven(l, cycle))
		prove_pending(l);
	l->hints.count = 0;
	hint_units(l, cycle);
	uint32_t number = write_cycle(l, cycle);
	if (!l->hints.count)
		return number;
	add_hint(l, number);
	return clauses_learnt(l->c, literals, count, l->hints.items, l->hints.count);
}

uint32_t lemmas_note_cycle(struct lemmas *l, const path_vec *cycle, const lit *literals,
                           size_t count)
{
	rule_word(l->c, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		rule_word(l->c, literals[i]);
	for (size_t i = 0; i < cycle->count; i++) {
		rule_word(l->c, cycle->items[i].node.index);
		rule_word(l->c, cycle->items[i].label);
		rule_word(l->c, cycle->items[i].why);
	}
	return proof_close(&l->c->proof, STEP_LATER);
}

uint32_t lemmas_note_known(struct lemmas *l, node_id a, node_id b)
{
	rule_word(l->c, ID_NONE); /* instead of a number of literals */
	rule_word(l->c, a.index);
	rule_word(l->c, b.index);
	return proof_close(&l->c->proof, STEP_LATER);
}

static uint32_t write_noted(struct lemmas *l, const uint32_t *words, uint32_t count)
{
	path_vec cycle = {0};
	uint32_t literals = words[0], number;
	if (literals == ID_NONE) { /* a path, and that its end is before its beginning */
		node_id a = {words[1]}, b = {words[2]};
		lit known = clauses_before(l->c, a, b);
		bool found = topology_path(l->topology, a, b,
		                           (uint32_t)l->c->problem->derived.count, &cycle);
		assert(found);
		(void)found;
		vec_push(l->c->pool, &cycle, ((struct path_step){b, lit_not(known), WHY_HISTORY}));
		number = prove_cycle(l, &cycle, &known, 1);
	} else {
		for (uint32_t i = 1 + literals; i < count; i += 3)
			vec_push(l->c->pool, &cycle,
			         ((struct path_step){{words[i]}, words[i + 1], words[i + 2]}));
		number = prove_cycle(l, &cycle, words + 1, literals);
	}
	pool_free(l->c->pool, cycle.items);
	return number;
}

void lemmas_finish(struct lemmas *l)
{
	struct proof *proof = &l->c->proof;
	proof_trim(proof);
	const struct proof noted = *proof;
	uint32_t *number = pool_array(l->c->pool, noted.steps.count + 1, sizeof *number);
	*proof = (struct proof){.pool = noted.pool};
	for (size_t i = 0; i < noted.steps.count; i++) {
		const struct proof_step *step = &noted.steps.items[i];
		const uint32_t *words = noted.words.items + step->offset;
		guard_tick(l->c->guard);
		if (step->kind == STEP_LATER) {
			number[i] = write_noted(l, words, step->count);
			continue;
		}
		uint32_t hints =
		        step->kind == STEP_LEARNT ? proof_hints(&noted, step) : step->count;
		for (uint32_t j = 0; j < step->count; j++)
			rule_word(l->c, j < hints ? words[j] : number[words[j]]);
		number[i] = proof_close(proof, step->kind);
	}
	pool_free(l->c->pool, number);
	proof_trim(proof);
}
