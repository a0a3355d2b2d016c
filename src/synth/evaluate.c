/* evaluate: see evaluate.h. */
#include "synth/evaluate.h"

#include "base/guard.h"

#include <string.h>

enum truth { NO, YES, PERHAPS };

enum { ROWS = SHAPE_TXNS + 1 };

typedef uint8_t table[ROWS][ROWS]; /* enum truth */

struct evaluation {
	struct guard *guard;
	const struct definition *d;
	const struct shape *s;
	uint8_t rank[ROWS];
	table vis;
	table *relations; /* of the definition */
};

static enum truth inverse(enum truth a)
{
	return a == PERHAPS ? PERHAPS : a == NO ? YES : NO;
}

static enum truth meet(enum truth a, enum truth b)
{
	return a == NO || b == NO             ? NO
	       : a == YES                     ? b
	       : a == PERHAPS || b == PERHAPS ? PERHAPS
	                                      : YES;
}

static enum truth join(enum truth a, enum truth b)
{
	return inverse(meet(inverse(a), inverse(b)));
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
	const struct shape *s = e->s;
	enum truth left;
	switch (n->kind) {
	case NODE_TRUE:
		return YES;
	case NODE_NOT:
		return inverse(value(e, n->left, slots));
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
		return a && s->from[a][b] != NOBODY;
	case NODE_WR:
		return b && s->from[b][c] == a;
	case NODE_BEFORE:
		return a && b != c && s->from[a][b] != NOBODY && s->from[a][c] != NOBODY &&
		       s->place[a][b] < s->place[a][c];
	default:
		return e->relations[n->relation][a][b];
	}
}

/* ---- relations ---- */

static enum truth given(const struct evaluation *e, enum relation_kind kind, uint32_t a, uint32_t b)
{
	if (kind == RELATION_SO)
		return shape_so(e->s, a, b);
	if (kind == RELATION_ORDER)
		return e->rank[a] < e->rank[b];
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
	case RELATION_EITHER:
		return join(e->relations[r->a][a][b], e->relations[r->b][a][b]);
	case RELATION_BOTH:
		return meet(e->relations[r->a][a][b], e->relations[r->b][a][b]);
	case RELATION_THEN:
		return composed(e, (const uint8_t(*)[ROWS])e->relations[r->a],
		                (const uint8_t(*)[ROWS])e->relations[r->b], a, b);
	case RELATION_STEPS:
	case RELATION_PERHAPS:
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
		if (r->kind == RELATION_STEPS || r->kind == RELATION_PERHAPS)
			steps(e, e->relations[i], r->kind == RELATION_PERHAPS);
	}
}

/* ---- executions ---- */

/* What holds of every execution: so and wr are in the order; … */
static bool in_order(const struct evaluation *e)
{
	for (uint32_t b = 1; b <= e->s->txns; b++)
		for (uint32_t a = 1; a <= e->s->txns; a++)
			if ((given(e, RELATION_SO, a, b) || given(e, RELATION_WR, a, b)) &&
			    e->rank[a] >= e->rank[b])
				return false;
	return true;
}

/* … and, if somebody sees somebody: so is seen; who is seen comes first; and a read
 * gives the last writer that is seen. */
static enum truth seen_right(const struct evaluation *e)
{
	const struct shape *s = e->s;
	enum truth sum = YES;
	for (uint32_t b = 1; b <= s->txns; b++) {
		sum = meet(sum, e->vis[0][b]);
		for (uint32_t a = 1; a <= s->txns; a++) {
			if (e->rank[a] >= e->rank[b])
				sum = meet(sum, inverse(e->vis[a][b]));
			else if (shape_so(s, a, b))
				sum = meet(sum, e->vis[a][b]);
		}
		for (uint32_t k = 0; k < s->keys; k++) {
			int8_t from = s->from[b][k];
			if (from == NOBODY)
				continue;
			sum = meet(sum, e->vis[from][b]);
			for (uint32_t a = 1; a <= s->txns; a++)
				if (s->writes[a][k] && e->rank[a] > e->rank[from])
					sum = meet(sum, inverse(e->vis[a][b]));
		}
	}
	return sum;
}

static enum truth judge(struct evaluation *e)
{
	guard_tick(e->guard);
	enum truth sum = e->d->sees ? seen_right(e) : YES;
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
                  const struct shape *s)
{
	*e = (struct evaluation){.guard = pool_guard(pool), .d = d, .s = s};
	e->relations = pool_zarray(pool, d->relations.count, sizeof *e->relations);
}

bool evaluate_execution(struct pool *pool, const struct definition *d, const struct shape *s,
                        const struct witness *w)
{
	struct evaluation e;
	start(&e, pool, d, s);
	memcpy(e.rank, w->rank, sizeof e.rank);
	for (uint32_t a = 0; a <= s->txns; a++)
		for (uint32_t b = 0; b <= s->txns; b++)
			e.vis[a][b] = w->sees[a][b];
	bool yes = in_order(&e) && judge(&e) == YES;
	pool_free(pool, e.relations);
	return yes;
}

/* Decides `vis` pair by pair, in the order of the numbers from `at` on. */
static bool some_vis(struct evaluation *e, uint32_t at)
{
	enum truth now = judge(e);
	if (now != PERHAPS)
		return now == YES;
	uint32_t n = e->s->txns + 1;
	while (at < n * n && e->vis[at / n][at % n] != PERHAPS)
		at++;
	if (at == n * n)
		return false; /* nothing is open, so that it was no PERHAPS */
	uint8_t *open = &e->vis[at / n][at % n];
	*open = YES;
	if (some_vis(e, at + 1))
		return true;
	*open = NO;
	if (some_vis(e, at + 1))
		return true;
	*open = PERHAPS;
	return false;
}

static bool order_holds(struct evaluation *e)
{
	uint32_t n = e->s->txns;
	for (uint32_t a = 0; a <= n; a++)
		for (uint32_t b = 0; b <= n; b++)
			e->vis[a][b] = !e->d->sees || e->rank[a] >= e->rank[b] ? NO
			               : !a || shape_so(e->s, a, b)            ? YES
			                                                       : PERHAPS;
	return some_vis(e, 0);
}

/* Have all a place that must come before t? */
static bool may_be_next(const struct evaluation *e, uint32_t t)
{
	for (uint32_t a = 1; a <= e->s->txns; a++)
		if (!e->rank[a] && (given(e, RELATION_SO, a, t) || given(e, RELATION_WR, a, t)))
			return false;
	return true;
}

/* All orders: each transaction that is left takes the next place. */
static bool some_order(struct evaluation *e, uint32_t place)
{
	if (place > e->s->txns)
		return order_holds(e);
	for (uint32_t t = 1; t <= e->s->txns; t++) {
		if (e->rank[t] || !may_be_next(e, t))
			continue;
		e->rank[t] = (uint8_t)place;
		if (some_order(e, place + 1))
			return true;
		e->rank[t] = 0;
	}
	return false;
}

bool evaluate_allows(struct pool *pool, const struct definition *d, const struct shape *s,
                     struct witness *w)
{
	struct evaluation e;
	start(&e, pool, d, s);
	bool yes = some_order(&e, 1);
	if (yes) {
		memcpy(w->rank, e.rank, sizeof w->rank);
		for (uint32_t a = 0; a <= s->txns; a++)
			for (uint32_t b = 0; b <= s->txns; b++)
				w->sees[a][b] = e.vis[a][b] == YES;
	}
	pool_free(pool, e.relations);
	return yes;
}
