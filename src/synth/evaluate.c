/* evaluate: see evaluate.h. */
#include "synth/evaluate.h"

#include "base/guard.h"

#include <assert.h>
#include <string.h>

enum truth { NO, YES, MAYBE };

enum { ROWS = SKELETON_TXNS + 1 };

typedef uint8_t table[ROWS][ROWS]; /* enum truth */

struct evaluation {
	struct guard *guard;
	const struct definition *d;
	const struct skeleton *s;
	uint8_t rank[ROWS];
	table vis;
	table *relations; /* of the definition */
};

static enum truth negation(enum truth a)
{
	return a == MAYBE ? MAYBE : a == NO ? YES : NO;
}

static enum truth meet(enum truth a, enum truth b)
{
	return a == NO || b == NO ? NO : a == YES ? b : a == MAYBE || b == MAYBE ? MAYBE : YES;
}

static enum truth join(enum truth a, enum truth b)
{
	return negation(meet(negation(a), negation(b)));
}

/* ---- formulas ---- */

static enum truth value(struct evaluation *e, const struct node *n, uint8_t *slots);

static enum truth of_all(struct evaluation *e, const struct node *n, uint8_t *slots)
{
	bool all = n->kind == NODE_ALL;
	uint32_t end = n->of_key ? e->s->keys : e->s->txns + 1;
	enum truth sum = all ? YES : NO;
	for (uint32_t i = 0; i < end && sum != (all ? NO : YES); i++) {
		slots[n->slot[0]] = (uint8_t)i;
		enum truth one = value(e, n->left, slots);
		sum = all ? meet(sum, one) : join(sum, one);
	}
	return sum;
}

static enum truth value(struct evaluation *e, const struct node *n, uint8_t *slots)
{
	uint8_t a = slots[n->slot[0]], b = slots[n->slot[1]], c = slots[n->slot[2]];
	const struct skeleton *s = e->s;
	enum truth left;
	switch (n->kind) {
	case NODE_TRUE:
		return YES;
	case NODE_NOT:
		return negation(value(e, n->left, slots));
	case NODE_AND:
		left = value(e, n->left, slots);
		return left == NO ? NO : meet(left, value(e, n->right, slots));
	case NODE_OR:
		left = value(e, n->left, slots);
		return left == YES ? YES : join(left, value(e, n->right, slots));
	case NODE_ALL:
	case NODE_SOME:
		return of_all(e, n, slots);
	case NODE_SAME:
		return a == b;
	case NODE_WRITES:
		return !a || s->writes[a][b];
	case NODE_READS:
		return a && s->from[a][b] != NOT_READ;
	case NODE_WR:
		return b && s->from[b][c] == a;
	case NODE_BEFORE:
		return a && b != c && s->from[a][b] != NOT_READ && s->from[a][c] != NOT_READ &&
		       s->place[a][b] < s->place[a][c];
	default:
		return e->relations[n->relation][a][b];
	}
}

/* ---- relations ---- */

/* Transactions without a place yet come after all that have one. */
static enum truth in_order(const struct evaluation *e, uint32_t a, uint32_t b)
{
	bool a_placed = !a || e->rank[a], b_placed = !b || e->rank[b];
	if (a == b || (!a_placed && b_placed))
		return NO;
	return !a_placed ? MAYBE : !b_placed || e->rank[a] < e->rank[b] ? YES : NO;
}

static enum truth given(const struct evaluation *e, enum relation_kind kind, uint32_t a, uint32_t b)
{
	if (kind == RELATION_SO)
		return skeleton_so(e->s, a, b);
	if (kind == RELATION_ORDER)
		return in_order(e, a, b);
	if (kind == RELATION_VIS)
		return e->vis[a][b];
	for (uint32_t k = 0; b && k < e->s->keys; k++)
		if (e->s->from[b][k] == (int8_t)a)
			return YES;
	return NO;
}

static enum truth composed(const struct evaluation *e, const table p, const table q, uint32_t a,
                           uint32_t b)
{
	enum truth sum = NO;
	for (uint32_t m = 0; m <= e->s->txns && sum != YES; m++)
		sum = join(sum, meet(p[a][m], q[m][b]));
	return sum;
}

static void steps(const struct evaluation *e, table t, bool none_too)
{
	uint32_t n = e->s->txns;
	for (uint32_t m = 0; m <= n; m++)
		for (uint32_t a = 0; a <= n; a++)
			for (uint32_t b = 0; b <= n; b++)
				t[a][b] = (uint8_t)join(t[a][b], meet(t[a][m], t[m][b]));
	for (uint32_t a = 0; none_too && a <= n; a++)
		t[a][a] = YES;
}

static enum truth pair(struct evaluation *e, const struct relation *r, uint32_t a, uint32_t b)
{
	uint8_t slots[SLOTS_MAX] = {(uint8_t)a, (uint8_t)b};
	switch (r->kind) {
	case RELATION_UNION:
		return join(e->relations[r->a][a][b], e->relations[r->b][a][b]);
	case RELATION_INTERSECTION:
		return meet(e->relations[r->a][a][b], e->relations[r->b][a][b]);
	case RELATION_COMPOSITION:
		return composed(e, (const uint8_t(*)[ROWS])e->relations[r->a],
		                (const uint8_t(*)[ROWS])e->relations[r->b], a, b);
	case RELATION_PLUS:
	case RELATION_STAR:
		return e->relations[r->a][a][b];
	case RELATION_FORMULA:
		return value(e, r->body, slots);
	default:
		return given(e, r->kind, a, b);
	}
}

static void fill_relations(struct evaluation *e)
{
	for (size_t i = 0; i < e->d->relations.count; i++) {
		const struct relation *r = &e->d->relations.items[i];
		for (uint32_t a = 0; a <= e->s->txns; a++)
			for (uint32_t b = 0; b <= e->s->txns; b++)
				e->relations[i][a][b] = (uint8_t)pair(e, r, a, b);
		if (r->kind == RELATION_PLUS || r->kind == RELATION_STAR)
			steps(e, e->relations[i], r->kind == RELATION_STAR);
	}
}

/* ---- executions ---- */

/* In every execution so and wr are within the order. */
static bool order_is_consistent(const struct evaluation *e)
{
	for (uint32_t b = 1; b <= e->s->txns; b++)
		for (uint32_t a = 1; a <= e->s->txns; a++)
			if ((given(e, RELATION_SO, a, b) || given(e, RELATION_WR, a, b)) &&
			    in_order(e, a, b) != YES)
				return false;
	return true;
}

/* In every execution over vis, so is within vis, vis is within the order, and a read returns
 * the last visible writer. */
static enum truth vis_is_consistent(const struct evaluation *e)
{
	const struct skeleton *s = e->s;
	enum truth sum = YES;
	for (uint32_t b = 1; b <= s->txns; b++) {
		sum = meet(sum, e->vis[0][b]);
		for (uint32_t a = 1; a <= s->txns; a++) {
			sum = meet(sum, join(negation(e->vis[a][b]), in_order(e, a, b)));
			if (skeleton_so(s, a, b))
				sum = meet(sum, e->vis[a][b]);
		}
		for (uint32_t k = 0; k < s->keys; k++) {
			int8_t from = s->from[b][k];
			if (from == NOT_READ)
				continue;
			sum = meet(sum, e->vis[from][b]);
			for (uint32_t a = 1; a <= s->txns; a++)
				if (s->writes[a][k])
					sum = meet(sum,
					           negation(meet(in_order(e, (uint32_t)from, a),
					                         e->vis[a][b])));
		}
	}
	return sum;
}

static enum truth evaluate_axioms(struct evaluation *e)
{
	guard_tick(e->guard);
	enum truth sum = e->d->has_vis ? vis_is_consistent(e) : YES;
	if (sum == NO)
		return NO;
	fill_relations(e);
	for (size_t i = 0; i < e->d->axioms.count && sum != NO; i++) {
		uint8_t slots[SLOTS_MAX] = {0};
		sum = meet(sum, value(e, e->d->axioms.items[i].formula, slots));
	}
	return sum;
}

static void start(struct evaluation *e, struct pool *pool, const struct definition *d,
                  const struct skeleton *s)
{
	assert(s->txns <= SKELETON_TXNS && s->keys <= SKELETON_KEYS);
	*e = (struct evaluation){.guard = pool_guard(pool), .d = d, .s = s};
	e->relations = pool_zarray(pool, d->relations.count, sizeof *e->relations);
}

bool evaluate_execution(struct pool *pool, const struct definition *d, const struct skeleton *s,
                        const struct witness *w)
{
	struct evaluation e;
	start(&e, pool, d, s);
	memcpy(e.rank, w->rank, sizeof e.rank);
	for (uint32_t a = 0; a <= s->txns; a++)
		for (uint32_t b = 0; b <= s->txns; b++)
			e.vis[a][b] = w->vis[a][b];
	bool yes = order_is_consistent(&e) && evaluate_axioms(&e) == YES;
	pool_free(pool, e.relations);
	return yes;
}

/* Decides `vis` pair by pair, from pair `at` on. */
static bool find_vis(struct evaluation *e, uint32_t at)
{
	enum truth now = evaluate_axioms(e);
	if (now != MAYBE)
		return now == YES;
	uint32_t n = e->s->txns + 1;
	while (at < n * n && e->vis[at / n][at % n] != MAYBE)
		at++;
	if (at == n * n)
		return false; /* not reached: without open pairs nothing is MAYBE */
	uint8_t *open = &e->vis[at / n][at % n];
	*open = YES;
	if (find_vis(e, at + 1))
		return true;
	*open = NO;
	if (find_vis(e, at + 1))
		return true;
	*open = MAYBE;
	return false;
}

/* What the order, as far as it is known, says of vis. */
static void start_vis(struct evaluation *e)
{
	uint32_t n = e->s->txns;
	for (uint32_t a = 0; a <= n; a++)
		for (uint32_t b = 0; b <= n; b++)
			e->vis[a][b] = !e->d->has_vis || in_order(e, a, b) == NO ? NO
			               : !a || skeleton_so(e->s, a, b)           ? YES
			                                                         : MAYBE;
}

/* Do all transactions that precede t have a place? */
static bool may_be_next(const struct evaluation *e, uint32_t t)
{
	for (uint32_t a = 1; a <= e->s->txns; a++)
		if (!e->rank[a] && (given(e, RELATION_SO, a, t) || given(e, RELATION_WR, a, t)))
			return false;
	return true;
}

/* Tries each remaining transaction at the next place, unless the axioms are false of every order
 * that begins like this one. */
static bool find_order(struct evaluation *e, uint32_t place)
{
	start_vis(e);
	if (place > e->s->txns)
		return find_vis(e, 0);
	if (evaluate_axioms(e) == NO)
		return false;
	for (uint32_t t = 1; t <= e->s->txns; t++) {
		if (e->rank[t] || !may_be_next(e, t))
			continue;
		e->rank[t] = (uint8_t)place;
		if (find_order(e, place + 1))
			return true;
		e->rank[t] = 0;
	}
	return false;
}

bool evaluate_allows(struct pool *pool, const struct definition *d, const struct skeleton *s,
                     struct witness *w)
{
	struct evaluation e;
	start(&e, pool, d, s);
	bool yes = find_order(&e, 1);
	if (yes) {
		memcpy(w->rank, e.rank, sizeof w->rank);
		for (uint32_t a = 0; a <= s->txns; a++)
			for (uint32_t b = 0; b <= s->txns; b++)
				w->vis[a][b] = e.vis[a][b] == YES;
	}
	pool_free(pool, e.relations);
	return yes;
}
