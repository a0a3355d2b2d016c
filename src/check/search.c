/* search: see search.h. */
#include "check/search.h"

#include "base/guard.h"
#include "check/beam.h"
#include "check/broken.h"
#include "check/lemma.h"
#include "check/outcome.h"
#include "check/told.h"
#include "order/guess.h"
#include "order/saturate.h"

#include <assert.h>
#include <string.h>

enum {
	OF_READS = 50, /* a first order that breaks one rule in so many reads is far off */

	/* of the first turn, and how much more each has than the one before: */
	TURN_CONFLICTS = 1000,
	TURN_STEPS = 10000,
	TURN_GROWS = 3,
};

/* ---- literals ---- */

/* Literals about open updates are no pairs of nodes. */
static bool is_outcome(uint32_t from, uint32_t to)
{
	return (from | to) & OUTCOME;
}

/* Pairs are guessed from the end of the present order to its beginning. */
static uint32_t rank_of(const struct search *s, uint32_t a, uint32_t b)
{
	const uint32_t *place = s->topology.place;
	if (is_outcome(a, b))
		return 0;
	return place[a] > place[b] ? place[a] : place[b];
}

lit search_literal(struct search *s, uint32_t a, uint32_t b)
{
	uint64_t pair = map_pair(a, b);
	assert(a != b);
	uint32_t *variable = map_put(s->pool, &s->variables, pair, UINT32_MAX);
	if (*variable == UINT32_MAX) {
		*variable = solver_new_variable(s->solver, rank_of(s, a, b));
		s->log->work.choices++;
		vec_push(s->pool, &s->ends, pair);
	}
	return lit_of(*variable, a > b);
}

static void ends_of(const struct search *s, lit l, uint32_t *from, uint32_t *to)
{
	uint64_t pair = s->ends.items[lit_variable(l)];
	uint32_t low = (uint32_t)(pair >> 32), high = (uint32_t)pair;
	*from = l & 1 ? high : low;
	*to = l & 1 ? low : high;
}

/* ---- events, for the proof ---- */

uint32_t search_event(const struct search *s, uint32_t node)
{
	const struct problem *p = &s->problem;
	uint32_t txn = p->txn_of[slot_of_node(p, node)];
	return p->rules.snapshot ? 2 * txn + (node & 1) : 2 * txn + 1;
}

uint32_t search_learnt(struct search *s, const lit *literals, size_t count, const uint32_t *hints,
                       size_t hint_count)
{
	proof_word(&s->proof, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		uint32_t from, to;
		ends_of(s, literals[i], &from, &to);
		bool outcome = is_outcome(from, to);
		proof_word(&s->proof, outcome ? from : search_event(s, from));
		proof_word(&s->proof, outcome ? to : search_event(s, to));
	}
	for (size_t i = 0; i < hint_count; i++)
		proof_word(&s->proof, hints[i]);
	return proof_close(&s->proof, STEP_LEARNT);
}

/* ---- the theory ---- */

static bool object(struct search *s, struct sat_objection *objection)
{
	s->objection.count = 0;
	for (size_t i = 0; i < s->topology.cycle.count; i++)
		if (s->topology.cycle.items[i].label != ID_NONE)
			vec_push(s->pool, &s->objection, lit_not(s->topology.cycle.items[i].label));
	*objection = (struct sat_objection){s->objection.items, s->objection.count,
	                                    cycle_later(s, s->objection.items, s->objection.count)};
	return false;
}

static bool assign(void *data, lit l, struct sat_objection *objection)
{
	struct search *s = data;
	uint32_t from, to;
	ends_of(s, l, &from, &to);
	if (is_outcome(from, to))
		outcome_assigned(s, from, to, true);
	else if (!topology_insert(&s->topology, from, to, l))
		return object(s, objection);
	return true;
}

static void unassign(void *data, lit l)
{
	struct search *s = data;
	uint32_t from, to;
	ends_of(s, l, &from, &to);
	if (is_outcome(from, to))
		outcome_assigned(s, from, to, false);
	else
		topology_remove(&s->topology, from, to);
}

static bool phase(void *data, uint32_t variable)
{
	struct search *s = data;
	uint64_t pair = s->ends.items[variable];
	if (is_outcome((uint32_t)(pair >> 32), (uint32_t)pair))
		return !outcome_is(s, (uint32_t)pair, (uint32_t)(pair >> 32));
	return s->topology.place[(uint32_t)(pair >> 32)] < s->topology.place[(uint32_t)pair];
}

static bool complete(void *data)
{
	struct search *s = data;
	s->log->work.rounds++;
	s->log->violated = broken_rules(s);
	return s->log->violated == 0;
}

static uint32_t learnt(void *data, const lit *literals, size_t count, const uint32_t *hints,
                       size_t hint_count)
{
	struct search *s = data;
	s->log->work.conflicts = s->earlier_conflicts + solver_conflicts(s->solver);
	return search_learnt(s, literals, count, hints, hint_count);
}

static const struct sat_theory order_theory = {
        .assign = assign,
        .unassign = unassign,
        .phase = phase,
        .complete = complete,
        .learnt = learnt,
};

/* ---- the search ---- */

static void hand_out_order(struct search *s, const uint32_t *node_at, struct search_result *result)
{
	const struct problem *p = &s->problem;
	result->events = pool_array(s->pool, (size_t)p->nodes + 1, sizeof *result->events);
	for (uint32_t i = 0; i < p->nodes; i++) {
		uint32_t node = node_at[i];
		guard_tick(s->guard);
		if (node < event_nodes(p)) {
			uint32_t event = search_event(s, node);
			result->events[result->event_count++] =
			        event_of(event >> 1, event & 1, false);
		}
	}
}

/* What needs no search: a read that nothing can explain. */
static void prove_impossible(struct search *s)
{
	static const enum step_kind steps[] = {[IMPOSSIBLE_INT] = STEP_INT,
	                                       [IMPOSSIBLE_WRITER] = STEP_WRITER,
	                                       [IMPOSSIBLE_COUNT] = STEP_LIST_FEWER};
	proof_word(&s->proof, s->problem.impossible_op);
	if (s->problem.impossible_key != ATOM_NONE)
		proof_word(&s->proof, s->problem.impossible_key);
	proof_close(&s->proof, steps[s->problem.impossible]);
}

static uint64_t unsure_reads(const struct problem *p)
{
	uint64_t count = 0;
	for (size_t i = 0; i < p->reads.count; i++) {
		const struct external_read *w = &p->reads.items[i];
		count += w->count - w->includes_reader + w->initial + w->open_writer > 1;
	}
	return count;
}

static void proven(struct search_log *log, enum search_proven what)
{
	if (what > log->proven)
		log->proven = what;
}

enum start { START_NEAR, START_FAR, START_CYCLE };

/* A first order that follows the known edges: does it break much? */
static enum start start_order(struct search *s, const uint64_t *hint)
{
	const struct problem *p = &s->problem;
	if (!topology_init(&s->topology, s->pool, p, hint))
		return START_CYCLE;
	proven(s->log, PROVEN_KNOWN);
	s->log->work.rounds++;
	s->log->violated = broken_count(s);
	return s->log->violated < 1 + p->reads.count / OF_READS ? START_NEAR : START_FAR;
}

/* One that breaks much is not worth repairing rule by rule: what follows from the
 * known edges is derived first. */
static enum start saturated_order(struct search *s, const uint64_t *hint)
{
	guard_clock(s->guard, &s->log->work.saturate_seconds);
	struct saturate_more more = {told_look, s};
	s->known =
	        saturate(&s->problem, &s->log->work.derived, s->problem.h->queries ? &more : NULL);
	guard_clock(s->guard, &s->log->work.prepare_seconds);
	s->lemmas = pool_zarray(s->pool, s->problem.derived.count + 1, sizeof *s->lemmas);
	return topology_init(&s->topology, s->pool, &s->problem, hint) ? START_NEAR : START_CYCLE;
}

/* The solver, and orders from their beginning, with more and more effort. */
static void take_turns(struct search *s, uint64_t max_conflicts, struct search_result *result)
{
	uint64_t conflicts = TURN_CONFLICTS, steps = TURN_STEPS;
	for (unsigned turn = 0;; turn++, conflicts *= TURN_GROWS, steps *= TURN_GROWS) {
		bool last = max_conflicts && conflicts >= max_conflicts;
		enum sat_answer answer = solver_solve(s->solver, last ? max_conflicts : conflicts);
		const uint32_t *order = s->topology.node_at;
		if (answer == SAT_GIVEN_UP) {
			uint32_t *found = pool_array(s->pool, s->problem.nodes, sizeof *found);
			order = found;
			result->found = beam_find(s->pool, &s->problem, turn, steps, found);
		}
		result->found |= answer == SAT_YES;
		result->given_up = answer == SAT_GIVEN_UP && !result->found;
		if (result->found)
			hand_out_order(s, order, result);
		if (!result->given_up || last)
			return;
	}
}

static void solve(struct search *s, struct search_effort effort, struct search_result *result)
{
	const uint64_t *hint = s->hint = guess_hint(s->pool, &s->problem);
	enum start start = start_order(s, hint);
	if (start == START_FAR && effort.near_only) {
		result->given_up = true;
		return;
	}
	if (start == START_FAR)
		start = saturated_order(s, hint);
	if (start == START_CYCLE) {
		cycle_lemma(s, NULL, 0);
		return;
	}
	guard_stage(s->guard, "searching", 0);
	guard_clock(s->guard, &s->log->work.solve_seconds);
	take_turns(s, effort.max_conflicts, result);
}

struct search_result search(struct pool *pool, struct component component,
                            struct problem_rules rules, struct search_effort effort,
                            struct search_log *log)
{
	struct search *s = pool_zalloc(pool, sizeof *s);
	struct search_result result = {0};
	s->pool = pool;
	s->guard = pool_guard(pool);
	s->proof.pool = pool;
	s->log = log;
	s->earlier_conflicts = log->work.conflicts;
	guard_clock(s->guard, &log->work.prepare_seconds);
	problem_build(&s->problem, pool, component, rules);
	s->solver = solver_new(pool, &order_theory, s);
	if (s->problem.impossible != POSSIBLE) {
		prove_impossible(s);
	} else {
		proven(log, PROVEN_READS);
		log->work.unsure_reads = unsure_reads(&s->problem);
		solve(s, effort, &result);
	}
	if (!result.found && !result.given_up)
		lemmas_finish(s);
	result.proof = s->proof;
	return result;
}
