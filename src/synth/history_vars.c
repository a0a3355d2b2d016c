/* history_vars: see encode.h. */
#include "synth/encode.h"

#include <assert.h>
#include <string.h>

/* ---- inputs ---- */

/* Sharing a session is an equivalence. */
static void open_sessions(struct history_vars *w)
{
	struct circuit *c = w->c;
	for (uint32_t t = 1; t <= w->txns; t++)
		for (uint32_t s = 0; s <= w->txns; s++)
			w->so[s][t] = !s ? LIT_TRUE : s < t ? circuit_input(c) : LIT_FALSE;
	for (uint32_t t = 0; t <= w->txns; t++)
		w->so[t][0] = LIT_FALSE;
	for (uint32_t d = 3; d <= w->txns; d++)
		for (uint32_t b = 2; b < d; b++)
			for (uint32_t a = 1; a < b; a++) {
				int ab = w->so[a][b], bd = w->so[b][d], ad = w->so[a][d];
				circuit_assert_any(c, (int[]){-ab, -bd, ad}, 3);
				circuit_assert_any(c, (int[]){-ab, -ad, bd}, 3);
				circuit_assert_any(c, (int[]){-ad, -bd, ab}, 3);
			}
}

static void open_reads(struct history_vars *w, uint32_t t, uint32_t k, bool forward)
{
	struct circuit *c = w->c;
	int *from = w->from[t][k], some[SKELETON_TXNS + 1];
	for (uint32_t s = 0; s <= w->txns; s++)
		from[s] = s == t || (forward && s > t) ? LIT_FALSE : circuit_input(c);
	memcpy(some, from, sizeof some);
	w->reads[t][k] = circuit_any(c, some, w->txns + 1);
	for (uint32_t s = 0; s <= w->txns; s++)
		for (uint32_t u = 0; u < s && from[s] != LIT_FALSE; u++)
			if (from[u] != LIT_FALSE)
				circuit_assert_any(c, (int[]){-from[s], -from[u]}, 2);
}

/* Which of two keys a transaction reads first, if it reads both. */
static void open_places(struct history_vars *w, uint32_t t, bool ordered)
{
	struct circuit *c = w->c;
	for (uint32_t k = 0; k < w->keys; k++) {
		w->before[t][k][k] = LIT_FALSE;
		for (uint32_t j = 0; j < k; j++) {
			w->before[t][j][k] = ordered ? circuit_input(c) : LIT_TRUE;
			w->before[t][k][j] = -w->before[t][j][k];
		}
	}
	for (uint32_t i = 0; ordered && i < w->keys; i++)
		for (uint32_t j = 0; j < w->keys; j++)
			for (uint32_t k = 0; k < w->keys; k++)
				if (i != j && j != k && i != k)
					circuit_assert_any(c,
					                   (int[]){-w->before[t][i][j],
					                           -w->before[t][j][k],
					                           w->before[t][i][k]},
					                   3);
}

/* A transaction other than 0 uses the key. */
static int used(struct history_vars *w, uint32_t k)
{
	int parts[2 * SKELETON_TXNS];
	for (uint32_t t = 1; t <= w->txns; t++) {
		parts[2 * t - 2] = w->writes[t][k];
		parts[2 * t - 1] = w->reads[t][k];
	}
	return circuit_any(w->c, parts, (size_t)2 * w->txns);
}

void history_vars_open(struct history_vars *w, struct circuit *c, uint32_t txns, uint32_t keys,
                       bool forward, bool ordered_reads)
{
	assert(txns <= SKELETON_TXNS && keys <= SKELETON_KEYS);
	*w = (struct history_vars){.c = c, .txns = txns, .keys = keys};
	open_sessions(w);
	for (uint32_t t = 1; t <= txns; t++) {
		for (uint32_t k = 0; k < keys; k++) {
			w->writes[t][k] = circuit_input(c);
			open_reads(w, t, k, forward);
		}
		open_places(w, t, ordered_reads);
	}
	for (uint32_t k = 0; k < keys; k++) {
		w->used[k] = w->writes[0][k] = used(w, k);
		w->reads[0][k] = LIT_FALSE;
		for (uint32_t s = 0; s <= txns; s++)
			w->from[0][k][s] = LIT_FALSE;
		for (uint32_t t = 1; t <= txns; t++)
			for (uint32_t s = 1; s <= txns; s++)
				if (w->from[t][k][s] != LIT_FALSE)
					circuit_assert_any(
					        c, (int[]){-w->from[t][k][s], w->writes[s][k]}, 2);
	}
	for (uint32_t t = 0; t <= txns; t++)
		for (uint32_t s = 0; s <= txns; s++) {
			int any[SKELETON_KEYS];
			for (uint32_t k = 0; k < keys; k++)
				any[k] = w->from[t][k][s];
			w->wr[s][t] = circuit_any(c, any, keys);
		}
	for (uint32_t k = 0; k < keys; k++)
		for (uint32_t j = 0; j < keys; j++)
			w->before[0][k][j] = LIT_FALSE;
}

/* ---- limits ---- */

void history_vars_limit(struct history_vars *w, uint32_t most, bool apart)
{
	int ops[2 * SKELETON_KEYS], writers[SKELETON_TXNS], more[SKELETON_TXNS + 1];
	for (uint32_t t = 1; t <= w->txns; t++) {
		memcpy(ops, w->writes[t], w->keys * sizeof *ops);
		memcpy(ops + w->keys, w->reads[t], w->keys * sizeof *ops);
		circuit_assert_any(w->c, ops, (size_t)2 * w->keys);
	}
	for (uint32_t t = 2; apart && t <= w->txns; t++)
		for (uint32_t a = 1; a < t; a++)
			circuit_assert(w->c, -w->so[a][t]);
	for (uint32_t k = 0; most < w->txns && k < w->keys; k++) {
		for (uint32_t t = 1; t <= w->txns; t++)
			writers[t - 1] = w->writes[t][k];
		circuit_count(w->c, writers, w->txns, more, most + 1);
		circuit_assert(w->c, -more[most]);
	}
}

/* The first transaction that reads keys k - 1 and k, which all treat alike, reads them in this
 * order. */
static int read_in_order(struct history_vars *w, uint32_t k)
{
	int all = LIT_TRUE, earlier = LIT_FALSE;
	for (uint32_t t = 1; t <= w->txns; t++) {
		int later = circuit_or(w->c, earlier, -w->reads[t][k]);
		all = circuit_and(w->c, all, circuit_or(w->c, later, w->before[t][k - 1][k]));
		earlier = circuit_or(w->c, earlier, w->reads[t][k]);
	}
	return all;
}

/* The first fact in which two neighbours differ is true of the first of them. */
void history_vars_sort_keys(struct history_vars *w)
{
	struct circuit *c = w->c;
	for (uint32_t k = 1; k < w->keys; k++) {
		int rest = read_in_order(w, k);
		for (uint32_t t = w->txns; t > 0; t--)
			for (uint32_t s = 0; s <= w->txns + 1; s++) {
				int a = s <= w->txns ? w->from[t][k - 1][s] : w->writes[t][k - 1];
				int b = s <= w->txns ? w->from[t][k][s] : w->writes[t][k];
				rest = circuit_and(c, circuit_or(c, a, -b),
				                   circuit_or(c, circuit_and(c, a, -b), rest));
			}
		circuit_assert(c, rest);
	}
}

/* ---- to and from skeletons ---- */

static void fact(struct history_vars *w, literal_vec *facts, int literal, bool true_there)
{
	if (literal != LIT_TRUE && literal != LIT_FALSE)
		vec_push(w->c->pool, facts, true_there ? literal : -literal);
}

static void read_facts(struct history_vars *w, const struct skeleton *s, uint32_t t,
                       literal_vec *facts)
{
	for (uint32_t k = 0; k < w->keys; k++) {
		bool used = k < s->keys;
		fact(w, facts, w->writes[t][k], used && s->writes[t][k]);
		for (uint32_t f = 0; f <= w->txns; f++)
			fact(w, facts, w->from[t][k][f], used && s->from[t][k] == (int8_t)f);
		for (uint32_t j = 0; j < k; j++)
			if (used && s->from[t][j] != NOT_READ && s->from[t][k] != NOT_READ)
				fact(w, facts, w->before[t][j][k], s->place[t][j] < s->place[t][k]);
	}
}

void history_vars_facts(struct history_vars *w, const struct skeleton *s, literal_vec *facts)
{
	facts->count = 0;
	for (uint32_t t = 1; t <= w->txns; t++) {
		for (uint32_t a = 1; a < t; a++)
			fact(w, facts, w->so[a][t], skeleton_so(s, a, t));
		read_facts(w, s, t, facts);
	}
}

static bool key_used(const struct history_vars *w, uint32_t k)
{
	for (uint32_t t = 1; t <= w->txns; t++) {
		if (circuit_value(w->c, w->writes[t][k]))
			return true;
		for (uint32_t f = 0; f <= w->txns; f++)
			if (circuit_value(w->c, w->from[t][k][f]))
				return true;
	}
	return false;
}

struct skeleton history_vars_skeleton(const struct history_vars *w)
{
	struct skeleton s = {.txns = w->txns};
	for (uint32_t k = 0; k < w->keys; k++) {
		if (!key_used(w, k))
			continue;
		for (uint32_t t = 1; t <= w->txns; t++) {
			s.writes[t][s.keys] = circuit_value(w->c, w->writes[t][k]);
			s.from[t][s.keys] = NOT_READ;
			for (uint32_t f = 0; f <= w->txns; f++)
				if (circuit_value(w->c, w->from[t][k][f]))
					s.from[t][s.keys] = (int8_t)f;
			for (uint32_t j = 0; j < w->keys; j++)
				s.place[t][s.keys] += circuit_value(w->c, w->before[t][j][k]);
		}
		s.keys++;
	}
	for (uint32_t t = 1; t <= w->txns; t++) {
		s.session[t] = (uint8_t)t;
		for (uint32_t a = t; a-- > 1;)
			if (circuit_value(w->c, w->so[a][t]))
				s.session[t] = s.session[a];
	}
	return skeleton_sorted(&s);
}
