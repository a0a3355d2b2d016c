/* weak_cycles: see weak_cycles.h. */
#include "check/weak_cycles.h"

#include "base/guard.h"
#include "verify/claims.h"
#include "verify/steps.h"

#include <assert.h>

enum { NEW, OPEN, DONE, USED };

/* ---- steps and clauses ---- */

/* The next edge of the step holds because of the read's current choice. */
void refuter_choice(struct refuter *r, uint32_t read)
{
	const struct weak_read *w = &r->e->reads->list.items[read];
	proof_word(r->proof, w->op);
	proof_word(r->proof, w->choice);
	if (w->variable == ID_NONE)
		return;
	lit l = lit_of(w->variable + w->choice, true);
	for (size_t i = 0; i < r->clause.count; i++)
		if (r->clause.items[i] == l)
			return;
	vec_push(r->pool, &r->clause, l);
}

/* An edge of session order or reads-from. */
void refuter_visible(struct refuter *r, uint32_t from, uint32_t why)
{
	proof_word(r->proof, r->e->p->txn_of[from]);
	proof_word(r->proof, why == WHY_HISTORY ? CLAIM_SESSION : CLAIM_READ);
	if (why != WHY_HISTORY)
		refuter_choice(r, weak_reason_read(why));
}

void refuter_close(struct refuter *r)
{
	uint32_t step = proof_close(r->proof, STEP_SEEN_CYCLE);
	if (r->solver)
		solver_add(r->solver, r->clause.items, r->clause.count, step);
	r->clause.count = 0;
	r->found++;
}

/* ---- paths ---- */

/* By any edges; by those of an order, not beyond the target's place; by session order and
 * reads-from, likewise. */
enum path { AROUND, ALONG_PLACES, CAUSAL };

static bool is_visibility(uint32_t why)
{
	return why == WHY_HISTORY || weak_reason_claim(why) == CLAIM_READ;
}

/* Breadth first from a node to another, or around to itself. */
static void find_path(struct refuter *r, uint32_t from, uint32_t to, enum path path)
{
	const struct problem *p = r->e->p;
	const uint32_t *place = r->e->place;
	uint32_t *stamp = r->stamp, now = ++r->now, last = place[to];
	r->queue.count = 0;
	vec_push(r->pool, &r->queue, from);
	for (size_t head = 0; head < r->queue.count; head++) {
		uint32_t v = r->queue.items[head];
		for (uint32_t i = p->after_first[v], end = p->after_first[v + 1]; i < end; i++) {
			uint32_t next = p->after[i].index;
			guard_tick(r->guard);
			if (stamp[next] == now || (path != AROUND && place[next] > last) ||
			    (path == CAUSAL && !is_visibility(p->after_why[i])))
				continue;
			stamp[next] = now;
			r->parent[next] = v;
			r->parent_edge[next] = i;
			if (next == to)
				return;
			vec_push(r->pool, &r->queue, next);
		}
	}
	assert(false && "there is a path");
}

/* Puts the path that was found on r->path, its last edge first; returns where it begins. */
static size_t push_path(struct refuter *r, uint32_t from, uint32_t to)
{
	size_t first = r->path.count;
	uint32_t v = to;
	do {
		vec_push(r->pool, &r->path, r->parent_edge[v]);
		v = r->parent[v];
	} while (v != from);
	return first;
}

/* How the writer is visible to the reader at read committed or read atomic: one edge. */
static void put_direct_path(struct refuter *r, uint32_t read, uint32_t writer)
{
	const struct weak_edges *e = r->e;
	const struct problem *p = e->p;
	uint32_t reader = e->reads->list.items[read].reader;
	const struct txn *a = &p->h->txns[p->txn_of[writer]], *b = &p->h->txns[p->txn_of[reader]];
	bool earlier = e->rules.visible == VISIBLE_EARLIER;
	proof_word(r->proof, 1);
	if (!earlier && !e->rules.no_session && a->session == b->session &&
	    a->status == ALIBI_COMMIT && writer < reader) {
		refuter_visible(r, writer, WHY_HISTORY);
		return;
	}
	uint32_t i = e->reads->first[reader], end = earlier ? read : e->reads->first[reader + 1];
	while (i < end && e->reads->list.items[i].writer != writer)
		i++;
	assert(i < end);
	refuter_visible(r, writer, weak_reason(i, CLAIM_READ));
}

static void put_causal_path(struct refuter *r, uint32_t reader, uint32_t writer)
{
	const struct problem *p = r->e->p;
	find_path(r, writer, reader, CAUSAL);
	size_t first = push_path(r, writer, reader);
	proof_word(r->proof, (uint32_t)(r->path.count - first));
	for (uint32_t v = writer; r->path.count > first;) {
		uint32_t edge = r->path.items[--r->path.count];
		refuter_visible(r, v, p->after_why[edge]);
		v = p->after[edge].index;
	}
}

void refuter_edge(struct refuter *r, uint32_t from, uint32_t why)
{
	if (is_visibility(why)) {
		refuter_visible(r, from, why);
		return;
	}
	uint32_t read = weak_reason_read(why);
	proof_word(r->proof, r->e->p->txn_of[from]);
	proof_word(r->proof, weak_reason_claim(why));
	refuter_choice(r, read);
	if (weak_reason_claim(why) != CLAIM_SEEN)
		return;
	if (r->e->rules.visible == VISIBLE_CAUSAL)
		put_causal_path(r, r->e->reads->list.items[read].reader, from);
	else
		put_direct_path(r, read, from);
}

void refuter_path(struct refuter *r, uint32_t from, uint32_t to)
{
	const struct problem *p = r->e->p;
	find_path(r, from, to, ALONG_PLACES);
	size_t first = push_path(r, from, to);
	for (uint32_t v = from; r->path.count > first;) {
		uint32_t edge = r->path.items[--r->path.count];
		refuter_edge(r, v, p->after_why[edge]);
		v = p->after[edge].index;
	}
}

/* ---- cycles ---- */

/* A shortest cycle through the node, unless another one has one of its transactions. */
static void refute_at(struct refuter *r, uint32_t node)
{
	const struct problem *p = r->e->p;
	find_path(r, node, node, AROUND);
	size_t first = push_path(r, node, node);
	for (size_t i = first; i < r->path.count; i++)
		if (r->state[p->after[r->path.items[i]].index] == USED) {
			r->path.count = first;
			return;
		}
	for (uint32_t v = node; r->path.count > first;) {
		uint32_t edge = r->path.items[--r->path.count];
		r->state[v] = USED;
		refuter_edge(r, v, p->after_why[edge]);
		v = p->after[edge].index;
	}
	refuter_close(r);
}

static void open_node(struct refuter *r, uint32_t node)
{
	r->state[node] = OPEN;
	vec_push(r->pool, &r->stack, ((struct visit){node, r->e->p->after_first[node]}));
}

static void refute_cycles(struct refuter *r, size_t most)
{
	const struct problem *p = r->e->p;
	for (uint32_t root = 0; root < p->slots && most; root++) {
		if (r->state[root] == NEW)
			open_node(r, root);
		while (r->stack.count && most) {
			struct visit *at = &r->stack.items[r->stack.count - 1];
			guard_tick(r->guard);
			if (at->next == p->after_first[at->node + 1]) {
				if (r->state[at->node] == OPEN)
					r->state[at->node] = DONE;
				r->stack.count--;
				continue;
			}
			uint32_t next = p->after[at->next++].index;
			if (r->state[next] == OPEN) {
				refute_at(r, next);
				most--;
			} else if (r->state[next] == NEW) {
				open_node(r, next);
			}
		}
	}
}

struct refuter refuter_of(const struct weak_edges *e, struct proof *proof, struct solver *solver)
{
	size_t n = (size_t)e->p->slots + 1;
	struct refuter r = {
	        .pool = e->pool, .guard = e->guard, .e = e, .proof = proof, .solver = solver};
	r.state = pool_zarray(e->pool, n, sizeof *r.state);
	r.stamp = pool_zarray(e->pool, n, sizeof *r.stamp);
	r.parent = pool_array(e->pool, n, sizeof *r.parent);
	r.parent_edge = pool_array(e->pool, n, sizeof *r.parent_edge);
	return r;
}

size_t weak_refute(const struct weak_edges *e, struct proof *proof, struct solver *solver)
{
	size_t most = solver ? WEAK_REFUTED_MAX : 1;
	struct refuter r = refuter_of(e, proof, solver);
	for (size_t i = 0; i < e->overlooked.count && r.found < most; i++) {
		const struct overlooked_writer *o = &e->overlooked.items[i];
		refuter_edge(&r, o->writer, weak_reason(o->read, CLAIM_SEEN));
		refuter_close(&r);
	}
	if (!r.found)
		refute_cycles(&r, most);
	return r.found;
}

/* The writers from the later one on, to the reader, and from it by its session. */
static void refute_later(struct refuter *r, uint32_t number, const uint32_t *writers, size_t later,
                         size_t count)
{
	uint32_t reader = r->e->reads->list.items[number].reader;
	for (; later + 1 < count; later++)
		refuter_edge(r, writers[later], weak_reason(number, CLAIM_LIST));
	refuter_visible(r, writers[later], weak_reason(number, CLAIM_READ));
	refuter_visible(r, reader, WHY_HISTORY);
	refuter_close(r);
}

void weak_refute_later(const struct weak_edges *e, struct weak_reads *reads, struct proof *proof,
                       struct solver *solver)
{
	struct refuter r = refuter_of(e, proof, solver);
	const struct problem *p = e->p;
	for (uint32_t i = 0; i < reads->list.count && !e->rules.no_session; i++) {
		struct weak_read *read = &reads->list.items[i];
		uint32_t session = p->h->txns[p->txn_of[read->reader]].session;
		for (uint32_t n = 0; read->variable != ID_NONE && n < read->choices; n++) {
			size_t count, later = 0;
			weak_read_choose(reads, read, n);
			const uint32_t *writers = weak_read_writers(reads, read, &count);
			for (; later < count; later++) {
				guard_tick(e->guard);
				if (writers[later] > read->reader &&
				    p->h->txns[p->txn_of[writers[later]]].session == session)
					break;
			}
			if (later < count)
				refute_later(&r, i, writers, later, count);
		}
	}
}
