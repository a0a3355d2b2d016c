/*
 * weak_cycle: from cycles of edges to steps of a proof and clauses (weak.h).
 *
 * Depth first, each edge to a transaction that is still being visited closes a cycle;
 * from there a breadth-first search finds a shortest one. Cycles of one pass share no
 * transaction, so that their clauses are about different choices.
 */
#include "check/weak_pass.h"

#include "base/bisect.h"
#include "base/guard.h"
#include "verify/claims.h"
#include "verify/steps.h"

#include <assert.h>

enum { CYCLES_MAX = 64 }; /* in one pass */
enum { NEW, OPEN, DONE, USED };

struct visit {
	uint32_t node, next; /* next: of its edges */
};

struct finder {
	uint8_t *state;
	VEC(struct visit) stack;
	uint32_t *stamp, now;           /* breadth first: by node, when it was reached, … */
	uint32_t *parent, *parent_edge; /* … from whom, by which edge */
	VEC(uint32_t) queue, path;      /* path: edges, as places in after */
};

/* ---- steps and clauses ---- */

static void chosen(struct weak *w, uint32_t sight)
{
	const struct sight *s = &w->sights.items[sight];
	proof_word(&w->proof, s->op);
	proof_word(&w->proof, s->chosen);
	if (s->variable == NO_VARIABLE)
		return;
	lit l = lit_of(s->variable + s->chosen, true);
	for (size_t i = 0; i < w->clause.count; i++)
		if (w->clause.items[i] == l)
			return;
	vec_push(w->pool, &w->clause, l);
}

/* An edge by which somebody is seen. */
static void write_seen(struct weak *w, uint32_t from, uint32_t why)
{
	proof_word(&w->proof, w->problem.txn_of[from]);
	proof_word(&w->proof, why == WHY_HISTORY ? CLAIM_SESSION : CLAIM_READ);
	if (why != WHY_HISTORY)
		chosen(w, why >> 2);
}

static void close_cycle(struct weak *w)
{
	uint32_t step = proof_close(&w->proof, STEP_SEEN_CYCLE);
	if (w->sight_of.count)
		solver_add(w->solver, w->clause.items, w->clause.count, step);
	w->clause.count = 0;
	w->refuted++;
}

/* ---- paths ---- */

/* Breadth first from a node to another, or around to itself; limit: only by edges by
 * which somebody is seen, and not beyond this place. */
static bool find_path(struct weak *w, struct finder *f, uint32_t from, uint32_t to, uint32_t limit)
{
	const struct problem *p = &w->problem;
	f->now++;
	f->queue.count = 0;
	vec_push(w->pool, &f->queue, from);
	for (size_t head = 0; head < f->queue.count; head++) {
		uint32_t v = f->queue.items[head];
		for (uint32_t i = p->after_first[v]; i < p->after_first[v + 1]; i++) {
			uint32_t next = p->after[i], why = p->after_why[i];
			guard_tick(w->guard);
			if (limit != UINT32_MAX &&
			    ((why != WHY_HISTORY && (why & 3) != CLAIM_READ) ||
			     w->place[next] > limit))
				continue;
			if (f->stamp[next] == f->now)
				continue;
			f->stamp[next] = f->now;
			f->parent[next] = v;
			f->parent_edge[next] = i;
			if (next == to)
				return true;
			vec_push(w->pool, &f->queue, next);
		}
	}
	return false;
}

/* Reads the path off, from its end; returns where it begins in f->path. */
static size_t read_path(struct weak *w, struct finder *f, uint32_t from, uint32_t to)
{
	size_t first = f->path.count;
	uint32_t v = to;
	do {
		vec_push(w->pool, &f->path, f->parent_edge[v]);
		v = f->parent[v];
	} while (v != from);
	return first;
}

static uint32_t reader_of(const struct weak *w, uint32_t sight)
{
	uint32_t slot;
	bisect(slot, 0, w->problem.slots, w->sight_first[slot] <= sight);
	return slot ? slot - 1 : 0;
}

/* How the reader sees the writer `seen` directly. */
static void write_direct(struct weak *w, uint32_t sight, uint32_t reader, uint32_t seen)
{
	const struct problem *p = &w->problem;
	const struct txn *a = &p->h->txns[p->txn_of[seen]], *b = &p->h->txns[p->txn_of[reader]];
	bool earlier = w->rules.visible == VISIBLE_EARLIER;
	proof_word(&w->proof, 1);
	if (!earlier && !w->rules.no_session && a->session == b->session &&
	    a->status == ALIBI_COMMIT && seen < reader) {
		write_seen(w, seen, WHY_HISTORY);
		return;
	}
	uint32_t end = earlier ? sight : w->sight_first[reader + 1];
	for (uint32_t i = w->sight_first[reader]; i < end; i++)
		if (w->sights.items[i].writer == seen) {
			write_seen(w, seen, why_of(i, CLAIM_READ));
			return;
		}
	assert(false && "it is seen");
}

static void write_causal(struct weak *w, struct finder *f, uint32_t reader, uint32_t seen)
{
	const struct problem *p = &w->problem;
	bool found = find_path(w, f, seen, reader, w->place[reader]);
	assert(found);
	(void)found;
	size_t first = read_path(w, f, seen, reader);
	proof_word(&w->proof, (uint32_t)(f->path.count - first));
	for (uint32_t v = seen; f->path.count > first; f->path.count--) {
		uint32_t edge = f->path.items[f->path.count - 1];
		write_seen(w, v, p->after_why[edge]);
		v = p->after[edge];
	}
}

static void write_claim(struct weak *w, struct finder *f, uint32_t from, uint32_t why)
{
	if (why == WHY_HISTORY || (why & 3) == CLAIM_READ) {
		write_seen(w, from, why);
		return;
	}
	proof_word(&w->proof, w->problem.txn_of[from]);
	proof_word(&w->proof, why & 3);
	chosen(w, why >> 2);
	if ((why & 3) != CLAIM_SEEN)
		return;
	uint32_t reader = reader_of(w, why >> 2);
	if (w->rules.visible == VISIBLE_CAUSAL)
		write_causal(w, f, reader, from);
	else
		write_direct(w, why >> 2, reader, from);
}

static void prepare(struct weak *w, struct finder *f)
{
	size_t n = (size_t)w->problem.slots + 1;
	*f = (struct finder){.state = pool_zarray(w->pool, n, sizeof *f->state),
	                     .stamp = pool_zarray(w->pool, n, sizeof *f->stamp),
	                     .parent = pool_array(w->pool, n, sizeof *f->parent),
	                     .parent_edge = pool_array(w->pool, n, sizeof *f->parent_edge)};
}

static void release(struct weak *w, struct finder *f)
{
	pool_free(w->pool, f->state);
	pool_free(w->pool, f->stamp);
	pool_free(w->pool, f->parent);
	pool_free(w->pool, f->parent_edge);
	pool_free(w->pool, f->stack.items);
	pool_free(w->pool, f->queue.items);
	pool_free(w->pool, f->path.items);
}

void weak_refute_initial(struct weak *w, uint32_t sight, uint32_t writer)
{
	struct finder f;
	if (w->refuted >= CYCLES_MAX || (w->refuted && !w->sight_of.count))
		return;
	prepare(w, &f);
	write_claim(w, &f, writer, why_of(sight, CLAIM_SEEN));
	close_cycle(w);
	release(w, &f);
}

/* ---- cycles ---- */

/* A shortest cycle through the node, unless one of its transactions is used up. */
static void refute_at(struct weak *w, struct finder *f, uint32_t node)
{
	const struct problem *p = &w->problem;
	bool found = find_path(w, f, node, node, UINT32_MAX);
	assert(found);
	(void)found;
	size_t first = read_path(w, f, node, node);
	for (size_t i = first; i < f->path.count; i++)
		if (f->state[p->after[f->path.items[i]]] == USED) {
			f->path.count = first;
			return;
		}
	for (uint32_t v = node; f->path.count > first;) {
		uint32_t edge = f->path.items[--f->path.count];
		f->state[v] = USED;
		write_claim(w, f, v, p->after_why[edge]);
		v = p->after[edge];
	}
	close_cycle(w);
}

void weak_refute_cycles(struct weak *w)
{
	const struct problem *p = &w->problem;
	struct finder f;
	size_t left = w->sight_of.count ? CYCLES_MAX : 1; /* to be looked for */
	prepare(w, &f);
	for (uint32_t root = 0; root < p->slots && left; root++) {
		if (f.state[root] != NEW)
			continue;
		f.state[root] = OPEN;
		vec_push(w->pool, &f.stack, ((struct visit){root, p->after_first[root]}));
		while (f.stack.count && left) {
			struct visit *at = &f.stack.items[f.stack.count - 1];
			guard_tick(w->guard);
			if (at->next == p->after_first[at->node + 1]) {
				if (f.state[at->node] == OPEN)
					f.state[at->node] = DONE;
				f.stack.count--;
				continue;
			}
			uint32_t next = p->after[at->next++];
			if (f.state[next] == OPEN) {
				refute_at(w, &f, next);
				left--;
			} else if (f.state[next] == NEW) {
				f.state[next] = OPEN;
				vec_push(w->pool, &f.stack,
				         ((struct visit){next, p->after_first[next]}));
			}
		}
	}
	release(w, &f);
}
