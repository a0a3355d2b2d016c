/* evidence: see evidence.h. */
#include "explain/evidence.h"

#include "base/guard.h"
#include "base/ids.h"
#include "base/map.h"
#include "check/by_timestamps.h"
#include "check/timestamps.h"
#include "format/certificate.h"
#include "verify/claims.h"
#include "verify/steps.h"

#include <assert.h>

enum { MISMATCHES_USED = 64 };

struct evidence {
	struct pool *pool;
	const struct history *h;
	bool *op;           /* by operation: included */
	bool *txn;          /* by transaction: involved */
	uint32_t *key;      /* by key: the last transaction, + 1, with an included read of it */
	bool *all_writers;  /* by key: all its writers are involved */
	struct map written; /* by key and value: an involved transaction read it */
	uint32_t mismatches;
	bool only_int; /* other mismatches prove nothing (stamps_decide()) */
};

static uint64_t key_and_value(uint32_t key, uint32_t value)
{
	return (uint64_t)(key + 1) << 32 | value;
}

static void involve(struct evidence *e, uint32_t txn)
{
	if (txn < e->h->txn_count)
		e->txn[txn] = true;
}

static void involve_read(struct evidence *e, uint32_t op)
{
	if (op < e->h->op_count && op_kind(e->h->ops[op]) == ALIBI_READ)
		e->op[op] = true;
}

static void involve_writers_of(struct evidence *e, uint32_t key)
{
	if (key < atoms_count(&e->h->keys))
		e->all_writers[key] = true;
}

/* ---- a refutation ---- */

/* What each word of a step is: an (o)peration, a (t)ransaction, a (k)ey whose writers are all
 * involved, or nothing of interest. The last letter applies to all words that follow. */
static const char *const step_words[STEP_KINDS] = {
        [STEP_READ] = "ot-",       [STEP_CONFLICT] = "tt-", [STEP_LIST_MORE] = "o-t",
        [STEP_LIST_FEWER] = "o-t", [STEP_LIST_PAIR] = "o",  [STEP_LIST_PREFIX] = "ot",
        [STEP_LIST_WHOLE] = "ot",  [STEP_INT] = "ok",       [STEP_WRITER] = "o",
        [STEP_CHOICES] = "o",      [STEP_QUERY] = "okt-",
};

static void add_words(struct evidence *e, const char *kinds, const uint32_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (*kinds == 'o')
			involve_read(e, words[i]);
		else if (*kinds == 't')
			involve(e, words[i]);
		else if (*kinds == 'k')
			involve_writers_of(e, words[i]);
		kinds += kinds[1] != 0;
	}
}

/* Events, each with the reason why it precedes the next. */
static void add_cycle(struct evidence *e, const uint32_t *words, size_t count)
{
	for (size_t i = 0; i + 1 < count; i += 2) {
		involve(e, words[i] >> 1);
		if (words[i + 1] >= WHY_READ)
			involve_read(e, words[i + 1] - WHY_READ);
	}
}

/* Transactions, each with a claim. Paths have the same layout. */
static void add_visibility_cycle(struct evidence *e, const uint32_t *words, size_t count)
{
	for (size_t i = 0; i + 1 < count;) {
		uint32_t why = words[i + 1];
		involve(e, words[i]);
		if (why != CLAIM_SESSION && i + 2 < count)
			involve_read(e, words[i + 2]);
		i += why == CLAIM_SESSION ? 2 : why == CLAIM_SEEN ? 5 : 4;
	}
}

static void from_refutation(struct evidence *e, const alibi_result *result)
{
	struct certificate c;
	word_vec words = {0};
	uint32_t kind;
	if (!certificate_open(&c, result->certificate, result->certificate_length))
		return;
	while (certificate_get_words(&c, e->pool, &kind, &words)) {
		guard_tick(pool_guard(e->pool));
		if (!words.count)
			continue;
		assert(words.items);
		if (kind == STEP_CYCLE)
			add_cycle(e, words.items, words.count);
		else if (kind == STEP_SEEN_CYCLE)
			add_visibility_cycle(e, words.items, words.count);
		else if (kind < STEP_KINDS && step_words[kind])
			add_words(e, step_words[kind], words.items, words.count);
	}
}

/* ---- a replay of timestamps ---- */

static bool add_mismatch(void *data, const struct mismatch *m)
{
	struct evidence *e = data;
	if (m->kind == MISMATCH_TIE || (e->only_int && m->kind != MISMATCH_INT))
		return true;
	involve(e, m->txn);
	involve(e, m->other);
	if (m->op != ID_NONE)
		involve_read(e, m->op);
	if (m->op != ID_NONE && query_at(e->h, m->op))
		involve_writers_of(e, m->key);
	return ++e->mismatches < MISMATCHES_USED;
}

static void from_timestamps(struct evidence *e, const struct check_options *options)
{
	struct replay_rules rules = check_rules(options).replay;
	struct timestamp_order order = timestamp_order(e->pool, e->h, rules);
	e->only_int = !stamps_decide(rules, options->stamp_meaning);
	if (!order.missing)
		replay(e->pool, e->h, rules, order.events, order.count, add_mismatch, e);
}

/* ---- related operations ---- */

static void include_writers(struct evidence *e, uint32_t op)
{
	struct op o = e->h->ops[op];
	size_t count = 1;
	const uint32_t *items = &o.value;
	uint32_t writer;
	if (atoms_kind(&e->h->values, o.value) == ALIBI_LIST)
		items = atoms_items(&e->h->values, o.value, &count);
	for (size_t i = 0; i < count; i++) {
		map_put(e->pool, &e->written, key_and_value(op_key(o), items[i]), 0);
		guard_tick(pool_guard(e->pool));
	}
	if (history_read_from(e->h, op, &writer))
		involve(e, writer);
}

/* An included read brings along the transaction's other reads of the key. A transaction that
 * is involved without reads or writes (for its place in time) keeps one operation. */
static void widen_reads(struct evidence *e, uint32_t txn, bool wide)
{
	const struct history *h = e->h;
	uint32_t first = h->txns[txn].first_op, end = txn_op_end(h, txn);
	bool any = false, writes = false;
	for (uint32_t i = first; i < end; i++) {
		guard_tick(pool_guard(e->pool));
		writes |= op_writes(h->ops[i]);
		any |= e->op[i];
		if (e->op[i])
			e->key[op_key(h->ops[i])] = txn + 1;
	}
	if (!any && !e->txn[txn])
		return;
	if (!any && !writes && first < end)
		e->key[op_key(h->ops[first])] = txn + 1;
	for (uint32_t i = first; i < end; i++) {
		bool included = wide || e->key[op_key(h->ops[i])] == txn + 1;
		if (op_kind(h->ops[i]) != ALIBI_READ || !included)
			continue;
		e->op[i] = e->txn[txn] = true;
		include_writers(e, i);
	}
}

static void add_writers(struct evidence *e)
{
	const struct history *h = e->h;
	for (uint32_t txn = 0, i = 0; txn < h->txn_count; txn++)
		for (; i < txn_op_end(h, txn); i++) {
			struct op o = h->ops[i];
			guard_tick(pool_guard(e->pool));
			if (op_writes(o) &&
			    (e->all_writers[op_key(o)] ||
			     map_find(&e->written, key_and_value(op_key(o), o.value))))
				e->txn[txn] = true;
		}
}

static struct evidence evidence_start(struct pool *pool, const struct history *h)
{
	struct evidence e = {.pool = pool, .h = h};
	e.op = pool_zarray(pool, (size_t)h->op_count + 1, sizeof *e.op);
	e.txn = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *e.txn);
	e.key = pool_zarray(pool, atoms_count(&h->keys) + 1, sizeof *e.key);
	e.all_writers = pool_zarray(pool, atoms_count(&h->keys) + 1, sizeof *e.all_writers);
	return e;
}

static bool *evidence_end(struct evidence *e, bool wide)
{
	const struct history *h = e->h;
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		if (h->txns[txn].status == ALIBI_COMMIT) /* other reads constrain nothing */
			widen_reads(e, txn, wide);
	add_writers(e);
	for (uint32_t txn = 0; txn < h->txn_count; txn++)
		for (uint32_t i = h->txns[txn].first_op; e->txn[txn] && i < txn_op_end(h, txn); i++)
			e->op[i] |= op_writes(h->ops[i]);
	return e->op;
}

bool *evidence_ops(struct pool *pool, const struct history *h, const struct check_options *options,
                   const alibi_result *result, bool wide)
{
	struct evidence e = evidence_start(pool, h);
	if (options->order == ALIBI_ORDER_TIMESTAMPS)
		from_timestamps(&e, options);
	else if (result->certificate)
		from_refutation(&e, result);
	return evidence_end(&e, wide);
}

bool *evidence_around(struct pool *pool, const struct history *h, const uint32_t *ops, size_t count)
{
	struct evidence e = evidence_start(pool, h);
	for (size_t i = 0; i < count; i++)
		involve(&e, history_txn_at(h, ops[i]));
	return evidence_end(&e, true);
}
