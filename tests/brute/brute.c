/*
 * brute: decides a tiny history by trying all orders.
 *
 * A history holds if its committed transactions, and as many of the unknown ones as
 * one likes, can be put into an order of commits, one after another, such that each
 * transaction read, all at once, one of the states that this leaves behind:
 *
 *   ser    the state just before it;
 *   sser   the same, and who ended before another began comes before it;
 *   pc     any state before it that has all of its session's earlier transactions;
 *   si     the same, and no transaction that committed after that state and before it wrote
 *          a key that it wrote.
 *
 * rc, ra and cc have no common states: weak.c decides them.
 *
 * Where a start lies between two commits makes no difference to other transactions, so
 * this is what FORMAT.md and its oracle say with starts and commits as events.
 *
 * Written to be seen to be right. It shares nothing with the library. Cost: at most
 * all orders of seven transactions, and as a rule the reads leave few of them.
 */
#include "tiny.h"

#include <string.h>

static const struct brute_rules {
	const char *name;
	bool snapshot;   /* a transaction may read an older state than it commits on */
	bool noconflict; /* … but its keys were not written since */
	bool realtime;
	enum brute_visible visible; /* weak.c decides */
} levels[TINY_LEVELS] = {
        {.name = "rc", .visible = BRUTE_EARLIER},
        {.name = "ra", .visible = BRUTE_DIRECT},
        {.name = "cc", .visible = BRUTE_CAUSAL},
        {.name = "pc", .snapshot = true},
        {.name = "si", .snapshot = true, .noconflict = true},
        {.name = "ser"},
        {.name = "sser", .realtime = true},
};

/* What a key holds. A list only ever grows: its elements are the first `count` of
 * those in struct attempt. */
struct cell {
	int value, count;
	int writer; /* an id, or TINY_INITIAL */
};

/* The transactions placed so far, and what they left behind. */
struct attempt {
	const struct tiny *h;
	struct brute_rules rules;
	int placed;
	int order[TINY_TXNS];
	bool is_placed[TINY_TXNS];
	struct cell states[TINY_TXNS + 1][TINY_KEYS]; /* [n]: after n commits */
	int elements[TINY_KEYS][TINY_LIST];           /* of lists, after all of them */
};

/* ---- one transaction ---- */

static bool list_is(const struct tiny_list *list, const int *first, int first_count,
                    const int *then, int then_count)
{
	return list->count == first_count + then_count &&
	       !memcmp(list->items, first, (size_t)first_count * sizeof *first) &&
	       !memcmp(list->items + first_count, then, (size_t)then_count * sizeof *then);
}

/* Is what the transaction read what it must see if it reads from this state? */
static bool reads_agree(const struct attempt *a, const struct tiny_txn *t, const struct cell *state)
{
	struct cell now[TINY_KEYS]; /* as the transaction sees it */
	int own[TINY_KEYS][TINY_OPS], own_count[TINY_KEYS] = {0};
	memcpy(now, state, sizeof now);
	for (int i = 0; i < t->op_count; i++) {
		const struct tiny_op *op = &t->ops[i];
		struct cell *c = &now[op->key];
		if (op->kind == ALIBI_WRITE) {
			c->value = op->value;
			c->writer = t->id;
		} else if (op->kind == ALIBI_APPEND) {
			own[op->key][own_count[op->key]++] = op->value;
			c->writer = t->id;
		} else if (op->has_from && op->from != c->writer) {
			return false;
		} else if (a->h->is_list[op->key]) {
			if (!list_is(&op->list, a->elements[op->key], c->count, own[op->key],
			             own_count[op->key]))
				return false;
		} else if (op->value != c->value) {
			return false;
		}
	}
	return true;
}

static bool writes(const struct tiny_txn *t, int key)
{
	for (int i = 0; i < t->op_count; i++)
		if (t->ops[i].kind != ALIBI_READ && t->ops[i].key == key)
			return true;
	return false;
}

static bool write_one_key(const struct tiny_txn *t, const struct tiny_txn *u)
{
	for (int key = 0; key < TINY_KEYS; key++)
		if (writes(t, key) && writes(u, key))
			return true;
	return false;
}

/* ---- its place ---- */

/* Must u come before t, whatever was read? Never, if u is unknown. */
static bool comes_before(const struct attempt *a, int u, int t)
{
	const struct tiny_txn *first = &a->h->txns[u], *then = &a->h->txns[t];
	if (u == t || first->status != ALIBI_COMMIT)
		return false;
	if (!a->h->no_sessions && u < t && first->session == then->session)
		return true;
	return a->rules.realtime && first->has & ALIBI_HAS_END && then->has & ALIBI_HAS_BEGIN &&
	       first->end < then->begin;
}

/* Is there a state from which t can have read, if it commits now? */
static bool has_a_start(const struct attempt *a, int t)
{
	const struct tiny_txn *txn = &a->h->txns[t];
	for (int start = a->placed;; start--) {
		if (txn->status != ALIBI_COMMIT || reads_agree(a, txn, a->states[start]))
			return true;
		if (!start || !a->rules.snapshot)
			return false;
		int skipped = a->order[start - 1];
		if (comes_before(a, skipped, t))
			return false;
		if (a->rules.noconflict && write_one_key(&a->h->txns[skipped], txn))
			return false;
	}
}

static bool may_be_next(const struct attempt *a, int t)
{
	if (a->is_placed[t] || a->h->txns[t].status == ALIBI_ABORT)
		return false;
	for (int u = 0; u < a->h->txn_count; u++)
		if (!a->is_placed[u] && comes_before(a, u, t))
			return false;
	return has_a_start(a, t);
}

static void commit(struct attempt *a, int t)
{
	const struct tiny_txn *txn = &a->h->txns[t];
	struct cell *state = a->states[a->placed + 1];
	memcpy(state, a->states[a->placed], sizeof a->states[0]);
	for (int i = 0; i < txn->op_count; i++) {
		const struct tiny_op *op = &txn->ops[i];
		struct cell *c = &state[op->key];
		if (op->kind == ALIBI_READ)
			continue;
		c->writer = txn->id;
		if (op->kind == ALIBI_WRITE)
			c->value = op->value;
		else
			a->elements[op->key][c->count++] = op->value;
	}
	a->order[a->placed++] = t;
	a->is_placed[t] = true;
}

/* All orders that begin as this attempt does. */
static bool try_all(struct attempt *a)
{
	bool done = true;
	for (int t = 0; t < a->h->txn_count; t++)
		done &= a->is_placed[t] || a->h->txns[t].status != ALIBI_COMMIT;
	for (int t = 0; t < a->h->txn_count && !done; t++) {
		if (!may_be_next(a, t))
			continue;
		commit(a, t);
		done = try_all(a);
		a->placed--;
		a->is_placed[t] = false;
	}
	return done;
}

enum alibi_verdict brute(const struct tiny *h, int level)
{
	struct attempt a = {.h = h, .rules = levels[level]};
	bool any = false;
	for (int t = 0; t < h->txn_count; t++)
		any |= h->txns[t].status == ALIBI_COMMIT;
	if (!any)
		return ALIBI_UNKNOWN;
	if (a.rules.visible != BRUTE_STATE)
		return brute_weak(h, a.rules.visible) ? ALIBI_VALID : ALIBI_VIOLATES;
	for (int key = 0; key < TINY_KEYS; key++)
		a.states[0][key] = (struct cell){.value = h->initial[key], .writer = TINY_INITIAL};
	return try_all(&a) ? ALIBI_VALID : ALIBI_VIOLATES;
}

const char *brute_level(int level)
{
	return levels[level].name;
}
