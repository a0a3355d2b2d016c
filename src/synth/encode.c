/* encode: see encode.h. */
#include "synth/encode.h"

#include "base/guard.h"

#include <string.h>

/* ---- formulas ---- */

struct encoder {
	struct history_vars *w;
	struct circuit *c;
	const struct definition *d;
	const struct witness_vars *s;
	literals *relations;
};

static int encode(struct encoder *e, const struct node *n, uint8_t *slots);

static int of_all(struct encoder *e, const struct node *n, uint8_t *slots)
{
	int parts[SKELETON_TXNS + 1 > SKELETON_KEYS ? SKELETON_TXNS + 1 : SKELETON_KEYS];
	bool all = n->kind == NODE_ALL;
	uint32_t end = n->of_key ? e->w->keys : e->w->txns + 1;
	for (uint32_t i = 0; i < end; i++) {
		slots[n->slot[0]] = (uint8_t)i;
		parts[i] = encode(e, n->left, slots);
		if (n->of_key && !n->narrow)
			parts[i] = all ? circuit_or(e->c, -e->w->used[i], parts[i])
			               : circuit_and(e->c, e->w->used[i], parts[i]);
	}
	return all ? circuit_all(e->c, parts, end) : circuit_any(e->c, parts, end);
}

/* A chain of one connective is one gate. */
static size_t collect(struct encoder *e, const struct node *n, enum node_kind kind, uint8_t *slots,
                      int *parts, size_t count, int stop)
{
	if (n->kind == kind && count && parts[count - 1] == stop)
		return count;
	if (n->kind == kind) {
		count = collect(e, n->left, kind, slots, parts, count, stop);
		return count && parts[count - 1] == stop
		               ? count
		               : collect(e, n->right, kind, slots, parts, count, stop);
	}
	parts[count] = encode(e, n, slots);
	return count + 1;
}

enum { CHAIN_MAX = 256 };

static size_t chain_length(const struct node *n, enum node_kind kind)
{
	return n->kind == kind ? chain_length(n->left, kind) + chain_length(n->right, kind) : 1;
}

static int connected(struct encoder *e, const struct node *n, uint8_t *slots)
{
	bool and = n->kind == NODE_AND;
	int few[CHAIN_MAX];
	if (chain_length(n, n->kind) > CHAIN_MAX) {
		int a = encode(e, n->left, slots), b = encode(e, n->right, slots);
		return and? circuit_and(e->c, a, b) : circuit_or(e->c, a, b);
	}
	size_t count = collect(e, n, n->kind, slots, few, 0, and? LIT_FALSE : LIT_TRUE);
	return and? circuit_all(e->c, few, count) : circuit_any(e->c, few, count);
}

static int encode(struct encoder *e, const struct node *n, uint8_t *slots)
{
	uint8_t a = slots[n->slot[0]], b = slots[n->slot[1]], c = slots[n->slot[2]];
	const struct history_vars *w = e->w;
	switch (n->kind) {
	case NODE_TRUE:
		return LIT_TRUE;
	case NODE_NOT:
		return -encode(e, n->left, slots);
	case NODE_AND:
	case NODE_OR:
		return connected(e, n, slots);
	case NODE_ALL:
	case NODE_SOME:
		return of_all(e, n, slots);
	case NODE_SAME:
		return a == b ? LIT_TRUE : LIT_FALSE;
	case NODE_WRITES:
		return w->writes[a][b];
	case NODE_READS:
		return w->reads[a][b];
	case NODE_WR:
		return w->from[b][c][a];
	case NODE_BEFORE:
		return circuit_all(e->c,
		                   (int[]){w->reads[a][b], w->reads[a][c], w->before[a][b][c]}, 3);
	default:
		return e->relations[n->relation][a][b];
	}
}

/* ---- relations ---- */

static void compose(struct circuit *c, uint32_t txns, const literals a, const literals b,
                    literals to)
{
	int parts[SKELETON_TXNS + 1];
	for (uint32_t s = 0; s <= txns; s++)
		for (uint32_t t = 0; t <= txns; t++) {
			for (uint32_t m = 0; m <= txns; m++)
				parts[m] = circuit_and(c, a[s][m], b[m][t]);
			to[s][t] = circuit_any(c, parts, txns + 1);
		}
}

static void close_steps(struct circuit *c, uint32_t txns, literals r)
{
	for (uint32_t m = 0; m <= txns; m++)
		for (uint32_t s = 0; s <= txns; s++)
			for (uint32_t t = 0; t <= txns; t++)
				r[s][t] = circuit_or(c, r[s][t], circuit_and(c, r[s][m], r[m][t]));
}

static void combine(struct circuit *c, uint32_t txns, const literals a, const literals b,
                    int (*gate)(struct circuit *, int, int), literals to)
{
	for (uint32_t s = 0; s <= txns; s++)
		for (uint32_t t = 0; t <= txns; t++)
			to[s][t] = gate(c, a[s][t], b[s][t]);
}

static void reflect(uint32_t txns, literals r)
{
	for (uint32_t t = 0; t <= txns; t++)
		r[t][t] = LIT_TRUE;
}

typedef const int (*rows)[SKELETON_TXNS + 1];

static void fill_relation(struct encoder *e, const struct relation *r, literals to)
{
	uint32_t n = e->w->txns;
	rows a = (rows)e->relations[r->a], b = (rows)e->relations[r->b];
	const void *const given[] = {[RELATION_SO] = e->w->so,
	                             [RELATION_WR] = e->w->wr,
	                             [RELATION_ORDER] = e->s->order,
	                             [RELATION_VIS] = e->s->vis};
	switch (r->kind) {
	case RELATION_SO:
	case RELATION_WR:
	case RELATION_ORDER:
	case RELATION_VIS:
		memcpy(to, given[r->kind], sizeof(literals));
		break;
	case RELATION_UNION:
	case RELATION_INTERSECTION:
		combine(e->c, n, a, b, r->kind == RELATION_UNION ? circuit_or : circuit_and, to);
		break;
	case RELATION_COMPOSITION:
		compose(e->c, n, a, b, to);
		break;
	case RELATION_PLUS:
	case RELATION_STAR:
		memcpy(to, a, sizeof(literals));
		close_steps(e->c, n, to);
		if (r->kind == RELATION_STAR)
			reflect(n, to);
		break;
	case RELATION_FORMULA:
		for (uint32_t s = 0; s <= n; s++)
			for (uint32_t t = 0; t <= n; t++) {
				uint8_t slots[SLOTS_MAX] = {(uint8_t)s, (uint8_t)t};
				to[s][t] = encode(e, r->body, slots);
			}
		break;
	}
}

/* ---- executions ---- */

typedef VEC(int) parts_vec;

/* vis is within the order, so is within vis, and a read returns the last visible writer. */
static void add_visibility(struct history_vars *w, const struct witness_vars *s, parts_vec *parts)
{
	struct circuit *c = w->c;
	uint32_t n = w->txns;
	for (uint32_t t = 1; t <= n; t++)
		for (uint32_t u = 1; u <= n; u++) {
			vec_push(c->pool, parts, circuit_or(c, -s->vis[u][t], s->order[u][t]));
			vec_push(c->pool, parts, circuit_or(c, -w->so[u][t], s->vis[u][t]));
		}
	for (uint32_t t = 1; t <= n; t++)
		for (uint32_t k = 0; k < w->keys; k++)
			for (uint32_t f = 0; f <= n; f++) {
				int from = w->from[t][k][f];
				vec_push(c->pool, parts, circuit_or(c, -from, s->vis[f][t]));
				for (uint32_t u = 1; u <= n; u++)
					vec_push(
					        c->pool, parts,
					        circuit_any(c,
					                    (int[]){-from, -w->writes[u][k],
					                            -s->order[f][u], -s->vis[u][t]},
					                    4));
			}
}

int encode_level(struct history_vars *w, const struct definition *d, const struct witness_vars *s)
{
	struct circuit *c = w->c;
	struct encoder e = {.w = w, .c = c, .d = d, .s = s};
	parts_vec parts = {0};
	for (uint32_t t = 1; t <= w->txns; t++)
		for (uint32_t u = 1; u <= w->txns; u++) {
			vec_push(c->pool, &parts, circuit_or(c, -w->so[u][t], s->order[u][t]));
			vec_push(c->pool, &parts, circuit_or(c, -w->wr[u][t], s->order[u][t]));
		}
	if (d->has_vis)
		add_visibility(w, s, &parts);
	e.relations = pool_array(c->pool, d->relations.count, sizeof *e.relations);
	for (size_t i = 0; i < d->relations.count; i++)
		fill_relation(&e, &d->relations.items[i], e.relations[i]);
	for (size_t i = 0; i < d->axioms.count; i++) {
		uint8_t slots[SLOTS_MAX] = {0};
		vec_push(c->pool, &parts, encode(&e, d->axioms.items[i].formula, slots));
	}
	int all = circuit_all(c, parts.items, parts.count);
	pool_free(c->pool, e.relations);
	pool_free(c->pool, parts.items);
	return all;
}

/* ---- witnesses ---- */

static void put_initial_first(literals r, uint32_t txns)
{
	for (uint32_t t = 0; t <= txns; t++) {
		r[0][t] = t ? LIT_TRUE : LIT_FALSE;
		r[t][0] = r[t][t] = LIT_FALSE;
	}
}

static void open_vis(struct witness_vars *s, struct circuit *c, uint32_t txns, bool has_vis)
{
	put_initial_first(s->vis, txns);
	for (uint32_t a = 1; a <= txns; a++)
		for (uint32_t b = 1; b <= txns; b++)
			if (a != b)
				s->vis[a][b] = !has_vis || s->order[a][b] == LIT_FALSE
				                       ? LIT_FALSE
				                       : circuit_input(c);
}

void witness_vars_by_number(struct witness_vars *s, struct circuit *c, uint32_t txns, bool has_vis)
{
	put_initial_first(s->order, txns);
	for (uint32_t a = 1; a <= txns; a++)
		for (uint32_t b = 1; b <= txns; b++)
			s->order[a][b] = a < b ? LIT_TRUE : LIT_FALSE;
	open_vis(s, c, txns, has_vis);
}

void witness_vars_open(struct witness_vars *s, struct circuit *c, uint32_t txns, bool has_vis)
{
	put_initial_first(s->order, txns);
	for (uint32_t a = 1; a <= txns; a++)
		for (uint32_t b = a + 1; b <= txns; b++) {
			s->order[a][b] = circuit_input(c);
			s->order[b][a] = -s->order[a][b];
		}
	for (uint32_t a = 1; a <= txns; a++)
		for (uint32_t b = 1; b <= txns; b++)
			for (uint32_t m = 1; m <= txns; m++)
				if (a != b && b != m && a != m)
					circuit_assert_any(c,
					                   (int[]){-s->order[a][b], -s->order[b][m],
					                           s->order[a][m]},
					                   3);
	open_vis(s, c, txns, has_vis);
}

void witness_vars_given(struct witness_vars *s, const struct witness *w, uint32_t txns)
{
	for (uint32_t a = 0; a <= txns; a++)
		for (uint32_t b = 0; b <= txns; b++) {
			s->order[a][b] = w->rank[a] < w->rank[b] ? LIT_TRUE : LIT_FALSE;
			s->vis[a][b] = w->vis[a][b] ? LIT_TRUE : LIT_FALSE;
		}
}

struct witness witness_vars_value(const struct witness_vars *s, const struct circuit *c,
                                  uint32_t txns, bool has_vis)
{
	struct witness w = {0};
	for (uint32_t a = 0; a <= txns; a++)
		for (uint32_t b = 0; b <= txns; b++) {
			w.rank[b] += circuit_value(c, s->order[a][b]);
			w.vis[a][b] = has_vis && circuit_value(c, s->vis[a][b]);
		}
	return w;
}

/* so and wr; for odd `which` also earlier writers of a key that both write. Direct,
 * transitive, or with everything before. The last guess is the whole order. */
void witness_vars_guess_vis(struct history_vars *w, struct witness_vars *s, unsigned which)
{
	struct circuit *c = w->c;
	uint32_t n = w->txns;
	int both[SKELETON_KEYS];
	if (which == VIS_GUESSES - 1) {
		memcpy(s->vis, s->order, sizeof s->vis);
		return;
	}
	combine(c, n, (rows)w->so, (rows)w->wr, circuit_or, s->vis);
	for (uint32_t a = 1; which % 2 && a <= n; a++)
		for (uint32_t b = 1; b <= n; b++) {
			for (uint32_t k = 0; k < w->keys; k++)
				both[k] = circuit_and(c, w->writes[a][k], w->writes[b][k]);
			int conflict = circuit_any(c, both, w->keys);
			s->vis[a][b] = circuit_or(c, s->vis[a][b],
			                          circuit_and(c, conflict, s->order[a][b]));
		}
	if (which / 2 == 1)
		close_steps(c, n, s->vis);
	if (which / 2 == 2) {
		literals upto, direct;
		memcpy(upto, s->order, sizeof upto);
		memcpy(direct, s->vis, sizeof direct);
		reflect(n, upto);
		compose(c, n, (rows)upto, (rows)direct, s->vis);
	}
}
