/* lemma: see lemma.h. */
#include "check/lemma.h"

#include "base/guard.h"

#include <assert.h>

typedef VEC(struct cycle_step) step_vec;
typedef VEC(uint32_t) number_vec;

static bool is_derived(const struct search *s, struct cycle_step step, uint32_t *which)
{
	uint32_t ops = s->problem.h->op_count;
	if (step.label != ID_NONE || step.why == WHY_HISTORY || step.why < ops)
		return false;
	*which = step.why - ops;
	return true;
}

/* Time points are left out: what is before and behind them is ordered by time. */
static uint32_t write_cycle(struct search *s, const struct cycle_step *steps, size_t count)
{
	const struct problem *p = &s->problem;
	for (size_t i = 0; i < count; i++) {
		uint32_t which, why = steps[i].why + WHY_READ;
		if (steps[i].node >= event_nodes(p))
			continue;
		if (steps[i].label != ID_NONE || is_derived(s, steps[i], &which))
			why = WHY_LITERAL;
		else if (steps[i].why == WHY_HISTORY)
			why = WHY_BY_HISTORY;
		proof_word(&s->proof, search_event(s, steps[i].node));
		proof_word(&s->proof, why);
	}
	return proof_close(&s->proof, STEP_CYCLE);
}

/* ---- paths ---- */

/* A path of known edges, the first `earlier` derived ones among them; they all
 * follow p->place, so nothing beyond the end's place need be looked at. False: there is
 * none. */
static bool find_path(struct search *s, uint32_t from, uint32_t to, uint32_t earlier,
                      step_vec *path)
{
	const struct problem *p = &s->problem;
	struct topology *t = &s->topology;
	t->stack.count = 0;
	t->mark[from] = ++t->mark_now;
	vec_push(s->pool, &t->stack, from);
	while (t->mark[to] != t->mark_now) {
		if (!t->stack.count)
			return false;
		uint32_t v = t->stack.items[--t->stack.count];
		guard_tick(s->guard);
		for (uint32_t i = p->after_first[v]; i < p->after_first[v + 1]; i++) {
			uint32_t next = p->after[i], why = p->after_why[i];
			bool later = why != WHY_HISTORY && why >= p->h->op_count &&
			             why - p->h->op_count >= earlier;
			if (later || t->mark[next] == t->mark_now || p->place[next] > p->place[to])
				continue;
			t->mark[next] = t->mark_now;
			t->parent[next] = v;
			t->parent_why[next] = why;
			vec_push(s->pool, &t->stack, next);
		}
	}
	path->count = 0;
	for (uint32_t v = to; v != from; v = t->parent[v])
		vec_push(s->pool, path,
		         ((struct cycle_step){t->parent[v], ID_NONE, t->parent_why[v]}));
	for (size_t i = 0, j = path->count; i + 1 < j; i++) {
		struct cycle_step swap = path->items[i];
		path->items[i] = path->items[--j];
		path->items[j] = swap;
	}
	return true;
}

/* ---- derived edges ---- */

/* The rule by which it follows: (read before other) or (other before writer). */
static uint32_t write_rule(struct search *s, const struct derived *d, bool has_writer)
{
	proof_word(&s->proof, d->op);
	proof_word(&s->proof, s->problem.txn_of[d->other]);
	if (has_writer)
		proof_word(&s->proof, 0);
	return proof_close(&s->proof, STEP_READ);
}

/* The one candidate of the read, or ID_NONE: the initial version. */
static uint32_t writer_of(const struct problem *p, uint32_t op, uint32_t *reader)
{
	uint32_t low = *reader = p->slot_of[history_txn_at(p->h, op)];
	for (uint32_t i = p->read_first[low]; i < p->read_first[low + 1]; i++) {
		const struct external_read *w = &p->reads.items[i];
		if (w->op != op)
			continue;
		if (w->count == w->includes_reader)
			return ID_NONE;
		uint32_t first = p->candidates[w->first];
		return first == low ? p->candidates[w->first + 1] : first;
	}
	assert(false && "the read is one of its transaction's");
	return ID_NONE;
}

/* Pushes the derived edges of the path that are not proven; false: there are some. */
static bool all_proven(struct search *s, const step_vec *path, number_vec *waiting)
{
	bool all = true;
	for (size_t i = 0; i < path->count; i++) {
		uint32_t which;
		if (!is_derived(s, path->items[i], &which) || s->lemmas[which])
			continue;
		vec_push(s->pool, waiting, which);
		all = false;
	}
	return all;
}

/* Hints: the units of the derived edges on the way, then what they make false. */
static void hint_units(struct search *s, const struct cycle_step *steps, size_t count,
                       number_vec *hints)
{
	hints->count = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t which;
		if (is_derived(s, steps[i], &which))
			vec_push(s->pool, hints, s->lemmas[which] - 1);
	}
}

static uint32_t write_unit(struct search *s, const struct derived *d, const number_vec *hints)
{
	proof_word(&s->proof, 1);
	proof_word(&s->proof, search_event(s, d->from));
	proof_word(&s->proof, search_event(s, d->to));
	for (size_t i = 0; i < hints->count; i++)
		proof_word(&s->proof, hints->items[i]);
	return proof_close(&s->proof, STEP_LEARNT);
}

/* ---- what follows from a query ---- */

/* A proof in the making: of which literals a step has made use. */
struct argument {
	struct search *s;
	const struct derived *d;
	step_vec *path;
	number_vec *waiting, *hints;
	bool all;            /* what it rests on is proven so far */
	bool write;          /* steps are written; else it is only asked what it rests on */
	struct map believed; /* by pair: nodes that a hint has ordered */
};

static bool is_new(struct argument *a, uint32_t from, uint32_t to)
{
	uint32_t *there = map_put(a->s->pool, &a->believed, map_pair(from, to), 0);
	bool fresh = !*there;
	*there = 1;
	return fresh;
}

/* The units on the path, which is there. */
static void believe_path(struct argument *a)
{
	for (size_t i = 0; i < a->path->count; i++) {
		uint32_t which;
		if (!is_derived(a->s, a->path->items[i], &which))
			continue;
		const struct derived *d = &a->s->problem.derived.items[which];
		if (is_new(a, d->from, d->to))
			vec_push(a->s->pool, a->hints, a->s->lemmas[which] - 1);
	}
}

/* Lets the reader of the proof know that from is before to, if that is known; via: because
 * otherwise to would be before via, and that before from, which is assumed not to be. */
static bool argue(struct argument *a, uint32_t from, uint32_t to, uint32_t via)
{
	if (!find_path(a->s, from, to, a->d->earlier, a->path))
		return false;
	if (!a->write) {
		a->all &= all_proven(a->s, a->path, a->waiting);
		return true;
	}
	believe_path(a);
	uint32_t last = via == ID_NONE ? from : via;
	if (!is_new(a, last, to))
		return true;
	vec_push(a->s->pool, a->path, ((struct cycle_step){to, 0, WHY_HISTORY}));
	if (via != ID_NONE)
		vec_push(a->s->pool, a->path, ((struct cycle_step){via, 0, WHY_HISTORY}));
	vec_push(a->s->pool, a->hints, write_cycle(a->s, a->path->items, a->path->count));
	return true;
}

static void argue_candidates(struct argument *a, uint32_t reader, uint32_t *choices)
{
	struct search *s = a->s;
	const struct problem *p = &s->problem;
	const struct derived *d = a->d;
	const struct query *q = query_at(p->h, d->op);
	uint32_t number = p->number_of[d->key], row = query_row(p->h, q, d->key);
	uint32_t read = read_node(p, reader);
	uint32_t left = d->other == ID_NONE ? 0 : write_node(p, d->other), count = 0;
	for (uint32_t i = s->writers_first[number]; i < s->writers_first[number + 1]; i++) {
		uint32_t write = s->writers[i], slot = s->writer_slot[write];
		uint32_t c = write_node(p, slot);
		if (slot == reader || !query_explains(p->h, q, row, p->writes.items[write].value))
			continue;
		bool before = d->other != ID_NONE && (d->to == c || argue(a, c, left, ID_NONE));
		choices[count++] = !before;
		if (!before && d->from != c && !argue(a, read, c, ID_NONE)) {
			bool behind = argue(a, d->from, c, read);
			assert(behind);
			(void)behind;
		}
	}
}

/* The step about the query, with its choices. */
static uint32_t write_told(struct search *s, const struct derived *d, const uint32_t *choices,
                           uint32_t count)
{
	proof_word(&s->proof, d->op);
	proof_word(&s->proof, d->key);
	proof_word(&s->proof, d->other == ID_NONE ? STEP_NOBODY : s->problem.txn_of[d->other]);
	for (uint32_t i = 0; i < count; i++)
		proof_word(&s->proof, choices[i]);
	return proof_close(&s->proof, STEP_QUERY);
}

static uint32_t count_candidates(const struct search *s, const struct derived *d, uint32_t reader)
{
	const struct problem *p = &s->problem;
	const struct query *q = query_at(p->h, d->op);
	uint32_t number = p->number_of[d->key], row = query_row(p->h, q, d->key), count = 0;
	for (uint32_t i = s->writers_first[number]; i < s->writers_first[number + 1]; i++)
		count += s->writer_slot[s->writers[i]] != reader &&
		         query_explains(p->h, q, row, p->writes.items[s->writers[i]].value);
	return count;
}

static bool prove_told(struct search *s, uint32_t which, step_vec *path, number_vec *waiting)
{
	const struct problem *p = &s->problem;
	const struct derived d = p->derived.items[which];
	number_vec hints = {0};
	uint32_t reader = p->slot_of[history_txn_at(p->h, d.op)],
	         count = count_candidates(s, &d, reader);
	uint32_t *choices = pool_array(s->pool, (size_t)count + 1, sizeof *choices);
	uint32_t read = read_node(p, reader);
	struct argument a = {s, &d, path, waiting, &hints, true, false, {0}};
	for (int pass = 0; pass < 2 && a.all; pass++) {
		a.write = pass;
		is_new(&a, d.from, d.to); /* its contrary is assumed */
		if (d.other != ID_NONE && d.from != read)
			argue(&a, write_node(p, d.other), read, ID_NONE);
		argue_candidates(&a, reader, choices);
	}
	if (a.all) {
		vec_push(s->pool, &hints, write_told(s, &d, choices, count));
		s->lemmas[which] = write_unit(s, &d, &hints) + 1;
	}
	pool_free(s->pool, hints.items);
	pool_free(s->pool, choices);
	return a.all;
}

/* ---- all of them ---- */

/* True: it is proven now. False: what it rests on was pushed. */
static bool prove_edge(struct search *s, uint32_t which, step_vec *path, number_vec *waiting)
{
	const struct problem *p = &s->problem;
	const struct derived d = p->derived.items[which];
	if (d.key != ATOM_NONE)
		return prove_told(s, which, path, waiting);
	uint32_t reader, writer = writer_of(p, d.op, &reader);
	uint32_t read = read_node(p, reader), other = write_node(p, d.other);
	number_vec hints = {0};
	if (writer == ID_NONE) { /* the rule is a unit already */
		s->lemmas[which] = write_rule(s, &d, false) + 1;
		return true;
	}
	bool before = d.from == other; /* other is before the writer, since it is before the read */
	uint32_t from = before ? other : write_node(p, writer), to = before ? read : other;
	bool found = find_path(s, from, to, d.earlier, path);
	assert(found);
	(void)found;
	if (!all_proven(s, path, waiting))
		return false;
	hint_units(s, path->items, path->count, &hints);
	if (path->count > 1 || !hints.count) { /* else the path is that unit itself */
		vec_push(s->pool, path,
		         ((struct cycle_step){to, 0, WHY_HISTORY})); /* back: a literal */
		vec_push(s->pool, &hints, write_cycle(s, path->items, path->count));
	}
	vec_push(s->pool, &hints, write_rule(s, &d, true));
	s->lemmas[which] = write_unit(s, &d, &hints) + 1;
	pool_free(s->pool, hints.items);
	return true;
}

static void prove_edges(struct search *s, number_vec *waiting)
{
	step_vec path = {0};
	while (waiting->count) {
		uint32_t which = waiting->items[waiting->count - 1];
		if (s->lemmas[which] || prove_edge(s, which, &path, waiting))
			while (waiting->count && s->lemmas[waiting->items[waiting->count - 1]])
				waiting->count--;
	}
	pool_free(s->pool, path.items);
}

uint32_t cycle_lemma(struct search *s, const lit *literals, size_t count)
{
	number_vec waiting = {0}, hints = {0};
	step_vec cycle = {0};
	for (size_t i = 0; i < s->topology.cycle.count; i++) /* proofs of edges use the topology */
		vec_push(s->pool, &cycle, s->topology.cycle.items[i]);
	if (!all_proven(s, &cycle, &waiting))
		prove_edges(s, &waiting);
	hint_units(s, cycle.items, cycle.count, &hints);
	uint32_t number = write_cycle(s, cycle.items, cycle.count);
	if (hints.count) {
		vec_push(s->pool, &hints, number);
		number = search_learnt(s, literals, count, hints.items, hints.count);
	}
	pool_free(s->pool, waiting.items);
	pool_free(s->pool, hints.items);
	pool_free(s->pool, cycle.items);
	return number;
}

/* ---- later ---- */

uint32_t cycle_later(struct search *s, const lit *literals, size_t count)
{
	proof_word(&s->proof, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		proof_word(&s->proof, literals[i]);
	for (size_t i = 0; i < s->topology.cycle.count; i++) {
		const struct cycle_step *c = &s->topology.cycle.items[i];
		proof_word(&s->proof, c->node);
		proof_word(&s->proof, c->label);
		proof_word(&s->proof, c->why);
	}
	return proof_close(&s->proof, STEP_LATER);
}

uint32_t known_later(struct search *s, uint32_t a, uint32_t b)
{
	proof_word(&s->proof, ID_NONE);
	proof_word(&s->proof, a);
	proof_word(&s->proof, b);
	return proof_close(&s->proof, STEP_LATER);
}

/* A path, and that its end is not before its beginning. */
static uint32_t write_known(struct search *s, uint32_t a, uint32_t b)
{
	step_vec path = {0};
	lit l = search_literal(s, a, b);
	bool found = find_path(s, a, b, (uint32_t)s->problem.derived.count, &path);
	assert(found);
	(void)found;
	vec_push(s->pool, &path, ((struct cycle_step){b, lit_not(l), WHY_HISTORY}));
	s->topology.cycle.count = 0;
	for (size_t i = 0; i < path.count; i++)
		vec_push(s->pool, &s->topology.cycle, path.items[i]);
	pool_free(s->pool, path.items);
	return cycle_lemma(s, &l, 1);
}

static uint32_t write_out(struct search *s, const uint32_t *words, uint32_t count)
{
	if (words[0] == ID_NONE)
		return write_known(s, words[1], words[2]);
	uint32_t literals = words[0];
	s->topology.cycle.count = 0;
	for (uint32_t i = 1 + literals; i < count; i += 3)
		vec_push(s->pool, &s->topology.cycle,
		         ((struct cycle_step){words[i], words[i + 1], words[i + 2]}));
	return cycle_lemma(s, words + 1, literals);
}

void lemmas_finish(struct search *s)
{
	proof_trim(&s->proof);
	const struct proof noted = s->proof;
	uint32_t *number = pool_array(s->pool, noted.steps.count + 1, sizeof *number);
	s->proof = (struct proof){.pool = noted.pool};
	for (size_t i = 0; i < noted.steps.count; i++) {
		const struct proof_step *step = &noted.steps.items[i];
		const uint32_t *words = noted.words.items + step->offset;
		guard_tick(s->guard);
		if (step->kind == STEP_LATER) {
			number[i] = write_out(s, words, step->count);
			continue;
		}
		uint32_t hints =
		        step->kind == STEP_LEARNT ? proof_hints(&noted, step) : step->count;
		for (uint32_t j = 0; j < step->count; j++)
			proof_word(&s->proof, j < hints ? words[j] : number[words[j]]);
		number[i] = proof_close(&s->proof, step->kind);
	}
	pool_free(s->pool, number);
	proof_trim(&s->proof);
}
