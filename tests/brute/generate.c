/*
 * generate: tiny random histories in which valid and violating are both common.
 *
 * A store is simulated that is as isolated as a die says, from serializable to
 * hardly at all: a transaction reads from one state, present or past, or finds what
 * some of those before it wrote, chosen as the weak levels have it. Values are unique or repeat,
 * keys are registers or lists, keys are deleted, transactions abort or end unknown (and may have
 * taken effect), and clients' clocks, initial values and the writers of what was read are there or
 * not. tests/tiny.py does the same for the program.
 */
#include "../random.h"
#include "tiny.h"

#include <string.h>

enum { FRESH = 10 }; /* unique values count from here; those that repeat are below */

struct store {
	int value[TINY_KEYS], writer[TINY_KEYS];
	struct tiny_list list[TINY_KEYS];
};

/* What a transaction reads from. */
enum views {
	OF_STATES,  /* states: what all until then left, in their order */
	OF_CAUSES,  /* some of those before it, with all that these have seen */
	OF_SOME,    /* some of those before it */
	OF_MORE,    /* the same, and with every read it may become more */
	OF_ANYBODY, /* of those before it, others with every read */
	VIEWS,
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
	enum views views;
	int noise, inside; /* percent: of reads that are wrong, of those before that are in view */
	int reads;         /* percent */
	int effect_count;  /* those who took effect, in their order: */
	struct store effects[TINY_TXNS];
	unsigned sees[TINY_TXNS]; /* bits: the transactions they saw, themselves too */
	int sessions_of[TINY_TXNS];
};

static int below(struct generator *g, int n)
{
	return (int)random_below(&g->random, (uint32_t)n);
}

static bool percent(struct generator *g, int p)
{
	return below(g, 100) < p;
}

/* ---- operations ---- */

static void add_effect(struct store *now, const struct store *own)
{
	for (int key = 0; key < TINY_KEYS; key++) {
		if (own->writer[key] == TINY_INITIAL)
			continue;
		now->writer[key] = own->writer[key];
		now->value[key] = own->value[key];
		for (int i = 0; i < own->list[key].count; i++)
			now->list[key].items[now->list[key].count++] = own->list[key].items[i];
	}
}

static const struct store *state_to_read(struct generator *g)
{
	int at = percent(g, g->stale) ? below(g, g->past_count) : g->past_count - 1;
	return &g->past[at];
}

/* Those in view of a transaction of this session: more, as the views have it. */
static unsigned look(struct generator *g, int session, unsigned view)
{
	if (g->views == OF_ANYBODY)
		view = 0;
	for (int i = 0; i < g->effect_count; i++)
		if ((g->views != OF_ANYBODY && g->sessions_of[i] == session) ||
		    percent(g, g->inside))
			view |= g->views == OF_CAUSES ? g->sees[i] : 1u << i;
	return view;
}

/* Of each key, what the last one in view left; lists have all until then. */
static struct store show(const struct generator *g, unsigned view)
{
	struct store seen = g->past[0], now = g->past[0];
	for (int i = 0; i < g->effect_count; i++) {
		add_effect(&now, &g->effects[i]);
		for (int key = 0; key < TINY_KEYS; key++) {
			if (!(view >> i & 1) || g->effects[i].writer[key] == TINY_INITIAL)
				continue;
			seen.value[key] = now.value[key];
			seen.writer[key] = now.writer[key];
			seen.list[key] = now.list[key];
		}
	}
	return seen;
}

static int any_value(struct generator *g)
{
	return percent(g, 50) ? below(g, 4) - 1 : FRESH + below(g, g->fresh - FRESH + 1);
}

static void garble_list(struct generator *g, struct tiny_list *list)
{
	int i = list->count ? below(g, list->count) : 0, item = list->items[i];
	if (!list->count || percent(g, 20)) {
		*list = (struct tiny_list){.count = 1, .items = {below(g, 3)}};
	} else if (percent(g, 30)) {
		list->count--;
	} else if (percent(g, 30) && list->count < TINY_LIST) {
		list->items[list->count++] = item; /* once more */
	} else {
		list->items[i] = list->items[list->count - 1];
		list->items[list->count - 1] = item;
	}
}

static void make_read(struct generator *g, const struct store *seen, const struct store *own,
                      struct tiny_op *op)
{
	int key = op->key;
	bool wrote = own->writer[key] != TINY_INITIAL, garbled = percent(g, g->noise);
	op->kind = ALIBI_READ;
	if (g->h->is_list[key]) {
		const struct tiny_list *then = &own->list[key];
		op->list = seen->list[key];
		for (int i = 0; i < then->count && op->list.count < TINY_LIST; i++)
			op->list.items[op->list.count++] = then->items[i];
		if (garbled)
			garble_list(g, &op->list);
	} else {
		op->value = wrote ? own->value[key] : seen->value[key];
		if (garbled)
			op->value = any_value(g);
	}
	op->has_from = g->names && percent(g, 60);
	op->from = wrote ? own->writer[key] : seen->writer[key];
	if (op->has_from && percent(g, 3))
		op->from = below(g, g->h->txn_count + 1) - 1; /* ids count from 0 */
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

static void take_effect(struct generator *g, const struct store *own, int session, unsigned view)
{
	struct store *now = &g->past[g->past_count];
	*now = g->past[g->past_count - 1];
	g->past_count++;
	add_effect(now, own);
	g->effects[g->effect_count] = *own;
	g->sessions_of[g->effect_count] = session;
	g->sees[g->effect_count] = view | 1u << g->effect_count;
	g->effect_count++;
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
	struct store seen = *state_to_read(g);
	t->id = id;
	t->alone = percent(g, 5);
	t->session = t->alone ? TINY_TXNS + id : below(g, g->sessions);
	t->op_count = TINY_OPS - below(g, TINY_OPS) * below(g, TINY_OPS) / (TINY_OPS - 1);
	unsigned view = look(g, t->session, 0);
	for (int i = 0; i < t->op_count; i++) {
		t->ops[i].key = below(g, g->keys);
		if (g->views == OF_MORE || g->views == OF_ANYBODY)
			view = look(g, t->session, view);
		if (g->views != OF_STATES)
			seen = show(g, view);
		else if (!g->snapshot)
			seen = *state_to_read(g);
		if (percent(g, g->reads))
			make_read(g, &seen, &own, &t->ops[i]);
		else
			make_write(g, id, &own, &t->ops[i]);
	}
	int die = below(g, 100);
	t->status = die < 8 ? ALIBI_ABORT : die < 20 ? ALIBI_UNKNOWN_STATUS : ALIBI_COMMIT;
	if (t->status == ALIBI_COMMIT || percent(g, t->status == ALIBI_ABORT ? 10 : 60))
		take_effect(g, &own, t->session, view);
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
	static const int inside[] = {15, 30, 50, 80};
	struct generator g = {.random = seed * 0x2545f4914f6cdd1du + index, .h = h, .fresh = FRESH};
	g.random = random_next(&g.random);
	memset(h, 0, sizeof *h);
	make_initial(&g);
	g.views = percent(&g, 40) ? OF_STATES : (enum views)below(&g, VIEWS);
	g.inside = inside[below(&g, 4)];
	g.reads = g.views == OF_STATES ? 50 : 45 + 10 * below(&g, 4);
	g.noise = g.views == OF_STATES ? 3 : below(&g, 3);
	g.keys = 1 + below(&g, TINY_KEYS);
	if (g.views != OF_STATES && g.keys == 1)
		g.keys = 2 + below(&g, TINY_KEYS - 1);
	g.sessions = 1 + below(&g, 5);
	g.stale = stale[below(&g, 4)];
	g.repeat = repeat[below(&g, 4)];
	g.snapshot = percent(&g, 50);
	g.times = percent(&g, 40);
	g.names = percent(&g, 15);
	h->no_sessions = percent(&g, 15);
	h->txn_count = TINY_TXNS - below(&g, TINY_TXNS) * below(&g, TINY_TXNS) / (TINY_TXNS - 1);
	if (g.views != OF_STATES && h->txn_count < 4)
		h->txn_count = TINY_TXNS;
	if (g.views != OF_STATES && g.sessions < 3)
		g.sessions += 2;
	for (int t = 0; t < h->txn_count; t++)
		make_txn(&g, &h->txns[t], t);
	if (percent(&g, 50))
		shuffle(&g);
}
