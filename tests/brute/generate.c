/*
 * generate: tiny random histories in which valid and violating are both common.
 *
 * A store is simulated that is as isolated as a die says, from serializable to
 * hardly at all. Values are unique or repeat, keys are registers or lists, keys are
 * deleted, transactions abort or end unknown (and may have taken effect), and
 * clients' clocks, initial values and the writers of what was read are there or
 * not. tests/tiny.py does the same for the program.
 */
#include "tiny.h"

#include <string.h>

enum { FRESH = 10 }; /* unique values count from here; those that repeat are below */

struct store {
	int value[TINY_KEYS], writer[TINY_KEYS];
	struct tiny_list list[TINY_KEYS];
};

struct generator {
	uint64_t random;
	struct tiny *h;
	int keys, sessions;
	int stale, repeat; /* percent: reads from an old state, values that repeat */
	bool snapshot;     /* a transaction reads from one state, stale or not */
	bool times, names; /* clients' clocks, named writers */
	int fresh, clock;
	struct store past[TINY_TXNS + 1]; /* the last is the present one */
	int past_count;
};

/* splitmix64 */
static uint64_t next_random(struct generator *g)
{
	uint64_t z = g->random += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static int below(struct generator *g, int n)
{
	return (int)(next_random(g) % (uint64_t)n);
}

static bool percent(struct generator *g, int p)
{
	return below(g, 100) < p;
}

/* ---- operations ---- */

static const struct store *state_to_read(struct generator *g)
{
	int at = percent(g, g->stale) ? below(g, g->past_count) : g->past_count - 1;
	return &g->past[at];
}

static void make_read(struct generator *g, const struct store *seen, const struct store *own,
                      struct tiny_op *op)
{
	int key = op->key;
	bool wrote = own->writer[key] != TINY_INITIAL, garbled = percent(g, 3);
	op->kind = ALIBI_READ;
	if (g->h->is_list[key]) {
		const struct tiny_list *then = &own->list[key];
		op->list = seen->list[key];
		for (int i = 0; i < then->count && op->list.count < TINY_LIST; i++)
			op->list.items[op->list.count++] = then->items[i];
		if (garbled)
			op->list = (struct tiny_list){.count = 1, .items = {below(g, 3)}};
	} else {
		op->value = wrote ? own->value[key] : seen->value[key];
		if (garbled)
			op->value = below(g, 4) - 1;
	}
	op->has_from = g->names && percent(g, 60);
	op->from = wrote ? own->writer[key] : seen->writer[key];
	if (op->has_from && percent(g, 3))
		op->from = below(g, g->past_count) - 1; /* ids count from 0 */
}

static void make_write(struct generator *g, int id, struct store *own, struct tiny_op *op)
{
	int key = op->key;
	op->value = percent(g, g->repeat) ? below(g, 3) : g->fresh++;
	own->writer[key] = id;
	if (g->h->is_list[key]) {
		op->kind = ALIBI_APPEND;
		own->list[key].items[own->list[key].count++] = op->value;
		return;
	}
	op->kind = ALIBI_WRITE;
	if (percent(g, 10))
		op->value = TINY_NULL;
	own->value[key] = op->value;
}

/* ---- transactions ---- */

static void take_effect(struct generator *g, const struct store *own)
{
	struct store *now = &g->past[g->past_count];
	*now = g->past[g->past_count - 1];
	g->past_count++;
	for (int key = 0; key < TINY_KEYS; key++) {
		if (own->writer[key] == TINY_INITIAL)
			continue;
		now->writer[key] = own->writer[key];
		now->value[key] = own->value[key];
		for (int i = 0; i < own->list[key].count; i++)
			now->list[key].items[now->list[key].count++] = own->list[key].items[i];
	}
}

static void make_times(struct generator *g, struct tiny_txn *t)
{
	t->begin = g->clock + below(g, 7) - 4;
	t->end = t->begin + 1 + below(g, 8);
	t->has = ALIBI_HAS_BEGIN | ALIBI_HAS_END;
	if (percent(g, 10))
		t->has = below(g, 2) ? ALIBI_HAS_BEGIN : ALIBI_HAS_END;
	g->clock += 2;
}

static void make_txn(struct generator *g, struct tiny_txn *t, int id)
{
	struct store own = {.writer = {TINY_INITIAL, TINY_INITIAL, TINY_INITIAL}};
	const struct store *view = state_to_read(g);
	t->id = id;
	t->alone = percent(g, 5);
	t->session = t->alone ? TINY_TXNS + id : below(g, g->sessions);
	t->op_count = TINY_OPS - below(g, TINY_OPS) * below(g, TINY_OPS) / (TINY_OPS - 1);
	for (int i = 0; i < t->op_count; i++) {
		t->ops[i].key = below(g, g->keys);
		if (percent(g, 50))
			make_read(g, g->snapshot ? view : state_to_read(g), &own, &t->ops[i]);
		else
			make_write(g, id, &own, &t->ops[i]);
	}
	int die = below(g, 100);
	t->status = die < 8 ? ALIBI_ABORT : die < 20 ? ALIBI_UNKNOWN_STATUS : ALIBI_COMMIT;
	if (t->status == ALIBI_COMMIT || percent(g, t->status == ALIBI_ABORT ? 10 : 60))
		take_effect(g, &own);
	if (g->times)
		make_times(g, t);
}

/* Another order in the file; each session keeps its own. */
static void shuffle(struct generator *g)
{
	struct tiny old = *g->h;
	bool taken[TINY_TXNS] = {false};
	for (int to = 0; to < old.txn_count; to++) {
		int from = below(g, old.txn_count);
		while (taken[from])
			from = (from + 1) % old.txn_count;
		for (int i = 0; i < from; i++)
			if (!taken[i] && old.txns[i].session == old.txns[from].session)
				from = i;
		taken[from] = true;
		g->h->txns[to] = old.txns[from];
	}
}

static void make_initial(struct generator *g)
{
	struct tiny *h = g->h;
	int kind = below(g, 10);
	h->initial_default = percent(g, 30) ? below(g, 2) : TINY_NULL;
	for (int key = 0; key < TINY_KEYS; key++) {
		h->is_list[key] = kind < 2 || (kind == 2 && below(g, 2));
		h->initial[key] = h->initial_default;
		if (!h->is_list[key] && percent(g, 15))
			h->initial[key] = below(g, 3);
		g->past[0].value[key] = h->initial[key];
		g->past[0].writer[key] = TINY_INITIAL;
	}
	g->past_count = 1;
}

void tiny_generate(struct tiny *h, uint64_t seed, uint64_t index)
{
	static const int stale[] = {0, 20, 50, 80}, repeat[] = {0, 0, 30, 90};
	struct generator g = {.random = seed * 0x2545f4914f6cdd1du + index, .h = h, .fresh = FRESH};
	g.random = next_random(&g);
	memset(h, 0, sizeof *h);
	make_initial(&g);
	g.keys = 1 + below(&g, TINY_KEYS);
	g.sessions = 1 + below(&g, 5);
	g.stale = stale[below(&g, 4)];
	g.repeat = repeat[below(&g, 4)];
	g.snapshot = percent(&g, 50);
	g.times = percent(&g, 40);
	g.names = percent(&g, 15);
	h->txn_count = TINY_TXNS - below(&g, TINY_TXNS) * below(&g, TINY_TXNS) / (TINY_TXNS - 1);
	for (int t = 0; t < h->txn_count; t++)
		make_txn(&g, &h->txns[t], t);
	if (percent(&g, 50))
		shuffle(&g);
}
