/* broken: see broken.h. */
#include "check/broken.h"

#include "base/guard.h"
#include "check/lemma.h"
#include "check/outcome.h"
#include "check/told.h"

#include <assert.h>
#include <string.h>

void broken_literal(struct search *s, uint32_t a, uint32_t b)
{
	vec_push(s->pool, &s->clause, search_literal(s, a, b));
}

/* Is the write of slot a known to be before node b? Then the solver is told so, once: the
 * contrary is not worth a guess. */
static void settle(struct search *s, uint32_t slot, uint32_t node, bool before)
{
	uint32_t write = write_node(&s->problem, slot);
	uint32_t a = before ? write : node, b = before ? node : write;
	uint32_t *there = map_put(s->pool, &s->settled, map_pair(a, b), 0);
	if (*there)
		return;
	*there = 1;
	lit known = search_literal(s, a, b);
	solver_add(s->solver, &known, 1, known_later(s, a, b));
}

static void settle_candidate(struct search *s, uint32_t slot, uint32_t r, uint32_t v, bool after)
{
	if (after && saturation_after(s->known, slot, r))
		settle(s, slot, r, false);
	else if (!after && saturation_before(s->known, slot, v))
		settle(s, slot, v, true);
}

void broken_close(struct search *s, enum step_kind kind)
{
	solver_add(s->solver, s->clause.items, s->clause.count, proof_close(&s->proof, kind));
	s->clause.count = 0;
	s->added++;
}

bool broken_only_counted(struct search *s)
{
	s->added += s->only_count;
	return s->only_count;
}

/* ---- registers ---- */

/* The step's word for it, and its literals. */
void broken_blocker(struct search *s, uint32_t reader, uint32_t key, uint32_t blocker)
{
	const struct problem *p = &s->problem;
	proof_word(&s->proof, blocker == ID_NONE ? STEP_NOBODY : p->txn_of[blocker]);
	if (blocker == ID_NONE)
		return;
	broken_literal(s, read_node(p, reader), write_node(p, blocker));
	outcome_blocker(s, blocker, key);
}

/* The same of a candidate. */
void broken_candidate(struct search *s, uint32_t c, uint32_t r, uint32_t v, bool blocked)
{
	bool after = !blocked || s->topology.place[c] > s->topology.place[r];
	proof_word(&s->proof, after);
	if (after)
		broken_literal(s, c, r);
	else
		broken_literal(s, v, c);
	guard_tick(s->guard);
}

/* blocker: the slot whose value the read finds, or ID_NONE for the initial one. */
static void read_is_broken(struct search *s, uint32_t reader, const struct external_read *w,
                           uint32_t blocker)
{
	if (broken_only_counted(s))
		return;
	const struct problem *p = &s->problem;
	uint32_t r = read_node(p, reader), v = 0;
	bool blocked = blocker != ID_NONE;
	proof_word(&s->proof, w->op);
	broken_blocker(s, reader, p->key_of[w->key], blocker);
	if (blocked)
		v = write_node(p, blocker);
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t slot = p->candidates[w->first + i];
		if (slot != reader)
			broken_candidate(s, write_node(p, slot), r, v, blocked);
	}
	outcome_candidates(s, reader, w->op, p->key_of[w->key], w->value, blocker);
	broken_close(s, STEP_READ);
}

/* Does the value come from whom the database named? */
static bool is_named(const struct problem *p, const struct external_read *w, uint32_t writer)
{
	uint32_t named;
	return !w->named || (history_read_from(p->h, w->op, &named) && named == p->txn_of[writer]);
}

static void walk_reads(struct search *s, uint32_t slot)
{
	const struct problem *p = &s->problem;
	for (uint32_t i = p->read_first[slot]; i < p->read_first[slot + 1]; i++) {
		const struct external_read *w = &p->reads.items[i];
		uint32_t writer = s->writer[w->key];
		guard_tick(s->guard);
		if (!writer ? !w->initial
		            : s->value[w->key] != w->value || !is_named(p, w, writer - 1))
			read_is_broken(s, slot, w, writer - 1);
	}
}

/* ---- queries ---- */

/* What is known of those who may explain it. */
static void settle_candidates(struct search *s, uint32_t reader, const struct query *q,
                              uint32_t key, uint32_t row)
{
	const struct problem *p = &s->problem;
	const uint32_t *place = s->topology.place;
	uint32_t number = p->number_of[key], blocker = s->writer[number];
	uint32_t r = read_node(p, reader), v = blocker ? write_node(p, blocker - 1) : 0;
	if (blocker && saturation_before(s->known, blocker - 1, r))
		settle(s, blocker - 1, r, true);
	for (uint32_t i = s->writers_first[number]; i < s->writers_first[number + 1]; i++) {
		uint32_t write = s->writers[i], slot = s->writer_slot[write];
		guard_tick(s->guard);
		if (slot != reader && query_explains(p->h, q, row, p->writes.items[write].value))
			settle_candidate(s, slot, r, v,
			                 !blocker || place[write_node(p, slot)] > place[r]);
	}
}

/* What the query tells of the key (row, or NO_ROW) is not so. */
static void query_is_broken(struct search *s, uint32_t reader, const struct query *q, uint32_t key,
                            uint32_t row)
{
	if (s->saturation)
		told_follows(s, reader, q, key, row);
	if (broken_only_counted(s))
		return;
	const struct problem *p = &s->problem;
	uint32_t number = p->number_of[key], blocker = s->writer[number];
	uint32_t r = read_node(p, reader), v = 0;
	proof_word(&s->proof, q->op);
	proof_word(&s->proof, key);
	broken_blocker(s, reader, key, blocker ? blocker - 1 : ID_NONE);
	if (blocker)
		v = write_node(p, blocker - 1);
	for (uint32_t i = s->writers_first[number]; i < s->writers_first[number + 1]; i++) {
		uint32_t write = s->writers[i], slot = s->writer_slot[write];
		if (slot != reader && query_explains(p->h, q, row, p->writes.items[write].value))
			broken_candidate(s, write_node(p, slot), r, v, blocker);
	}
	outcome_candidates(s, reader, NO_OP, key, ATOM_NONE, blocker ? blocker - 1 : ID_NONE);
	broken_close(s, STEP_QUERY);
	if (s->known)
		settle_candidates(s, reader, q, key, row);
}

static void walk_query(struct search *s, uint32_t slot, const struct query *q)
{
	const struct history *h = s->problem.h;
	const uint32_t *number_of = s->problem.number_of, *except = query_except(h, q);
	s->told_now++;
	for (uint32_t i = 0; i < q->excepts; i++)
		s->told[number_of[except[i]]] = s->told_now;
	for (uint32_t row = q->op + 1; row <= q->op + q->rows; row++) {
		uint32_t key = op_key(h->ops[row]), k = number_of[key];
		guard_tick(s->guard);
		if (q->kind != QUERY_SELECT && s->told[k] != s->told_now &&
		    s->own[k] != s->own_now && !query_explains(h, q, row, s->rows.value[k]))
			query_is_broken(s, slot, q, key, row);
		s->told[k] = s->told_now;
	}
	rows_match(&s->rows, q);
	for (size_t i = 0; i < s->rows.found.count; i++) {
		uint32_t key = s->rows.found.items[i], k = number_of[key];
		if (s->told[k] != s->told_now && s->own[k] != s->own_now)
			query_is_broken(s, slot, q, key, NO_ROW);
	}
}

/* What the transaction says later of keys that it may have changed is known to open.h. */
static void walk_open(struct search *s, uint32_t txn, const struct query *q)
{
	const struct history *h = s->problem.h;
	struct reach reached = open_reached(h, txn);
	for (; reached.first < reached.end; reached.first++) {
		uint32_t key = h->queries->reach_key[reached.first];
		guard_tick(s->guard);
		if (query_asks(h, q, key))
			s->own[s->problem.number_of[key]] = s->own_now;
	}
}

static void walk_queries(struct search *s, uint32_t slot)
{
	const struct history *h = s->problem.h;
	uint32_t txn = s->problem.txn_of[slot];
	if (!h->queries || h->txns[txn].status != ALIBI_COMMIT)
		return;
	s->own_now++;
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		guard_tick(s->guard);
		const struct query *q = query_at(h, op);
		if (q && q->open)
			walk_open(s, txn, q);
		else if (q)
			walk_query(s, slot, q);
		else if (op_writes(h->ops[op]))
			s->own[problem_key(&s->problem, op)] = s->own_now;
	}
}

/* ---- writes ---- */

static void walk_conflict(struct search *s, uint32_t slot, uint32_t other, uint32_t key)
{
	const struct problem *p = &s->problem;
	uint32_t start = read_node(p, slot), commit = write_node(p, slot);
	uint32_t other_start = read_node(p, other), other_commit = write_node(p, other);
	if (s->topology.place[other_commit] < s->topology.place[start] || broken_only_counted(s))
		return;
	proof_word(&s->proof, p->txn_of[slot]);
	proof_word(&s->proof, p->txn_of[other]);
	proof_word(&s->proof, p->key_of[key]);
	outcome_blocker(s, slot, p->key_of[key]);
	outcome_blocker(s, other, p->key_of[key]);
	broken_literal(s, commit, other_start);
	broken_literal(s, other_commit, start);
	broken_close(s, STEP_CONFLICT);
}

static void walk_write(struct search *s, uint32_t slot, struct final_write w)
{
	const struct problem *p = &s->problem;
	guard_tick(s->guard);
	if (p->rules.noconflict && s->writer[w.key])
		walk_conflict(s, slot, s->writer[w.key] - 1, w.key);
	s->writer[w.key] = slot + 1;
	s->value[w.key] = w.value;
	if (p->h->queries && w.value != ATOM_NONE)
		rows_set(&s->rows, w.key, w.value);
	if (s->appenders && w.value == ATOM_NONE)
		vec_push(s->pool, &s->appenders[w.key], slot);
}

static void walk_writes(struct search *s, uint32_t slot)
{
	const struct problem *p = &s->problem;
	struct reach reached = open_reached(p->h, p->txn_of[slot]);
	for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++)
		walk_write(s, slot, p->writes.items[i]);
	assert(reached.first == reached.end || p->h->queries);
	for (; reached.first < reached.end; reached.first++) {
		uint32_t key = p->h->queries->reach_key[reached.first];
		uint32_t left = outcome_left(s, slot, key);
		if (left != OPEN_KEPT)
			walk_write(s, slot, (struct final_write){p->number_of[key], left});
	}
}

/* ---- the walk ---- */

/* Who writes each key, in the order of the history. */
static void index_writers(struct search *s)
{
	const struct problem *p = &s->problem;
	size_t keys = (size_t)p->keys + 2, writes = p->writes.count + 1;
	s->writers_first = pool_zarray(s->pool, keys, sizeof *s->writers_first);
	s->writers = pool_array(s->pool, writes, sizeof *s->writers);
	s->writer_slot = pool_array(s->pool, writes, sizeof *s->writer_slot);
	for (size_t i = 0; i < p->writes.count; i++, guard_tick(s->guard))
		s->writers_first[p->writes.items[i].key + 2]++;
	for (size_t i = 2; i < keys; i++)
		s->writers_first[i] += s->writers_first[i - 1];
	for (uint32_t slot = 0, i = 0; slot < p->slots; slot++)
		for (; i < p->write_first[slot + 1]; i++, guard_tick(s->guard)) {
			s->writers[s->writers_first[p->writes.items[i].key + 1]++] = i;
			s->writer_slot[i] = slot;
		}
}

static void prepare_queries(struct search *s)
{
	const struct problem *p = &s->problem;
	size_t keys = (size_t)p->keys + 1;
	s->own = pool_zarray(s->pool, keys, sizeof *s->own);
	s->told = pool_zarray(s->pool, keys, sizeof *s->told);
	rows_init(&s->initially, s->pool, p->h, p->keys, p->number_of);
	rows_init(&s->rows, s->pool, p->h, p->keys, p->number_of);
	for (uint32_t key = 0; key < p->keys; key++, guard_tick(s->guard))
		rows_set(&s->initially, key, history_initial(p->h, p->key_of[key]));
	index_writers(s);
	outcome_prepare(s);
}

static void prepare(struct search *s)
{
	const struct problem *p = &s->problem;
	size_t keys = (size_t)p->keys + 1;
	s->writer = pool_array(s->pool, keys, sizeof *s->writer);
	s->value = pool_array(s->pool, keys, sizeof *s->value);
	if (p->h->queries)
		prepare_queries(s);
	if (p->h->empty_list == ATOM_NONE)
		return;
	s->appenders = pool_zarray(s->pool, keys, sizeof *s->appenders);
	s->all_appenders = pool_zarray(s->pool, keys, sizeof *s->all_appenders);
	s->readers = pool_array(s->pool, keys, sizeof *s->readers);
	s->marked = pool_zarray(s->pool, (size_t)p->slots + 1, sizeof *s->marked);
	for (uint32_t slot = 0; slot < p->slots; slot++)
		for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1];
		     i++, guard_tick(s->guard))
			if (p->repeats[p->writes.items[i].key])
				vec_push(s->pool, &s->all_appenders[p->writes.items[i].key], slot);
}

/* Along the order, as a replay would go. */
static void walk(struct search *s, const uint32_t *node_at)
{
	const struct problem *p = &s->problem;
	size_t keys = p->keys;
	if (!s->writer)
		prepare(s);
	memset(s->writer, 0, (keys + 1) * sizeof *s->writer);
	if (p->h->queries)
		rows_copy(&s->rows, &s->initially);
	for (size_t k = 0; s->appenders && k < keys; k++)
		s->appenders[k].count = 0;
	if (s->readers)
		memset(s->readers, 0, (keys + 1) * sizeof *s->readers);
	s->added = 0;
	for (uint32_t i = 0; i < p->nodes; i++) {
		uint32_t node = node_at[i];
		guard_tick(s->guard);
		if (node >= event_nodes(p))
			continue;
		uint32_t slot = slot_of_node(p, node);
		if (node == read_node(p, slot)) {
			walk_reads(s, slot);
			broken_lists(s, slot);
			walk_queries(s, slot);
			outcome_walk(s, slot);
		}
		if (node == write_node(p, slot))
			walk_writes(s, slot);
	}
}

void broken_queries(struct search *s, const uint32_t *node_at)
{
	s->only_count = true;
	walk(s, node_at);
	s->only_count = false;
}

size_t broken_count(struct search *s)
{
	s->only_count = true;
	size_t count = broken_rules(s);
	s->only_count = false;
	return count;
}

size_t broken_rules(struct search *s)
{
	walk(s, s->topology.node_at);
	return s->added;
}
