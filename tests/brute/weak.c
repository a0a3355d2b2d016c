/*
 * weak: decides a tiny history at the levels that have no common state, by trying all
 * orders of commits and, for every read, all who can have written what it found.
 *
 * A transaction sees some of those before it. Of the writers of a key that it sees
 * none is behind the one it reads from. It sees
 *
 *   rc   those from which it has read before;
 *   ra   those from which it reads, and those before it in its session;
 *   cc   those, those that these see, and so on.
 *
 * A read of a list shows the first appenders of the key, in the order of commits, and
 * reads from the last of them. A read finds what its transaction wrote; one that finds
 * the same as the last read of the key before it is no other read, unless the database
 * named the writer; and at all levels but rc it does find the same.
 *
 * As in brute.c, who is placed is never behind who comes later, so all this is known of
 * a transaction when it is placed. Nothing is shared with the library.
 */
#include "tiny.h"

#include <string.h>

struct want {
	int key, value;
	struct tiny_list list;
	bool has_from;
	int from;
};

/* What a transaction did, own writes taken out of its reads. */
struct deed {
	int want_count;
	struct want wants[TINY_OPS];
	bool writes[TINY_KEYS];
	int value[TINY_KEYS]; /* of registers: its final one */
	struct tiny_list list[TINY_KEYS];
};

struct attempt {
	const struct tiny *h;
	enum brute_visible visible;
	struct deed deeds[TINY_TXNS];
	int placed;
	int order[TINY_TXNS];
	int place[TINY_TXNS]; /* from 1; 0: not placed */
	/* by transaction: bits, the transactions it sees at the end, itself too */
	unsigned sees[TINY_TXNS];
};

/* ---- what transactions did ---- */

static bool same_list(const struct tiny_list *a, const struct tiny_list *b)
{
	return a->count == b->count &&
	       !memcmp(a->items, b->items, (size_t)a->count * sizeof a->items[0]);
}

/* Takes the own elements off the end. */
static bool strip(struct tiny_list *list, const struct tiny_list *own)
{
	if (list->count < own->count)
		return false;
	list->count -= own->count;
	return !memcmp(list->items + list->count, own->items,
	               (size_t)own->count * sizeof own->items[0]);
}

static const struct want *last_want(const struct deed *d, int key)
{
	const struct want *last = NULL;
	for (int i = 0; i < d->want_count; i++)
		if (d->wants[i].key == key)
			last = &d->wants[i];
	return last;
}

/* False: the transaction contradicts itself. */
static bool note_read(const struct attempt *a, struct deed *d, const struct tiny_txn *t,
                      const struct tiny_op *op)
{
	struct want w = {.key = op->key, .value = op->value, .list = op->list};
	bool list = a->h->is_list[op->key], own = d->writes[op->key];
	const struct want *last = last_want(d, op->key);
	if (own && op->has_from && op->from != t->id)
		return false;
	if (own && !list)
		return op->value == d->value[op->key];
	if (list && !strip(&w.list, &d->list[op->key]))
		return false;
	w.has_from = op->has_from && !own;
	w.from = op->from;
	if (last) {
		bool same = list ? same_list(&last->list, &w.list) : last->value == w.value;
		if (!same && a->visible != BRUTE_EARLIER)
			return false;
		if (same && !w.has_from)
			return true;
	}
	d->wants[d->want_count++] = w;
	return true;
}

/* Reads of an unknown transaction are no evidence. */
static bool note_txn(struct attempt *a, int t)
{
	const struct tiny_txn *txn = &a->h->txns[t];
	struct deed *d = &a->deeds[t];
	for (int i = 0; i < txn->op_count; i++) {
		const struct tiny_op *op = &txn->ops[i];
		if (op->kind == ALIBI_READ) {
			if (txn->status == ALIBI_COMMIT && !note_read(a, d, txn, op))
				return false;
			continue;
		}
		d->writes[op->key] = true;
		d->value[op->key] = op->value;
		if (op->kind == ALIBI_APPEND)
			d->list[op->key].items[d->list[op->key].count++] = op->value;
	}
	return true;
}

/* ---- who can have been read from ---- */

/* Is w, which is placed or TINY_INITIAL, a candidate writer of this read? */
static bool can_be_from(const struct attempt *a, const struct want *want, int w)
{
	if (want->has_from && want->from != (w == TINY_INITIAL ? TINY_INITIAL : a->h->txns[w].id))
		return false;
	if (w != TINY_INITIAL && !a->deeds[w].writes[want->key])
		return false;
	if (!a->h->is_list[want->key])
		return want->value == (w == TINY_INITIAL ? a->h->initial[want->key]
		                                         : a->deeds[w].value[want->key]);
	struct tiny_list there = {0};
	for (int i = 0; w != TINY_INITIAL && i < a->place[w]; i++) {
		const struct tiny_list *more = &a->deeds[a->order[i]].list[want->key];
		for (int j = 0; j < more->count; j++)
			there.items[there.count++] = more->items[j];
	}
	return same_list(&there, &want->list);
}

static bool before_in_session(const struct attempt *a, int u, int t)
{
	const struct tiny_txn *first = &a->h->txns[u], *then = &a->h->txns[t];
	return !a->h->no_sessions && u < t && first->session == then->session &&
	       first->status == ALIBI_COMMIT;
}

/* ---- all orders, all choices ---- */

static bool try_all(struct attempt *a);

static bool is_behind(const struct attempt *a, unsigned seen, int key, int w)
{
	for (int u = 0; u < a->h->txn_count; u++)
		if (seen >> u & 1 && a->deeds[u].writes[key] &&
		    a->place[u] > (w == TINY_INITIAL ? 0 : a->place[w]))
			return true;
	return false;
}

/* The transactions that t sees when it makes its read number `at`, having read from these. */
static unsigned seen_by(const struct attempt *a, int t, const int *from, int at)
{
	unsigned seen = 0;
	for (int u = 0; a->visible != BRUTE_EARLIER && u < a->h->txn_count; u++)
		if (before_in_session(a, u, t))
			seen |= a->visible == BRUTE_CAUSAL ? a->sees[u] : 1u << u;
	for (int i = 0; i < (a->visible == BRUTE_EARLIER ? at : a->deeds[t].want_count); i++)
		if (from[i] != TINY_INITIAL)
			seen |= a->visible == BRUTE_CAUSAL ? a->sees[from[i]] : 1u << from[i];
	return seen;
}

/* t has read from these: does that hold, and what comes then? */
static bool try_choice(struct attempt *a, int t, const int *from)
{
	const struct deed *d = &a->deeds[t];
	for (int i = 0; i < d->want_count; i++)
		if (is_behind(a, seen_by(a, t, from, i), d->wants[i].key, from[i]))
			return false;
	a->sees[t] = seen_by(a, t, from, 0) | 1u << t;
	a->order[a->placed++] = t;
	a->place[t] = a->placed;
	bool done = try_all(a);
	a->placed--;
	a->place[t] = 0;
	return done;
}

static bool try_choices(struct attempt *a, int t, int *from, int at)
{
	if (at == TINY_OPS || at == a->deeds[t].want_count)
		return try_choice(a, t, from);
	for (int i = -1; i < a->placed; i++) {
		from[at] = i < 0 ? TINY_INITIAL : a->order[i];
		if (can_be_from(a, &a->deeds[t].wants[at], from[at]) &&
		    try_choices(a, t, from, at + 1))
			return true;
	}
	return false;
}

static bool may_be_next(const struct attempt *a, int t)
{
	if (a->place[t] || a->h->txns[t].status == ALIBI_ABORT)
		return false;
	for (int u = 0; u < a->h->txn_count; u++)
		if (!a->place[u] && before_in_session(a, u, t))
			return false;
	return true;
}

static bool try_all(struct attempt *a)
{
	int from[TINY_OPS];
	bool done = true;
	for (int t = 0; t < a->h->txn_count; t++)
		done &= a->place[t] || a->h->txns[t].status != ALIBI_COMMIT;
	for (int t = 0; t < a->h->txn_count && !done; t++)
		done = may_be_next(a, t) && try_choices(a, t, from, 0);
	return done;
}

bool brute_weak(const struct tiny *h, enum brute_visible visible)
{
	struct attempt a = {.h = h, .visible = visible};
	for (int t = 0; t < h->txn_count; t++)
		if (!note_txn(&a, t))
			return false;
	return try_all(&a);
}
