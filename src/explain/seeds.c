/* seeds: see seeds.h. */
#include "explain/seeds.h"

#include "base/guard.h"
#include "base/map.h"
#include "check/timestamps.h"
#include "format/certificate.h"
#include "verify/claims.h"
#include "verify/steps.h"

#include <assert.h>

enum { MISMATCHES_USED = 64 };

struct seeds {
	struct pool *pool;
	const struct history *h;
	bool *op;           /* by operation */
	bool *txn;          /* by transaction: it is involved */
	uint32_t *key;      /* by key: the last transaction, + 1, of which a read of it is a seed */
	bool *every;        /* by key: all who write it are involved */
	struct map written; /* by key and value: somebody involved read it */
	uint32_t mismatches;
};

static uint64_t key_and_value(uint32_t key, uint32_t value)
{
	return (uint64_t)(key + 1) << 32 | value;
}

static void involve(struct seeds *s, uint32_t txn)
{
	if (txn < s->h->txn_count)
		s->txn[txn] = true;
}

static void involve_read(struct seeds *s, uint32_t op)
{
	if (op < s->h->op_count && op_kind(s->h->ops[op]) == ALIBI_READ)
		s->op[op] = true;
}

static void involve_key(struct seeds *s, uint32_t key)
{
	if (key < atoms_count(&s->h->keys))
		s->every[key] = true;
}

/* ---- a refutation ---- */

/* What the words of a step are: an operation, a transaction, a key of which all writers
 * count, something else; the last letter stands for all that follow. */
static const char *const words_of[STEP_KINDS] = {
        [STEP_READ] = "ot-",       [STEP_CONFLICT] = "tt-", [STEP_LIST_MORE] = "o-t",
        [STEP_LIST_FEWER] = "o-t", [STEP_LIST_PAIR] = "o",  [STEP_LIST_PREFIX] = "ot",
        [STEP_LIST_WHOLE] = "ot",  [STEP_INT] = "ok",       [STEP_WRITER] = "o",
        [STEP_CHOICES] = "o",      [STEP_QUERY] = "okt-",
};

static void note_words(struct seeds *s, const char *kinds, const uint32_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (*kinds == 'o')
			involve_read(s, words[i]);
		else if (*kinds == 't')
			involve(s, words[i]);
		else if (*kinds == 'k')
			involve_key(s, words[i]);
		kinds += kinds[1] != 0;
	}
}

/* Events, each with why it comes before the next. */
static void note_cycle(struct seeds *s, const uint32_t *words, size_t count)
{
	for (size_t i = 0; i + 1 < count; i += 2) {
		involve(s, words[i] >> 1);
		if (words[i + 1] >= WHY_READ)
			involve_read(s, words[i + 1] - WHY_READ);
	}
}

/* Transactions, each with a claim; those of a path are written in the same way. */
static void note_seen_cycle(struct seeds *s, const uint32_t *words, size_t count)
{
	for (size_t i = 0; i + 1 < count;) {
		uint32_t why = words[i + 1];
		involve(s, words[i]);
		if (why != CLAIM_SESSION && i + 2 < count)
			involve_read(s, words[i + 2]);
		i += why == CLAIM_SESSION ? 2 : why == CLAIM_SEEN ? 5 : 4;
	}
}

static void seeds_of_steps(struct seeds *s, const alibi_result *result)
{
	struct certificate c;
	word_vec words = {0};
	uint32_t kind;
	if (!certificate_open(&c, result->certificate, result->certificate_length))
		return;
	while (certificate_get_words(&c, s->pool, &kind, &words)) {
		guard_tick(pool_guard(s->pool));
		if (!words.count)
			continue;
		assert(words.items);
		if (kind == STEP_CYCLE)
			note_cycle(s, words.items, words.count);
		else if (kind == STEP_SEEN_CYCLE)
			note_seen_cycle(s, words.items, words.count);
		else if (kind < STEP_KINDS && words_of[kind])
			note_words(s, words_of[kind], words.items, words.count);
	}
}

/* ---- a replay of timestamps ---- */

static bool note_mismatch(void *data, const struct mismatch *m)
{
	struct seeds *s = data;
	if (m->kind == MISMATCH_TIE)
		return true;
	involve(s, m->txn);
	involve(s, m->other);
	if (m->op != NO_OP)
		involve_read(s, m->op);
	if (m->op != NO_OP && query_at(s->h, m->op))
		involve_key(s, m->key);
	return ++s->mismatches < MISMATCHES_USED;
}

static void seeds_of_timestamps(struct seeds *s, const struct level *level)
{
	struct timestamp_order order = timestamp_order(s->pool, s->h, level->rules);
	if (!order.missing)
		replay(s->pool, s->h, level->rules, order.events, order.count, note_mismatch, s);
}

/* ---- what goes with them ---- */

static void want(struct seeds *s, uint32_t op)
{
	struct op o = s->h->ops[op];
	size_t count = 1;
	const uint32_t *items = &o.value;
	uint32_t writer;
	if (atoms_kind(&s->h->values, o.value) == ALIBI_LIST)
		items = atoms_items(&s->h->values, o.value, &count);
	for (size_t i = 0; i < count; i++) {
		map_put(s->pool, &s->written, key_and_value(op_key(o), items[i]), 0);
		guard_tick(pool_guard(s->pool));
	}
	if (history_read_from(s->h, op, &writer))
		involve(s, writer);
}

/* Reads that are seeds take the other reads of the key by the transaction along. A
 * transaction that is involved without them (it has a place in time) keeps one. */
static void widen_reads(struct seeds *s, uint32_t txn, bool wide)
{
	const struct history *h = s->h;
	uint32_t first = h->txns[txn].first_op, end = txn_op_end(h, txn);
	bool any = false, writes = false;
	for (uint32_t i = first; i < end; i++) {
		guard_tick(pool_guard(s->pool));
		writes |= op_writes(h->ops[i]);
		any |= s->op[i];
		if (s->op[i])
			s->key[op_key(h->ops[i])] = txn + 1;
	}
	if (!any && !s->txn[txn])
		return;
	if (!any && !writes && first < end)
		s->key[op_key(h->ops[first])] = txn + 1;
	for (uint32_t i = first; i < end; i++) {
		bool seed = wide || s->key[op_key(h->ops[i])] == txn + 1;
		if (op_kind(h->ops[i]) != ALIBI_READ || !seed)
			continue;
		s->op[i] = s->txn[txn] = true;
		want(s, i);
	}
}

static void add_writers(struct seeds *s)
{
	const struct history *h = s->h;
	for (uint32_t txn = 0, i = 0; txn < h->txn_count; txn++)
		for (; i < txn_op_end(h, txn); i++) {
			struct op o = h->ops[i];
			guard_tick(pool_guard(s->pool));
			if (op_writes(o) &&
			    (s->every[op_key(o)] ||
			     map_find(&s->written, key_and_value(op_key(o), o.value))))
				s->txn[txn] = true;
		}
}

bool *seeds_of(struct pool *pool, const struct history *h, const struct check_options *options,
               const alibi_result *result, bool wide)
{
	struct seeds s = {.pool = pool, .h = h};
	s.op = pool_zarray(pool, (size_t)h->op_count + 1, sizeof *s.op);
	s.txn = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *s.txn);
	s.key = pool_zarray(pool, atoms_count(&h->keys) + 1, sizeof *s.key);
	s.every = pool_zarray(pool, atoms_count(&h->keys) + 1, sizeof *s.every);
	if (options->order == ALIBI_ORDER_TIMESTAMPS)
		seeds_of_timestamps(&s, options->level);
	else if (result->certificate)
		seeds_of_steps(&s, result);
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		if (h->txns[txn].status == ALIBI_COMMIT) /* what others read binds nobody */
			widen_reads(&s, txn, wide);
	add_writers(&s);
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		for (uint32_t i = h->txns[txn].first_op; s.txn[txn] && i < txn_op_end(h, txn); i++)
			s.op[i] |= op_writes(h->ops[i]);
	return s.op;
}
