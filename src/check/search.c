/* search: see search.h. */
#include "check/search.h"

#include "base/searching.h"
#include "check/beam.h"
#include "check/rules.h"
#include "order/first_order.h"
#include "order/repair.h"

#include <assert.h>

enum {
	READS_PER_RULE = 10,      /* a first order that violates a rule in fewer reads is far off */
	READS_PER_RULE_NEAR = 50, /* the same, where only a near one is worth the effort */

	/* of the first turn, and how much more each has than the one before: */
	TURN_CONFLICTS = 1000,
	TURN_STEPS = 10000,
	TURN_GROWS = 3,

	/* of a beam before all else, for each event, and more: */
	STEPS_EACH = 64,
	FIRST_STEPS = 100 * 1000,
};

struct search {
	struct pool *pool;
	struct guard *guard;
	struct problem problem;
	struct topology topology;
	struct clauses clauses;
	struct lemmas lemmas;
	struct rules rules;
	uint64_t *hint; /* for first orders */
	uint64_t *near; /* likewise: an order that violates few rules; or NULL */
	VEC(lit) objection;
	struct search_log *log;
	uint64_t txns;                               /* of all components */
	uint64_t earlier_conflicts, earlier_choices; /* in the log, of searches before */
};

/* ---- the theory ---- */

static bool object(struct search *s, struct sat_objection *objection)
{
	const path_vec *cycle = &s->topology.cycle;
	s->objection.count = 0;
	for (size_t i = 0; i < cycle->count; i++)
		if (cycle->items[i].label != ID_NONE)
			vec_push(s->pool, &s->objection, lit_not(cycle->items[i].label));
	*objection = (struct sat_objection){
	        s->objection.items, s->objection.count,
	        lemmas_note_cycle(&s->lemmas, cycle, s->objection.items, s->objection.count)};
	return false;
}

static bool assign(void *data, lit l, struct sat_objection *objection)
{
	struct search *s = data;
	struct literal_pair p = clauses_pair(&s->clauses, l);
	if (is_outcome(p))
		outcome_assigned(&s->rules.outcomes, p, true);
	else if (!topology_insert(&s->topology, (node_id){p.from}, (node_id){p.to}, l))
		return object(s, objection);
	return true;
}

static void unassign(void *data, lit l)
{
	struct search *s = data;
	struct literal_pair p = clauses_pair(&s->clauses, l);
	if (is_outcome(p))
		outcome_assigned(&s->rules.outcomes, p, false);
	else
		topology_remove(&s->topology, (node_id){p.from}, (node_id){p.to});
}

static bool phase(void *data, uint32_t variable)
{
	struct search *s = data;
	struct literal_pair p = clauses_pair(&s->clauses, lit_of(variable, false));
	return is_outcome(p) ? outcome_holds(&s->rules.outcomes, p)
	                     : s->topology.place[p.from] < s->topology.place[p.to];
}

static bool complete(void *data)
{
	struct search *s = data;
	assert(s->problem.nodes > VALIDATE_NODES || topology_validate(&s->topology));
	s->log->work.rounds++;
	s->log->violated = rules_add_violated(&s->rules);
	s->log->work.choices = s->earlier_choices + s->clauses.pairs.count;
	searching_order(s->guard, s->rules.placed, s->txns);
	return s->log->violated == 0;
}

static uint32_t learnt(void *data, const lit *literals, size_t count, const uint32_t *hints,
                       size_t hint_count)
{
	struct search *s = data;
	s->log->work.conflicts = s->earlier_conflicts + solver_conflicts(s->clauses.solver);
	searching_conflict(s->guard);
	return clauses_learnt(&s->clauses, literals, count, hints, hint_count);
}

static const struct sat_theory order_theory = {
        .assign = assign,
        .unassign = unassign,
        .phase = phase,
        .complete = complete,
        .learnt = learnt,
};

/* ---- the search ---- */

static void set_order(struct search *s, const node_id *node_at, struct search_result *result)
{
	const struct problem *p = &s->problem;
	result->events = pool_array(s->pool, (size_t)p->nodes + 1, sizeof *result->events);
	for (uint32_t i = 0; i < p->nodes; i++) {
		guard_tick(s->guard);
		if (is_event(p, node_at[i])) {
			uint32_t event = clauses_event(&s->clauses, node_at[i]);
			result->events[result->event_count++] =
			        event_of(event >> 1, event & 1, false);
		}
	}
}

/* A read that no order can explain. */
static void prove_impossible(struct search *s)
{
	static const enum step_kind steps[] = {[IMPOSSIBLE_INT] = STEP_INT,
	                                       [IMPOSSIBLE_WRITER] = STEP_WRITER,
	                                       [IMPOSSIBLE_COUNT] = STEP_LIST_FEWER};
	rule_word(&s->clauses, s->problem.impossible_op);
	if (s->problem.impossible_key != ID_NONE)
		rule_word(&s->clauses, s->problem.impossible_key);
	proof_close(&s->clauses.proof, steps[s->problem.impossible]);
}

static uint64_t unsure_reads(const struct problem *p)
{
	uint64_t count = 0;
	for (size_t i = 0; i < p->reads.count; i++) {
		const struct external_read *w = &p->reads.items[i];
		count += candidate_count(w) + w->initial + w->opaque_writer > 1;
	}
	return count;
}

static void proven(struct search_log *log, enum search_proven what)
{
	if (what > log->proven)
		log->proven = what;
}

enum start { START_NEAR, START_FAR, START_CYCLE };

/* A first order that follows the known edges: does it violate many rules? */
static enum start start_order(struct search *s, uint32_t reads_per_rule)
{
	const struct problem *p = &s->problem;
	if (!topology_init(&s->topology, s->pool, p, s->hint))
		return START_CYCLE;
	proven(s->log, PROVEN_KNOWN);
	s->log->work.rounds++;
	s->log->violated = rules_count_violated(&s->rules);
	return s->log->violated < 1 + p->reads.count / reads_per_rule ? START_NEAR : START_FAR;
}

static size_t infer_from_queries(void *data, struct saturation *saturation)
{
	struct search *s = data;
	return rules_infer(&s->rules, saturation, s->hint);
}

/* An order that violates many rules is not worth repairing rule by rule: what follows from the
 * known edges is derived first. */
static enum start saturated_order(struct search *s)
{
	guard_clock(s->guard, &s->log->work.saturate_seconds);
	struct saturate_more more = {infer_from_queries, s};
	s->rules.queries.known = saturate(&s->problem, s->hint, &s->log->work.derived,
	                                  s->problem.h->queries ? &more : NULL);
	guard_clock(s->guard, &s->log->work.prepare_seconds);
	lemmas_prepare(&s->lemmas);
	const uint64_t *hint = s->near ? s->near : s->hint;
	return topology_init(&s->topology, s->pool, &s->problem, hint) ? START_NEAR : START_CYCLE;
}

/* An order from its beginning. One that is near becomes the first order. False: neither. */
static bool try_beam(struct search *s, unsigned turn, uint64_t steps, struct search_result *result)
{
	const struct problem *p = &s->problem;
	node_id *order = pool_array(s->pool, p->nodes, sizeof *order);
	enum beam_result found = beam_find(s->pool, p, s->hint, turn, steps, order);
	if (found == BEAM_NEAR)
		s->near = pool_array(s->pool, p->nodes, sizeof *s->near);
	for (uint32_t i = 0; found == BEAM_NEAR && i < p->nodes; i++)
		s->near[order[i].index] = i;
	result->found = found == BEAM_ORDER;
	if (result->found)
		set_order(s, order, result);
	pool_free(s->pool, order);
	return found != BEAM_NOTHING;
}

/* The solver, and orders from their beginning, with more and more effort. */
static void take_turns(struct search *s, uint64_t max_conflicts, struct search_result *result)
{
	uint64_t conflicts = TURN_CONFLICTS, steps = TURN_STEPS;
	for (unsigned turn = 0;; turn++, conflicts *= TURN_GROWS, steps *= TURN_GROWS) {
		bool last = max_conflicts && conflicts >= max_conflicts;
		enum sat_answer answer =
		        solver_solve(s->clauses.solver, last ? max_conflicts : conflicts);
		result->found = answer == SAT_YES;
		if (result->found)
			set_order(s, s->topology.node_at, result);
		if (answer == SAT_GIVEN_UP)
			try_beam(s, turn + 1, steps, result);
		result->given_up = answer == SAT_GIVEN_UP && !result->found;
		if (!result->given_up || last)
			return;
	}
}

/* Do most reads have several candidates? */
static bool few_values(const struct search *s)
{
	return 2 * s->log->work.unsure_reads > s->problem.reads.count;
}

static void solve(struct search *s, struct search_effort effort, struct search_result *result)
{
	s->hint = first_order_hint(s->pool, &s->problem);
	rules_init(&s->rules, &s->clauses, &s->lemmas);
	bool only_near = effort.near_only || few_values(s);
	enum start start = start_order(s, only_near ? READS_PER_RULE_NEAR : READS_PER_RULE);
	bool far = start == START_FAR;
	if (far && few_values(s)) {
		guard_stage(s->guard, "searching", 0);
		guard_clock(s->guard, &s->log->work.solve_seconds);
		far = !try_beam(s, 0, FIRST_STEPS + STEPS_EACH * (uint64_t)s->problem.nodes,
		                result);
	}
	result->given_up = far && effort.near_only;
	if (result->found || result->given_up)
		return;
	if (start == START_FAR)
		start = saturated_order(s);
	if (start == START_CYCLE) {
		lemmas_note_cycle(&s->lemmas, &s->topology.cycle, NULL, 0);
		return;
	}
	guard_stage(s->guard, "searching", 0);
	guard_clock(s->guard, &s->log->work.solve_seconds);
	repair(s->pool, &s->topology);
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
	s->log = log;
	s->txns = component.all->slots;
	s->earlier_conflicts = log->work.conflicts;
	s->earlier_choices = log->work.choices;
	s->clauses = (struct clauses){.pool = pool,
	                              .guard = s->guard,
	                              .problem = &s->problem,
	                              .topology = &s->topology,
	                              .solver = solver_new(pool, &order_theory, s),
	                              .proof.pool = pool};
	s->lemmas = (struct lemmas){
	        .c = &s->clauses, .topology = &s->topology, .writers = &s->rules.writers};
	guard_clock(s->guard, &log->work.prepare_seconds);
	problem_build(&s->problem, pool, component, rules);
	if (s->problem.impossible != POSSIBLE) {
		prove_impossible(s);
	} else {
		proven(log, PROVEN_READS);
		log->work.unsure_reads = unsure_reads(&s->problem);
		solve(s, effort, &result);
	}
	if (!result.found && !result.given_up)
		lemmas_finish(&s->lemmas);
	result.proof = s->clauses.proof;
	return result;
}
