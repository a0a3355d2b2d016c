/* executions: see executions.h. */
#include "synth/executions.h"

#include "base/guard.h"
#include "history/render.h"
#include "synth/evaluate.h"
#include "verify/candidates.h"

#include <inttypes.h>
#include <string.h>

enum { CHOICES_MAX = 1 << 12 }; /* of writers, for all reads together */

struct choice {
	uint32_t txn, key;   /* of the skeleton */
	size_t first, count; /* of its candidates */
};

struct trial {
	struct pool *pool;
	const struct definition *d;
	const struct history *h;
	struct candidates candidates;
	bool session_order;
	const bool *part;                 /* by transaction; NULL: all */
	uint32_t txns[SKELETON_TXNS + 1]; /* of the history, by number */
	uint32_t keys[SKELETON_KEYS];     /* likewise */
	uint32_t unknown[SKELETON_TXNS];  /* transactions with unknown outcome that write … */
	uint32_t unknown_count;
	uint32_t committed_set; /* … and of these, the ones that are tried as committed */
	struct skeleton s;
	VEC(struct choice) choices;
	VEC(int8_t) writers; /* the candidates */
	bool impossible;     /* a read has none */
	const char *outside;
};

/* ---- what can be decided ---- */

static bool is_unknown_writer(const struct history *h, uint32_t txn)
{
	return h->txns[txn].status == ALIBI_UNKNOWN_STATUS && txn_writes(h, txn);
}

/* The number of a key; SKELETON_KEYS: it is one too many. */
static uint32_t key_number(struct trial *t, uint32_t key)
{
	for (uint32_t k = 0; k < t->s.keys; k++)
		if (t->keys[k] == key)
			return k;
	if (t->s.keys < SKELETON_KEYS)
		t->keys[t->s.keys] = key;
	return t->s.keys < SKELETON_KEYS ? t->s.keys++ : SKELETON_KEYS;
}

static const char *find_outside(struct trial *t)
{
	const struct history *h = t->h;
	uint32_t txns = 0;
	if (h->queries)
		return "formulas are about reads and writes of single keys, and the history has "
		       "queries";
	for (uint32_t i = 0; i < h->txn_count; i++) {
		bool unknown = is_unknown_writer(h, i);
		if ((t->part && !t->part[i]) || (!unknown && h->txns[i].status != ALIBI_COMMIT))
			continue;
		if (++txns > EXECUTIONS_TXNS)
			return text_format(t->pool,
			                   "formulas are evaluated of up to %d transactions, and "
			                   "the history has more",
			                   EXECUTIONS_TXNS);
		if (unknown)
			t->unknown[t->unknown_count++] = i;
		for (uint32_t op = h->txns[i].first_op; op < txn_op_end(h, i); op++) {
			if (h->key_is_list[op_key(h->ops[op])])
				return "formulas are about reads and writes of single keys, and "
				       "the history has lists";
			if (key_number(t, op_key(h->ops[op])) == SKELETON_KEYS)
				return text_format(t->pool,
				                   "formulas are evaluated of up to %d keys, and "
				                   "the history has more",
				                   SKELETON_KEYS);
		}
	}
	return NULL;
}

/* ---- one skeleton, with its choices open ---- */

static bool is_committed(const struct trial *t, uint32_t txn)
{
	for (uint32_t i = 0; i < t->unknown_count; i++)
		if (t->unknown[i] == txn)
			return t->committed_set >> i & 1;
	return t->h->txns[txn].status == ALIBI_COMMIT && (!t->part || t->part[txn]);
}

static void number_txns(struct trial *t)
{
	const struct history *h = t->h;
	t->s.txns = 0;
	for (uint32_t session = 0; session < h->session_count; session++) {
		uint32_t first = t->s.txns + 1; /* names the session */
		for (uint32_t i = h->session_first[session]; i < h->session_first[session + 1];
		     i++) {
			if (!is_committed(t, h->session_txns[i]))
				continue;
			uint32_t number = ++t->s.txns;
			t->txns[number] = h->session_txns[i];
			t->s.session[number] = (uint8_t)(t->session_order ? first : number);
		}
	}
}

static int8_t number_of(const struct trial *t, uint32_t txn)
{
	for (uint32_t number = 1; number <= t->s.txns; number++)
		if (t->txns[number] == txn)
			return (int8_t)number;
	return NOT_READ;
}

static void add_choice(struct trial *t, uint32_t number, uint32_t key, uint32_t op)
{
	struct choice made = {number, key, t->writers.count, 0};
	candidates_of_read(&t->candidates, op);
	for (size_t i = 0; t->part && i < t->candidates.found.count; i++)
		if (!t->part[t->candidates.found.items[i]])
			return; /* another transaction may have written it */
	if (t->candidates.initial)
		vec_push(t->pool, &t->writers, 0);
	for (size_t i = 0; i < t->candidates.found.count; i++) {
		int8_t writer = number_of(t, t->candidates.found.items[i]);
		if (writer != NOT_READ)
			vec_push(t->pool, &t->writers, writer);
	}
	made.count = t->writers.count - made.first;
	t->impossible |= !made.count;
	t->s.from[number][key] = 0;
	t->s.place[number][key] = (uint8_t)t->choices.count;
	vec_push(t->pool, &t->choices, made);
}

static bool read_alike(const struct history *h, uint32_t a, uint32_t b)
{
	uint32_t from_a, from_b;
	bool named_a = history_read_from(h, a, &from_a), named_b = history_read_from(h, b, &from_b);
	return h->ops[a].value == h->ops[b].value && named_a == named_b &&
	       (!named_a || from_a == from_b);
}

static void add_txn(struct trial *t, uint32_t number)
{
	const struct history *h = t->h;
	uint32_t txn = t->txns[number], last[SKELETON_KEYS] = {0}; /* operation of each key */
	bool seen[SKELETON_KEYS] = {0};
	for (uint32_t op = h->txns[txn].first_op; op < txn_op_end(h, txn); op++) {
		uint32_t key = key_number(t, op_key(h->ops[op]));
		if (op_writes(h->ops[op]))
			t->s.writes[number][key] = true;
		else if (h->txns[txn].status != ALIBI_COMMIT)
			continue;
		else if (t->s.writes[number][key])
			t->impossible |= h->ops[op].value != h->ops[last[key]].value;
		else if (!seen[key])
			add_choice(t, number, key, op);
		else if (!read_alike(h, op, last[key]))
			t->outside =
			        "a transaction reads a key twice, and not the same value, which "
			        "formulas cannot say";
		if (op_writes(h->ops[op]) || !t->s.writes[number][key])
			last[key] = op;
		seen[key] = true;
	}
}

static void start_skeleton(struct trial *t)
{
	t->s = (struct skeleton){.keys = t->s.keys};
	memset(t->s.from, NOT_READ, sizeof t->s.from);
	t->choices.count = t->writers.count = 0;
	t->impossible = false;
	number_txns(t);
	for (uint32_t number = 1; number <= t->s.txns; number++)
		add_txn(t, number);
	size_t choices = 1;
	for (size_t i = 0; i < t->choices.count && !t->impossible; i++)
		choices = choices > CHOICES_MAX ? choices : choices * t->choices.items[i].count;
	if (choices > CHOICES_MAX && !t->impossible)
		t->outside = "values were written more than once, and too many choices of whose "
		             "write each read saw remain";
}

/* ---- all of them ---- */

static bool try_choices(struct trial *t, size_t at, struct witness *w)
{
	if (at == t->choices.count)
		return evaluate_allows(t->pool, t->d, &t->s, w);
	struct choice c = t->choices.items[at];
	for (size_t i = 0; i < c.count; i++) {
		t->s.from[c.txn][c.key] = t->writers.items[c.first + i];
		if (try_choices(t, at + 1, w))
			return true;
	}
	return false;
}

static const char *witness_of(struct trial *t, const struct witness *w)
{
	const char *names[SKELETON_TXNS + 1] = {0};
	for (uint32_t number = 1; number <= t->s.txns; number++) {
		text_vec name = {0};
		text_add_txn(t->pool, &name, t->h, t->txns[number]);
		names[number] = text_string(t->pool, &name);
	}
	return witness_text(t->pool, &t->s, w, t->d->has_vis, names);
}

struct executions executions_of(struct pool *pool, const struct definition *d,
                                const struct history *h, bool session_order, const bool *part)
{
	struct trial *t = pool_zalloc(pool, sizeof *t);
	struct witness w;
	*t = (struct trial){
	        .pool = pool, .d = d, .h = h, .session_order = session_order, .part = part};
	t->outside = find_outside(t);
	if (!t->outside)
		candidates_init(&t->candidates, pool, h);
	struct executions found = {0};
	for (uint32_t set = 0; !t->outside && !found.allowed && set < 1u << t->unknown_count;
	     set++) {
		guard_tick(pool_guard(pool));
		t->committed_set = set;
		start_skeleton(t);
		found.txns = found.txns > t->s.txns ? found.txns : t->s.txns;
		found.allowed = !t->outside && !t->impossible && try_choices(t, 0, &w);
	}
	found.outside = found.allowed ? NULL : t->outside;
	found.witness = found.allowed ? witness_of(t, &w) : NULL;
	return found;
}
