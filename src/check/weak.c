/* weak: see weak.h. */
#include "check/weak.h"

#include "base/searching.h"
#include "check/weak_propagate.h"
#include "check/weak_schedule.h"
#include "verify/claims.h"
#include "verify/steps.h"

enum { MANY_CHOICES = 100 }; /* of a read, on average: a first try is not worth the memory */
static const uint64_t WORK_MAX = 2000000000; /* passes times their size */

struct weak {
	struct pool *pool;
	struct guard *guard;
	struct problem problem;
	struct replay_rules rules;
	struct weak_reads reads;
	struct weak_edges edges; /* of the latest pass, in a pool of its own */
	struct proof proof;
	struct solver *solver; /* NULL: no read has a choice */
	VEC(uint32_t) read_of; /* by variable */
	uint32_t passes, max_passes;
	struct search_log *log;
	bool holds, given_up;
};

/* ---- passes ---- */

static bool begin_pass(struct weak *w)
{
	if (w->edges.pool)
		pool_release(w->edges.pool);
	pool_free(w->problem.pool, w->edges.list.items);
	w->edges = (struct weak_edges){.pool = pool_child(w->pool),
	                               .p = &w->problem,
	                               .reads = &w->reads,
	                               .rules = w->rules};
	return weak_edges_begin(&w->edges);
}

/* True: the current choices have a commit order. */
static bool pass(struct weak *w)
{
	w->passes++;
	w->log->work.rounds++;
	searching_order(w->guard, 0, 0);
	bool holds = begin_pass(w) && weak_edges_order(&w->edges);
	w->log->violated = holds ? 0 : weak_refute(&w->edges, &w->proof, w->solver);
	return holds;
}

/* First guess: the latest candidate before the reader, in an order of what is certain. */
static void guess_choices(struct weak *w)
{
	begin_pass(w);
	weak_refute_later(&w->edges, &w->reads, &w->proof, w->solver);
	for (size_t i = 0; i < w->reads.list.count; i++) {
		struct weak_read *read = &w->reads.list.items[i];
		if (read->variable != ID_NONE)
			weak_read_choose(&w->reads, read,
			                 weak_read_latest(&w->reads, read, w->edges.place));
	}
}

/* ---- the solver's theory ---- */

static bool phase(void *data, uint32_t variable)
{
	const struct weak *w = data;
	const struct weak_read *read = &w->reads.list.items[w->read_of.items[variable]];
	return variable == read->variable + read->choice;
}

static void take_choice(struct weak *w, struct weak_read *read)
{
	uint32_t choice = 0;
	if (solver_is_true(w->solver, lit_of(read->variable + read->choice, false)))
		return;
	while (!solver_is_true(w->solver, lit_of(read->variable + choice, false)))
		choice++;
	weak_read_choose(&w->reads, read, choice);
}

static bool complete(void *data)
{
	struct weak *w = data;
	const struct problem *p = &w->problem;
	for (size_t i = 0; i < w->reads.list.count; i++)
		if (w->reads.list.items[i].variable != ID_NONE)
			take_choice(w, &w->reads.list.items[i]);
	uint64_t size = p->slots + w->reads.list.count + p->writes.count + 1;
	w->given_up = w->passes >= (w->max_passes ? w->max_passes : WORK_MAX / size);
	w->holds = !w->given_up && pass(w);
	return w->holds || w->given_up;
}

static void put_literal(struct weak *w, lit l)
{
	const struct weak_read *read = &w->reads.list.items[w->read_of.items[lit_variable(l)]];
	uint32_t choice = CHOICE | (lit_variable(l) - read->variable);
	proof_word(&w->proof, l & 1 ? choice : read->op);
	proof_word(&w->proof, l & 1 ? read->op : choice);
}

static uint32_t learnt(void *data, const lit *literals, size_t count, const uint32_t *hints,
                       size_t hint_count)
{
	struct weak *w = data;
	w->log->work.conflicts = solver_conflicts(w->solver);
	searching_conflict(w->guard);
	proof_word(&w->proof, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		put_literal(w, literals[i]);
	for (size_t i = 0; i < hint_count; i++)
		proof_word(&w->proof, hints[i]);
	return proof_close(&w->proof, STEP_LEARNT);
}

static const struct sat_theory choice_theory = {
        .phase = phase,
        .complete = complete,
        .learnt = learnt,
};

/* ---- the search ---- */

static bool has_many_choices(const struct weak *w)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < w->reads.list.count; i++)
		sum += w->reads.list.items[i].choices;
	return sum / MANY_CHOICES > w->reads.list.count;
}

/* A variable for each choice, and a clause: one of them is right. False: there is none. */
static bool add_variables(struct weak *w, uint32_t number)
{
	struct weak_read *read = &w->reads.list.items[number];
	VEC(lit) clause = {0};
	proof_word(&w->proof, read->op);
	uint32_t step = proof_close(&w->proof, STEP_CHOICES);
	if (!read->choices)
		return false;
	if (!w->solver)
		w->solver = solver_new(w->pool, &choice_theory, w);
	for (uint32_t n = 0; n < read->choices; n++) {
		uint32_t variable = solver_new_variable(w->solver, 0);
		read->variable = n ? read->variable : variable;
		vec_push(w->pool, &w->read_of, number);
		vec_push(w->pool, &clause, lit_of(variable, false));
		guard_tick(w->guard);
	}
	w->log->work.choices += read->choices;
	w->log->work.unsure_reads++;
	solver_add(w->solver, clause.items, clause.count, step);
	pool_free(w->pool, clause.items);
	return true;
}

static void give_order(struct weak *w, struct search_result *result)
{
	const struct problem *p = &w->problem;
	VEC(struct read_from) chosen = {0};
	result->found = true;
	result->events = pool_array(w->pool, (size_t)p->slots + 1, sizeof *result->events);
	for (uint32_t i = 0; i < p->slots; i++)
		result->events[result->event_count++] =
		        event_of(p->txn_of[w->edges.node_at[i].index], true, false);
	for (size_t i = 0; i < w->reads.list.count; i++) {
		const struct weak_read *read = &w->reads.list.items[i];
		uint32_t writer = read->writer == ID_NONE ? ID_NONE : p->txn_of[read->writer];
		if (read->choices > 1 && !p->h->key_is_list[read->key])
			vec_push(w->pool, &chosen, ((struct read_from){read->op, writer}));
	}
	result->chosen = chosen.items;
	result->chosen_count = chosen.count;
}

static struct search_result solve(struct weak *w)
{
	struct search_result result = {0};
	weak_reads_init(&w->reads, w->pool, &w->problem);
	if (w->max_passes && has_many_choices(w)) {
		result.given_up = true;
		return result;
	}
	for (uint32_t i = 0; i < w->reads.list.count; i++)
		if (w->reads.list.items[i].choices != 1 && !add_variables(w, i))
			return result;
	guard_stage(w->guard, "looking for an order of commits", 0);
	guard_clock(w->guard, &w->log->work.solve_seconds);
	w->log->proven = PROVEN_READS;
	if (w->solver) {
		weak_propagate(w->pool, &w->problem, &w->reads, w->read_of.items, w->read_of.count,
		               w->rules, &w->proof, w->solver);
		guess_choices(w);
		solver_solve(w->solver, 0);
	} else {
		w->holds = pass(w);
	}
	result.given_up = w->given_up || (w->holds && w->reads.incomplete);
	if (w->holds && !w->reads.incomplete)
		give_order(w, &result);
	return result;
}

/* Is there a read with several candidates? */
static bool has_choice(const struct problem *p)
{
	bool found = false;
	for (size_t i = 0; i < p->reads.count && !found; i++)
		found = candidate_count(&p->reads.items[i]) + p->reads.items[i].initial > 1;
	for (size_t i = 0; i < p->list_reads.count && !found; i++)
		found = p->repeats[p->list_reads.items[i].key];
	return found;
}

struct search_result weak_search(struct pool *pool, struct component component,
                                 struct replay_rules rules, uint32_t max_passes,
                                 struct search_log *log)
{
	static const enum step_kind steps[] = {[IMPOSSIBLE_INT] = STEP_INT,
	                                       [IMPOSSIBLE_WRITER] = STEP_CHOICES,
	                                       [IMPOSSIBLE_COUNT] = STEP_LIST_FEWER};
	struct weak *w = pool_zalloc(pool, sizeof *w);
	struct search_result result = {0};
	w->pool = w->proof.pool = pool;
	w->guard = pool_guard(pool);
	w->rules = rules;
	w->max_passes = max_passes;
	w->log = log;
	guard_clock(w->guard, &log->work.prepare_seconds);
	problem_build(&w->problem, pool, component,
	              (struct problem_rules){.session = !rules.no_session,
	                                     .unrepeatable = rules.unrepeatable,
	                                     .without_edges = true});
	w->problem.nodes = w->problem.slots;
	if (w->problem.impossible != POSSIBLE) {
		proof_word(&w->proof, w->problem.impossible_op);
		if (w->problem.impossible_key != ID_NONE)
			proof_word(&w->proof, w->problem.impossible_key);
		proof_close(&w->proof, steps[w->problem.impossible]);
	} else {
		if (max_passes && has_choice(&w->problem))
			result = weak_schedule(pool, &w->problem, rules);
		if (!result.found)
			result = solve(w);
	}
	if (!result.found && !result.given_up)
		proof_trim(&w->proof);
	result.proof = w->proof;
	return result;
}
