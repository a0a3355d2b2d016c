/* weak: see weak.h. This file: sights, choices, and the loop of passes. */
#include "check/weak.h"

#include "base/guard.h"
#include "check/weak_pass.h"
#include "order/guess.h"
#include "verify/claims.h"
#include "verify/steps.h"

enum {
	CHOICES_MAX = 10000, /* of one list */
	MANY_CHOICES = 100,  /* of a read, on average: a first try is not worth the memory */
};
static const uint64_t WORK_MAX = 2000000000; /* passes times their size */

/* ---- sights ---- */

static uint32_t choices_of_register(const struct external_read *read)
{
	return read->count - read->includes_reader + read->initial;
}

/* The n-th candidate; the reader is none, the initial version comes last. */
static uint32_t candidate(const struct problem *p, const struct external_read *read,
                          uint32_t reader, uint32_t n)
{
	if (n >= read->count - read->includes_reader)
		return ID_NONE;
	uint32_t found = p->candidates[read->first + n];
	return read->includes_reader && found >= reader ? p->candidates[read->first + n + 1]
	                                                : found;
}

const uint32_t *sight_writers(const struct weak *w, const struct sight *s, size_t *count)
{
	const struct problem *p = &w->problem;
	if (!p->h->key_is_list[s->key]) {
		*count = s->writer != ID_NONE;
		return &s->writer;
	}
	if (!p->repeats[s->key]) {
		*count = p->list_reads.items[s->read].writers;
		return *count ? p->list_writers.items + p->list_reads.items[s->read].first_writer
		              : NULL;
	}
	uint32_t end = w->choice_ends.items[s->first + s->chosen];
	uint32_t first = s->first + s->chosen ? w->choice_ends.items[s->first + s->chosen - 1] : 0;
	*count = end - first;
	return *count ? w->sequences.items + first : NULL;
}

/* Whom the choice of this pass reads from. */
static void set_writer(struct weak *w, uint32_t reader, struct sight *s)
{
	const struct problem *p = &w->problem;
	size_t count;
	if (p->h->key_is_list[s->key]) {
		const uint32_t *writers = sight_writers(w, s, &count);
		s->writer = count ? writers[count - 1] : ID_NONE;
	} else {
		s->writer = candidate(p, &p->reads.items[s->read], reader, s->chosen);
	}
}

/* All sequences of appenders that make up a list whose elements repeat. */
static bool add_sequences(struct weak *w, struct sight *s)
{
	const struct problem *p = &w->problem;
	struct origins *o = &w->origins;
	if (!o->h)
		origins_index(o, w->pool, p->h);
	if (!origins_choices(o, s->op, CHOICES_MAX))
		return false;
	s->first = (uint32_t)w->choice_ends.count;
	s->choices = (uint32_t)o->ends.count;
	for (size_t i = 0, at = 0; i < o->ends.count; i++) {
		for (; at < o->ends.items[i]; at++)
			vec_push(w->pool, &w->sequences, p->slot_of[o->found.items[at]]);
		vec_push(w->pool, &w->choice_ends, (uint32_t)w->sequences.count);
	}
	return true;
}

static bool add_sight(struct weak *w, struct sight s, uint32_t reader)
{
	const struct problem *p = &w->problem;
	bool list = p->h->key_is_list[s.key];
	s.variable = NO_VARIABLE;
	s.choices = list ? 1 : choices_of_register(&p->reads.items[s.read]);
	if (list && p->repeats[s.key] && !add_sequences(w, &s))
		return false;
	s.writer = ID_NONE;
	if (s.choices == 1)
		set_writer(w, reader, &s);
	vec_push(w->pool, &w->sights, s);
	return true;
}

/* Reads of registers and of lists, in the order of operations. A list that can have come
 * about in too many ways is left out: a refutation that does not need it is one. */
static void collect_sights(struct weak *w)
{
	const struct problem *p = &w->problem;
	w->sight_first = pool_array(w->pool, (size_t)p->slots + 1, sizeof *w->sight_first);
	vec_reserve(w->pool, &w->sights, p->reads.count + p->list_reads.count);
	for (uint32_t slot = 0, i = 0, l = 0; slot < p->slots; slot++) {
		w->sight_first[slot] = (uint32_t)w->sights.count;
		uint32_t reads = p->read_first[slot + 1], lists = p->list_read_first[slot + 1];
		while (i < reads || l < lists) {
			uint32_t read = i < reads ? p->reads.items[i].op : NO_OP;
			uint32_t list = l < lists ? p->list_reads.items[l].op : NO_OP;
			struct sight s = {.op = list < read ? list : read,
			                  .read = list < read ? l++ : i++};
			s.key = op_key(p->h->ops[s.op]);
			guard_tick(w->guard);
			w->left_out |= !add_sight(w, s, slot);
		}
	}
	w->sight_first[p->slots] = (uint32_t)w->sights.count;
}

static bool has_many_choices(const struct weak *w)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < w->sights.count; i++)
		sum += w->sights.items[i].choices;
	return sum / MANY_CHOICES > w->sights.count;
}

/* ---- the solver's view ---- */

static bool assign(void *data, lit l, struct sat_objection *objection)
{
	struct weak *w = data;
	(void)objection;
	w->truth[lit_variable(l)] = !(l & 1);
	return true;
}

static void unassign(void *data, lit l)
{
	struct weak *w = data;
	w->truth[lit_variable(l)] = false;
}

/* Guessed at first: the last candidate before the reader, in an order that follows what
 * is certain. */
static uint32_t likely(const struct weak *w, uint32_t reader, const struct sight *s)
{
	const struct problem *p = &w->problem;
	uint32_t best = ID_NONE, earliest = 0;
	if (p->h->key_is_list[s->key])
		return 0;
	const struct external_read *read = &p->reads.items[s->read];
	for (uint32_t n = 0; n < read->count - read->includes_reader; n++) {
		uint32_t place = w->place[candidate(p, read, reader, n)];
		guard_tick(w->guard);
		if (place < w->place[candidate(p, read, reader, earliest)])
			earliest = n;
		if (place < w->place[reader] &&
		    (best == ID_NONE || place > w->place[candidate(p, read, reader, best)]))
			best = n;
	}
	return best != ID_NONE ? best : read->initial ? s->choices - 1 : earliest;
}

static bool phase(void *data, uint32_t variable)
{
	const struct weak *w = data;
	const struct sight *s = &w->sights.items[w->sight_of.items[variable]];
	return variable == s->variable + s->chosen;
}

static void literal_words(struct weak *w, lit l)
{
	const struct sight *s = &w->sights.items[w->sight_of.items[lit_variable(l)]];
	uint32_t choice = CHOICE | (lit_variable(l) - s->variable);
	proof_word(&w->proof, l & 1 ? choice : s->op);
	proof_word(&w->proof, l & 1 ? s->op : choice);
}

static uint32_t learnt(void *data, const lit *literals, size_t count, const uint32_t *hints,
                       size_t hint_count)
{
	struct weak *w = data;
	w->log->work.conflicts = solver_conflicts(w->solver);
	proof_word(&w->proof, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		literal_words(w, literals[i]);
	for (size_t i = 0; i < hint_count; i++)
		proof_word(&w->proof, hints[i]);
	return proof_close(&w->proof, STEP_LEARNT);
}

/* ---- passes ---- */

/* Session order and reads: the edges by which somebody is seen. */
static bool sort_seen(struct weak *w)
{
	struct problem *p = &w->problem;
	w->edges.count = 0;
	if (p->rules.session)
		known_sessions(p, &w->edges);
	for (uint32_t slot = 0; slot < p->slots; slot++)
		for (uint32_t i = w->sight_first[slot]; i < w->sight_first[slot + 1]; i++) {
			uint32_t writer = w->sights.items[i].writer;
			guard_tick(w->guard);
			if (writer != ID_NONE)
				vec_push(p->pool, &w->edges,
				         ((struct edge){writer, slot, why_of(i, CLAIM_READ)}));
		}
	known_set(p, &w->edges);
	return guess_order(w->of_pass, p, guess_hint(w->of_pass, p), w->place, w->slot_at);
}

/* All edges; the order that breaks none of them, or the cycles. */
static bool sort_all(struct weak *w, size_t of_seen)
{
	struct problem *p = &w->problem;
	w->edges.count = of_seen;
	w->only_backward = false;
	weak_follow(w);
	if (w->refuted)
		return false;
	known_set(p, &w->edges);
	uint32_t *place = pool_array(w->of_pass, (size_t)p->slots + 1, sizeof *place);
	if (guess_order(w->of_pass, p, guess_hint(w->of_pass, p), place, w->slot_at))
		return true;
	weak_refute_cycles(w);
	return false;
}

static void begin_pass(struct weak *w)
{
	size_t n = (size_t)w->problem.slots + 1;
	w->refuted = 0;
	if (w->of_pass)
		pool_release(w->of_pass);
	w->of_pass = pool_child(w->pool);
	w->place = pool_array(w->of_pass, n, sizeof *w->place);
	w->slot_at = pool_array(w->of_pass, n, sizeof *w->slot_at);
}

/* True: the present choices have an order. Mostly the first one is, and then it is
 * enough to know that no edge goes backward in it. */
static bool pass(struct weak *w)
{
	w->passes++;
	w->log->work.rounds++;
	begin_pass(w);
	if (!sort_seen(w)) {
		weak_refute_cycles(w);
		return false;
	}
	size_t of_seen = w->edges.count;
	weak_prepare(w);
	w->only_backward = true;
	weak_follow(w);
	if (w->refuted)
		return false;
	return w->edges.count == of_seen || sort_all(w, of_seen);
}

/* Choices to begin with; those that are none yet do not count. */
static void guess_choices(struct weak *w)
{
	begin_pass(w);
	sort_seen(w);
	for (uint32_t slot = 0; slot < w->problem.slots; slot++)
		for (uint32_t i = w->sight_first[slot]; i < w->sight_first[slot + 1]; i++) {
			struct sight *s = &w->sights.items[i];
			if (s->variable == NO_VARIABLE)
				continue;
			s->chosen = likely(w, slot, s);
			set_writer(w, slot, s);
		}
}

/* The solver has made its choices. */
static bool complete(void *data)
{
	struct weak *w = data;
	const struct problem *p = &w->problem;
	for (uint32_t slot = 0; slot < p->slots; slot++)
		for (uint32_t i = w->sight_first[slot]; i < w->sight_first[slot + 1]; i++) {
			struct sight *s = &w->sights.items[i];
			if (s->variable == NO_VARIABLE || w->truth[s->variable + s->chosen])
				continue;
			s->chosen = 0;
			while (!w->truth[s->variable + s->chosen])
				s->chosen++;
			set_writer(w, slot, s);
		}
	uint64_t size = p->slots + w->sights.count + p->writes.count + 1;
	w->given_up = w->passes >= (w->max_passes ? w->max_passes : WORK_MAX / size);
	w->holds = !w->given_up && pass(w);
	w->log->violated = w->refuted;
	return w->holds || w->given_up;
}

static const struct sat_theory choice_theory = {
        .assign = assign,
        .unassign = unassign,
        .phase = phase,
        .complete = complete,
        .learnt = learnt,
};

/* Variables for the choices of reads that have several, and a clause for each: one of
 * them is right. */
static bool make_variables(struct weak *w)
{
	const struct problem *p = &w->problem;
	for (uint32_t slot = 0; slot < p->slots; slot++)
		for (uint32_t i = w->sight_first[slot]; i < w->sight_first[slot + 1]; i++) {
			struct sight *s = &w->sights.items[i];
			if (s->choices == 1)
				continue;
			w->clause.count = 0;
			for (uint32_t n = 0; n < s->choices; n++) {
				uint32_t variable = solver_new_variable(w->solver, 0);
				w->log->work.choices++;
				vec_push(w->pool, &w->sight_of, i);
				s->variable = n ? s->variable : variable;
				vec_push(w->pool, &w->clause, lit_of(variable, false));
				guard_tick(w->guard);
			}
			proof_word(&w->proof, s->op);
			uint32_t step = proof_close(&w->proof, STEP_CHOICES);
			if (!s->choices) /* nobody can have written it */
				return false;
			solver_add(w->solver, w->clause.items, w->clause.count, step);
		}
	w->clause.count = 0;
	w->truth = pool_zarray(w->pool, w->sight_of.count + 1, sizeof *w->truth);
	return true;
}

static void hand_out(struct weak *w, struct search_result *result)
{
	const struct problem *p = &w->problem;
	VEC(struct read_from) chosen = {0};
	result->found = true;
	result->events = pool_array(w->pool, (size_t)p->slots + 1, sizeof *result->events);
	for (uint32_t i = 0; i < p->slots; i++)
		result->events[result->event_count++] =
		        event_of(p->txn_of[w->slot_at[i]], true, false);
	for (size_t i = 0; i < w->sights.count; i++) {
		const struct sight *s = &w->sights.items[i];
		uint32_t writer = s->writer == ID_NONE ? NO_TXN : p->txn_of[s->writer];
		if (s->choices > 1 && !p->h->key_is_list[s->key])
			vec_push(w->pool, &chosen, ((struct read_from){s->op, writer}));
	}
	result->chosen = chosen.items;
	result->chosen_count = chosen.count;
}

static void solve(struct weak *w, struct search_result *result)
{
	collect_sights(w);
	if (w->max_passes && has_many_choices(w)) {
		result->given_up = true;
		return;
	}
	if (!make_variables(w))
		return;
	guard_stage(w->guard, "looking for an order of commits", 0);
	guard_clock(w->guard, &w->log->work.solve_seconds);
	w->log->proven = PROVEN_READS;
	if (w->sight_of.count) {
		guess_choices(w);
		solver_solve(w->solver, 0);
	} else {
		w->holds = pass(w);
	}
	result->given_up = w->given_up || (w->holds && w->left_out);
	if (w->holds && !w->left_out)
		hand_out(w, result);
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
	w->pool = pool;
	w->guard = pool_guard(pool);
	w->rules = rules;
	w->max_passes = max_passes;
	w->log = log;
	guard_clock(w->guard, &log->work.prepare_seconds);
	w->proof.pool = pool;
	w->solver = solver_new(pool, &choice_theory, w);
	problem_build(&w->problem, pool, component,
	              (struct problem_rules){.session = !rules.no_session,
	                                     .unrepeatable = rules.unrepeatable,
	                                     .without_edges = true});
	w->problem.nodes = w->problem.slots;
	if (w->problem.impossible != POSSIBLE) {
		proof_word(&w->proof, w->problem.impossible_op);
		if (w->problem.impossible_key != ATOM_NONE)
			proof_word(&w->proof, w->problem.impossible_key);
		proof_close(&w->proof, steps[w->problem.impossible]);
	} else {
		solve(w, &result);
	}
	if (!result.found && !result.given_up)
		proof_trim(&w->proof);
	result.proof = w->proof;
	return result;
}
