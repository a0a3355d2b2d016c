/* weak_propagate: see weak_propagate.h. */
#include "check/weak_propagate.h"

#include "base/guard.h"
#include "verify/claims.h"

#include <string.h>

enum {
	ROUNDS_MOST = 32,
	CLOCKS_MOST = 1 << 26, /* transactions times chains */
};

/* Why a candidate went. */
enum reason { LATER, OVERWRITTEN, FRACTURED };

struct removal {
	uint32_t round; /* 0: it is still there */
	uint32_t by;    /* the visible writer, or the other read */
	enum reason reason;
	bool needed; /* the contradiction rests on it */
};

struct propagation {
	struct pool *pool, *of_round;
	struct guard *guard;
	struct problem *p;
	struct weak_reads *reads;
	const uint32_t *read_of;
	struct replay_rules rules;
	struct removal *removals; /* by variable */
	uint32_t *left;           /* by read: candidates that are there */
	uint32_t *decided;        /* by read: the round in which it came to one; 0: before */
	uint32_t *
	        session_writer; /* by read: the last writer of the key in the session, or ID_NONE */
	uint32_t round;
	struct weak_edges edges; /* of the round */
	struct clocks order;     /* of them */
	VEC(uint32_t) visible;   /* writers of the key of a read */
};

static struct weak_read *read_at(const struct propagation *g, uint32_t i)
{
	return &g->reads->list.items[i];
}

static bool is_open(const struct propagation *g, uint32_t i)
{
	return read_at(g, i)->choice == ID_NONE;
}

static struct removal *removal(const struct propagation *g, uint32_t read, uint32_t choice)
{
	return &g->removals[read_at(g, read)->variable + choice];
}

/* Was it there when the round began? */
static bool was_there(const struct propagation *g, uint32_t read, uint32_t choice)
{
	const struct removal *r = removal(g, read, choice);
	return !r->round || r->round >= g->round;
}

/* ---- the edges of a round ---- */

static void choose_decided(struct propagation *g)
{
	for (uint32_t i = 0; i < g->reads->list.count; i++) {
		struct weak_read *read = read_at(g, i);
		uint32_t n = 0;
		if (read->variable == ID_NONE)
			continue;
		weak_read_leave_open(read);
		guard_tick(g->guard);
		if (!g->decided[i] || g->decided[i] >= g->round)
			continue;
		while (removal(g, i, n)->round && removal(g, i, n)->round < g->round)
			n++;
		weak_read_choose(g->reads, read, n);
	}
}

/* The edges that hold at the beginning of the round. False: they contradict each other. */
static bool begin_round(struct propagation *g)
{
	if (g->of_round)
		pool_release(g->of_round);
	pool_free(g->p->pool, g->edges.list.items);
	g->of_round = pool_child(g->pool);
	choose_decided(g);
	g->edges = (struct weak_edges){
	        .pool = g->of_round, .p = g->p, .reads = g->reads, .rules = g->rules};
	return weak_edges_begin(&g->edges) && weak_edges_force(&g->edges);
}

static bool make_clocks(struct propagation *g)
{
	clocks_init(&g->order, g->of_round, g->p);
	memcpy(g->order.order, g->edges.node_at, g->p->slots * sizeof *g->order.order);
	clocks_make_chains(&g->order, UINT32_MAX);
	if ((uint64_t)g->order.chains * g->p->slots > CLOCKS_MOST)
		return false;
	clocks_sweep_past(&g->order);
	return true;
}

static bool is_before(const struct propagation *g, uint32_t a, uint32_t b)
{
	const struct clocks *c = &g->order;
	return a != b && clocks_past(c, (node_id){b})[c->chain_of[a]] > c->index_of[a];
}

/* ---- what is visible ---- */

static bool writes(const struct propagation *g, uint32_t slot, uint32_t key)
{
	const struct problem *p = g->p;
	for (uint32_t i = p->write_first[slot]; i < p->write_first[slot + 1]; i++)
		if (p->writes.items[i].key == key)
			return true;
	return false;
}

static void note_session_writer(void *data, uint32_t read, uint32_t writer)
{
	const struct propagation *g = data;
	g->session_writer[read] = writer;
}

static void find_visible_causally(struct propagation *g, const struct weak_read *read)
{
	const struct clocks *c = &g->edges.clocks;
	const uint32_t *past = clocks_past(c, (node_id){read->reader});
	for (uint32_t i = c->groups_first[read->key]; i < c->groups_first[read->key + 1]; i++) {
		const struct group *of = &c->groups.items[i];
		uint32_t limit = of->chain == c->chain_of[read->reader] ? c->index_of[read->reader]
		                                                        : past[of->chain];
		const struct writer *behind = clocks_from(c, of, limit);
		if (behind > c->writers + of->first)
			vec_push(g->pool, &g->visible, behind[-1].slot);
	}
}

/* The writers of the key that are visible to the reader whatever is chosen; of a chain the last. */
static void find_visible(struct propagation *g, uint32_t i)
{
	const struct weak_read *read = read_at(g, i);
	bool earlier = g->rules.visible == VISIBLE_EARLIER;
	g->visible.count = 0;
	if (g->rules.visible == VISIBLE_CAUSAL) {
		find_visible_causally(g, read);
		return;
	}
	if (g->session_writer && g->session_writer[i] != ID_NONE)
		vec_push(g->pool, &g->visible, g->session_writer[i]);
	uint32_t end = earlier ? i : g->reads->first[read->reader + 1];
	for (uint32_t j = g->reads->first[read->reader]; j < end; j++) {
		uint32_t writer = read_at(g, j)->writer;
		if (j != i && writer != ID_NONE && writes(g, writer, read->key))
			vec_push(g->pool, &g->visible, writer);
	}
}

/* ---- forward: candidates go ---- */

/* If the read i takes the writer, the read j has no candidate. */
static bool leaves_none(const struct propagation *g, uint32_t writer, uint32_t j)
{
	const struct weak_read *read = read_at(g, j);
	for (uint32_t n = 0; n < read->choices; n++) {
		uint32_t other = weak_read_candidate(g->reads, read, n);
		guard_tick(g->guard);
		if (read->variable != ID_NONE && !was_there(g, j, n))
			continue;
		if (other == writer || (other != ID_NONE && !is_before(g, other, writer)))
			return false;
	}
	return true;
}

static bool is_list(const struct propagation *g, const struct weak_read *read)
{
	return g->p->h->key_is_list[read->key];
}

/* Another read that would have no candidate; ID_NONE: there is none. */
static uint32_t find_fractured(const struct propagation *g, uint32_t i, uint32_t writer)
{
	uint32_t reader = read_at(g, i)->reader;
	uint32_t j = g->rules.visible == VISIBLE_EARLIER ? i + 1 : g->reads->first[reader];
	for (; j < g->reads->first[reader + 1]; j++)
		if (j != i && !is_list(g, read_at(g, j)) && writes(g, writer, read_at(g, j)->key) &&
		    leaves_none(g, writer, j))
			return j;
	return ID_NONE;
}

static void try_candidate(struct propagation *g, uint32_t i, uint32_t n)
{
	const struct weak_read *read = read_at(g, i);
	uint32_t writer = weak_read_candidate(g->reads, read, n), other = ID_NONE;
	enum reason reason = OVERWRITTEN;
	for (size_t k = 0; k < g->visible.count && other == ID_NONE; k++)
		if (g->visible.items[k] != writer &&
		    (writer == ID_NONE || is_before(g, writer, g->visible.items[k])))
			other = g->visible.items[k];
	if (other == ID_NONE && writer != ID_NONE && is_before(g, read->reader, writer)) {
		reason = LATER;
		other = writer;
	}
	if (other == ID_NONE && writer != ID_NONE) {
		reason = FRACTURED;
		other = find_fractured(g, i, writer);
	}
	if (other != ID_NONE) {
		*removal(g, i, n) =
		        (struct removal){.round = g->round, .reason = reason, .by = other};
		g->left[i]--;
	}
}

static void need_all(struct propagation *g, uint32_t i)
{
	for (uint32_t n = 0; n < read_at(g, i)->choices; n++)
		removal(g, i, n)->needed = removal(g, i, n)->round != 0;
}

/* One round. *empty: a read without a candidate. False: nothing went. */
static bool go_forward(struct propagation *g, uint32_t *empty)
{
	bool any = false;
	for (uint32_t i = 0; i < g->reads->list.count && *empty == ID_NONE; i++) {
		const struct weak_read *read = read_at(g, i);
		uint32_t before = g->left[i];
		if (read->variable == ID_NONE || !is_open(g, i))
			continue;
		find_visible(g, i);
		for (uint32_t n = 0; n < read->choices; n++) {
			guard_tick(g->guard);
			if (!removal(g, i, n)->round)
				try_candidate(g, i, n);
		}
		any |= g->left[i] < before;
		if (g->left[i] == 1)
			g->decided[i] = g->round;
		else if (!g->left[i])
			*empty = i;
	}
	return any;
}

/* ---- backward: the proof ---- */

/* Closes the step; what decided the reads in it is needed. */
static void close_step(struct propagation *g, struct refuter *r, uint32_t i, uint32_t j)
{
	for (size_t k = 0; k < r->clause.count; k++) {
		uint32_t read = g->read_of[lit_variable(r->clause.items[k])];
		if (read != i && read != j)
			need_all(g, read);
	}
	refuter_close(r);
}

/* The read i takes the writer, so that it is visible to the read j, which takes an earlier one. */
static void prove_fracture(struct propagation *g, struct refuter *r, uint32_t i, uint32_t writer,
                           uint32_t j)
{
	const struct weak_read *read = read_at(g, j);
	uint32_t other = read->writer;
	proof_word(r->proof, g->p->txn_of[writer]);
	proof_word(r->proof, CLAIM_SEEN);
	refuter_choice(r, j);
	proof_word(r->proof, 1);
	refuter_visible(r, writer, weak_reason(i, CLAIM_READ));
	if (other != ID_NONE)
		refuter_path(r, other, writer);
	close_step(g, r, i, j);
}

static void prove_fractures(struct propagation *g, struct refuter *r, uint32_t i, uint32_t j)
{
	struct weak_read *read = read_at(g, j);
	uint32_t writer = read_at(g, i)->writer, chosen = read->choice;
	if (chosen != ID_NONE) {
		prove_fracture(g, r, i, writer, j);
		if (read->variable != ID_NONE)
			need_all(g, j);
		return;
	}
	for (uint32_t n = 0; n < read->choices; n++) {
		if (!was_there(g, j, n)) {
			removal(g, j, n)->needed = true;
			continue;
		}
		weak_read_choose(g->reads, read, n);
		prove_fracture(g, r, i, writer, j);
	}
	weak_read_leave_open(read);
}

static void prove(struct propagation *g, struct refuter *r, uint32_t i, uint32_t n)
{
	struct weak_read *read = read_at(g, i);
	const struct removal *why = removal(g, i, n);
	weak_read_choose(g->reads, read, n);
	if (why->reason == FRACTURED) {
		prove_fractures(g, r, i, why->by);
	} else if (why->reason == LATER) {
		refuter_visible(r, read->writer, weak_reason(i, CLAIM_READ));
		refuter_path(r, read->reader, read->writer);
		close_step(g, r, i, i);
	} else {
		refuter_edge(r, why->by, weak_reason(i, CLAIM_SEEN));
		if (read->writer != ID_NONE)
			refuter_path(r, read->writer, why->by);
		close_step(g, r, i, i);
	}
	weak_read_leave_open(read);
}

static void go_back(struct propagation *g, size_t variables, struct proof *proof,
                    struct solver *solver)
{
	for (; g->round; g->round--) {
		if (!begin_round(g))
			continue; /* the last one; its cycles are steps already */
		struct refuter r = refuter_of(&g->edges, proof, solver);
		for (uint32_t v = 0; v < variables; v++) {
			guard_tick(g->guard);
			if (g->removals[v].round == g->round && g->removals[v].needed)
				prove(g, &r, g->read_of[v],
				      v - read_at(g, g->read_of[v])->variable);
		}
	}
}

/* ---- all of it ---- */

static bool has_open_list(const struct propagation *g)
{
	for (uint32_t i = 0; i < g->reads->list.count; i++)
		if (read_at(g, i)->variable != ID_NONE && is_list(g, read_at(g, i)))
			return true;
	return false;
}

static void prepare(struct propagation *g, size_t variables)
{
	size_t reads = g->reads->list.count + 1;
	g->removals = pool_zarray(g->pool, variables + 1, sizeof *g->removals);
	g->left = pool_array(g->pool, reads, sizeof *g->left);
	g->decided = pool_zarray(g->pool, reads, sizeof *g->decided);
	for (uint32_t i = 0; i < g->reads->list.count; i++)
		g->left[i] = read_at(g, i)->choices;
	if (g->rules.visible == VISIBLE_DIRECT && !g->rules.no_session) {
		g->session_writer = pool_array(g->pool, reads, sizeof *g->session_writer);
		memset(g->session_writer, 0xff, reads * sizeof *g->session_writer);
		weak_reads_of_sessions(g->reads, g->pool, note_session_writer, g);
	}
}

void weak_propagate(struct pool *pool, struct problem *p, struct weak_reads *reads,
                    const uint32_t *read_of, size_t variables, struct replay_rules rules,
                    struct proof *proof, struct solver *solver)
{
	struct propagation g = {.pool = pool_child(pool),
	                        .guard = pool_guard(pool),
	                        .p = p,
	                        .reads = reads,
	                        .read_of = read_of,
	                        .rules = rules};
	uint32_t empty = ID_NONE;
	bool refuted = false, goes_on = !has_open_list(&g);
	prepare(&g, variables);
	while (goes_on && g.round++ < ROUNDS_MOST) {
		if (!begin_round(&g)) {
			refuted = weak_refute(&g.edges, proof, solver);
			for (uint32_t i = 0; i < reads->list.count; i++)
				if (g.decided[i] && g.decided[i] < g.round)
					need_all(&g, i);
			break;
		}
		goes_on = make_clocks(&g) && go_forward(&g, &empty) && empty == ID_NONE;
	}
	if (empty != ID_NONE)
		need_all(&g, empty);
	if (refuted || empty != ID_NONE)
		go_back(&g, variables, proof, solver);
	for (uint32_t i = 0; i < reads->list.count; i++)
		if (read_at(&g, i)->variable != ID_NONE)
			weak_read_leave_open(read_at(&g, i));
	pool_free(p->pool, g.edges.list.items);
	pool_release(g.pool);
}
