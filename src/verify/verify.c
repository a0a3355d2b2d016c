/* verify: see verify.h, and steps.h for what each step claims. */
#include "verify/verify.h"

#include "base/guard.h"
#include "base/map.h"
#include "base/radix.h"
#include "history/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct literal {
	uint32_t before, after;
};

struct verifier {
	struct pool *pool;
	struct guard *guard;
	const struct history *h;
	const struct verify_rules *rules;
	const unsigned char *at, *end;

	uint32_t *txn_of_op;
	struct keyed *writes; /* final writes and appends of who is not aborted, by key and value */
	size_t write_count;
	bool *repeats; /* by key: a list with an element that was appended twice */

	VEC(uint32_t) words; /* of the step at hand */
	VEC(struct literal) clause;
	VEC(struct literal) clauses; /* of all steps … */
	VEC(uint64_t) first;         /* … each from here on */
	struct map beliefs;          /* pairs of events: 2 stamp + (the lower number comes first) */
	uint32_t stamp;              /* of the learnt clause at hand */
	VEC(uint32_t) found;         /* transactions: candidates, or appenders of a list */
};

/* ---- the history ---- */

static bool takes_part(const struct verifier *v, uint32_t txn)
{
	return txn < v->h->txn_count && v->h->txns[txn].status != ALIBI_ABORT;
}

static uint32_t reads_at(const struct verifier *v, uint32_t txn)
{
	return v->rules->replay.snapshot ? 2 * txn : 2 * txn + 1;
}

static uint32_t writes_at(uint32_t txn)
{
	return 2 * txn + 1;
}

static uint64_t key_value(uint32_t key, uint32_t value)
{
	return (uint64_t)key << 32 | value;
}

/* A write is final if the transaction does not write the key again. */
static void index_writes(struct verifier *v)
{
	const struct history *h = v->h;
	uint32_t *last = pool_zarray(v->pool, atoms_count(&h->keys) + 1, sizeof *last);
	v->txn_of_op = pool_array(v->pool, (size_t)h->op_count + 1, sizeof *v->txn_of_op);
	v->writes = pool_array(v->pool, (size_t)h->op_count + 1, sizeof *v->writes);
	v->repeats = pool_zarray(v->pool, atoms_count(&h->keys) + 1, sizeof *v->repeats);
	for (uint32_t t = 0; t < h->txn_count; t++) {
		for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t); op++) {
			v->txn_of_op[op] = t;
			if (op_writes(h->ops[op]))
				last[op_key(h->ops[op])] = op;
		}
		for (uint32_t op = h->txns[t].first_op; op < txn_op_end(h, t) && takes_part(v, t);
		     op++) {
			uint32_t key = op_key(h->ops[op]);
			if (op_writes(h->ops[op]) && (h->key_is_list[key] || last[key] == op))
				v->writes[v->write_count++] =
				        (struct keyed){key_value(key, h->ops[op].value), t};
			guard_tick(v->guard);
		}
	}
	radix_sort(v->pool, v->writes, v->write_count);
	for (size_t i = 1; i < v->write_count; i++)
		if (v->writes[i - 1].key == v->writes[i].key)
			v->repeats[v->writes[i].key >> 32] = true;
	pool_free(v->pool, last);
}

/* Where the writes of this value to this key begin. */
static size_t writes_from(const struct verifier *v, uint64_t wanted)
{
	return radix_find(v->writes, v->write_count, wanted);
}

/* Does txn write the key at all? */
static bool writes_key(const struct verifier *v, uint32_t txn, uint32_t key)
{
	if (!takes_part(v, txn))
		return false;
	for (uint32_t op = v->h->txns[txn].first_op; op < txn_op_end(v->h, txn); op++)
		if (op_writes(v->h->ops[op]) && op_key(v->h->ops[op]) == key)
			return true;
	return false;
}

/* A read of a committed transaction; *own: its own appends to the list before it,
 * or 1 for an own write. */
static bool committed_read(const struct verifier *v, uint32_t op, uint32_t *own)
{
	const struct history *h = v->h;
	if (op >= h->op_count || op_kind(h->ops[op]) != ALIBI_READ ||
	    h->txns[v->txn_of_op[op]].status != ALIBI_COMMIT)
		return false;
	*own = 0;
	for (uint32_t i = h->txns[v->txn_of_op[op]].first_op; i < op; i++)
		*own += op_writes(h->ops[i]) && op_key(h->ops[i]) == op_key(h->ops[op]);
	return true;
}

/* Fills v->found with the candidates of an external read of a register, in the
 * order of the history; *initial: the initial version is one too. */
static bool candidates(struct verifier *v, uint32_t op, bool *initial)
{
	const struct history *h = v->h;
	uint32_t own, named, before = NO_TXN;
	if (!committed_read(v, op, &own) || own || h->key_is_list[op_key(h->ops[op])])
		return false;
	uint64_t wanted = key_value(op_key(h->ops[op]), h->ops[op].value);
	bool has_named = history_read_from(h, op, &named);
	*initial = history_initial(h, op_key(h->ops[op])) == h->ops[op].value &&
	           (!has_named || named == NO_TXN);
	v->found.count = 0;
	for (size_t i = writes_from(v, wanted); i < v->write_count && v->writes[i].key == wanted;
	     i++) {
		uint32_t txn = v->writes[i].item;
		if (txn != v->txn_of_op[op] && txn != before && (!has_named || txn == named))
			vec_push(v->pool, &v->found, txn);
		before = txn;
	}
	return true;
}

/* Does txn append to key exactly what follows at items? Returns how many. */
static size_t appends_match(const struct verifier *v, uint32_t txn, uint32_t key,
                            const uint32_t *items, size_t count, bool *all)
{
	size_t matched = 0;
	*all = true;
	for (uint32_t op = v->h->txns[txn].first_op; op < txn_op_end(v->h, txn) && *all; op++) {
		if (!op_writes(v->h->ops[op]) || op_key(v->h->ops[op]) != key)
			continue;
		*all = matched < count && items[matched] == v->h->ops[op].value;
		matched += *all;
	}
	return matched;
}

/* The external part of a list that was read. */
static bool list_read(const struct verifier *v, uint32_t op, const uint32_t **items, size_t *count)
{
	uint32_t own;
	if (!committed_read(v, op, &own) || !v->h->key_is_list[op_key(v->h->ops[op])])
		return false;
	*items = atoms_items(&v->h->values, v->h->ops[op].value, count);
	if (*count < own)
		return false;
	*count -= own;
	return true;
}

/* Fills v->found with the appenders of a list whose elements are unique; false:
 * there is no such sequence of whole appends. */
static bool appenders(struct verifier *v, uint32_t op, const uint32_t *items, size_t count)
{
	uint32_t key = op_key(v->h->ops[op]);
	v->found.count = 0;
	for (size_t at = 0, block; at < count; at += block) {
		uint64_t wanted = key_value(key, items[at]);
		size_t i = writes_from(v, wanted);
		bool all;
		guard_tick(v->guard);
		if (i == v->write_count || v->writes[i].key != wanted ||
		    v->writes[i].item == v->txn_of_op[op])
			return false;
		block = appends_match(v, v->writes[i].item, key, items + at, count - at, &all);
		if (!all || !block)
			return false;
		vec_push(v->pool, &v->found, v->writes[i].item);
	}
	return true;
}

/* The transaction that must have written a list last, if the database named it. */
static bool named_otherwise(const struct verifier *v, uint32_t op, uint32_t last)
{
	uint32_t named, own;
	return committed_read(v, op, &own) && !own && history_read_from(v->h, op, &named) &&
	       named != last;
}

/* ---- steps ---- */

static void literal(struct verifier *v, uint32_t before, uint32_t after)
{
	vec_push(v->pool, &v->clause, ((struct literal){before, after}));
}

static bool check_read(struct verifier *v, const uint32_t *w, size_t n)
{
	bool initial, blocked = n > 1 && w[1] != STEP_NOBODY;
	if (n < 2 || !candidates(v, w[0], &initial) || v->found.count != n - 2)
		return false;
	uint32_t r = reads_at(v, v->txn_of_op[w[0]]);
	if (blocked ? !writes_key(v, w[1], op_key(v->h->ops[w[0]])) || w[1] == v->txn_of_op[w[0]]
	            : initial)
		return false;
	if (blocked)
		literal(v, r, writes_at(w[1]));
	for (size_t i = 0; i < v->found.count; i++) {
		uint32_t c = v->found.items[i];
		if (c == w[1])
			return false;
		if (!blocked || w[i + 2])
			literal(v, writes_at(c), r);
		else
			literal(v, writes_at(w[1]), writes_at(c));
	}
	return true;
}

static bool check_conflict(struct verifier *v, const uint32_t *w, size_t n)
{
	if (n != 3 || !v->rules->replay.noconflict || w[0] == w[1] || !writes_key(v, w[0], w[2]) ||
	    !writes_key(v, w[1], w[2]))
		return false;
	literal(v, writes_at(w[0]), reads_at(v, w[1]));
	literal(v, writes_at(w[1]), reads_at(v, w[0]));
	return true;
}

static bool check_list_after(struct verifier *v, const uint32_t *w, size_t n)
{
	const uint32_t *items;
	size_t count;
	if (n != 2 || !list_read(v, w[0], &items, &count) || v->repeats[op_key(v->h->ops[w[0]])] ||
	    !appenders(v, w[0], items, count) || !writes_key(v, w[1], op_key(v->h->ops[w[0]])) ||
	    w[1] == v->txn_of_op[w[0]])
		return false;
	for (size_t i = 0; i < v->found.count; i++)
		if (v->found.items[i] == w[1])
			return false;
	literal(v, reads_at(v, v->txn_of_op[w[0]]), writes_at(w[1]));
	return true;
}

static bool check_list(struct verifier *v, const uint32_t *w, size_t n, bool whole)
{
	const uint32_t *items;
	size_t count, at = 0;
	bool all = true;
	if (!n || !list_read(v, w[0], &items, &count) || (!whole && n < 2))
		return false;
	uint32_t key = op_key(v->h->ops[w[0]]), reader = v->txn_of_op[w[0]],
	         r = reads_at(v, reader);
	for (size_t i = 1; i < n; i++) {
		if (!all || !writes_key(v, w[i], key) || w[i] == reader)
			return false;
		at += appends_match(v, w[i], key, items + at, count - at, &all);
		if (i > 1)
			literal(v, writes_at(w[i]), writes_at(w[i - 1]));
	}
	uint32_t last = n > 1 ? w[n - 1] : NO_TXN;
	bool wrong = !all || (whole && (at < count || named_otherwise(v, w[0], last)));
	if (!wrong)
		return false;
	if (n > 1)
		literal(v, r, writes_at(last));
	uint32_t before = NO_TXN;
	for (uint32_t t = 0; t < v->h->txn_count; t++) {
		bool listed = t == reader || !writes_key(v, t, key);
		for (size_t i = 1; i < n && !listed; i++)
			listed = w[i] == t;
		guard_tick(v->guard);
		if (!listed && t != before)
			literal(v, writes_at(t), whole ? r : writes_at(last));
	}
	return true;
}

/* Does the history itself say that event a is before event b? */
static bool by_history(const struct verifier *v, uint32_t a, uint32_t b)
{
	const struct history *h = v->h;
	uint32_t s = a >> 1, t = b >> 1;
	if (s == t)
		return v->rules->replay.snapshot && a < b;
	if (h->txns[s].status != ALIBI_COMMIT)
		return false;
	if (v->rules->session && s < t && h->txns[s].session == h->txns[t].session)
		return true;
	return v->rules->replay.realtime && h->times && h->txns[s].has & ALIBI_HAS_END &&
	       h->txns[t].has & ALIBI_HAS_BEGIN && h->times[s].end < h->times[t].begin;
}

/* Does the read say that event a is before event b, whatever the order? */
static bool by_read(struct verifier *v, uint32_t op, uint32_t a, uint32_t b)
{
	const uint32_t *items;
	size_t count;
	bool initial;
	if (candidates(v, op, &initial))
		return !initial && v->found.count == 1 && a == writes_at(v->found.items[0]) &&
		       b == reads_at(v, v->txn_of_op[op]);
	if (!list_read(v, op, &items, &count) || v->repeats[op_key(v->h->ops[op])] ||
	    !appenders(v, op, items, count))
		return false;
	for (size_t i = 0; i < v->found.count; i++) {
		bool last = i + 1 == v->found.count;
		uint32_t next =
		        last ? reads_at(v, v->txn_of_op[op]) : writes_at(v->found.items[i + 1]);
		if (a == writes_at(v->found.items[i]) && b == next)
			return true;
	}
	return false;
}

static bool is_event(const struct verifier *v, uint32_t e)
{
	return takes_part(v, e >> 1) && (v->rules->replay.snapshot || e & 1);
}

static bool check_cycle(struct verifier *v, const uint32_t *w, size_t n)
{
	if (n < 2 || n % 2)
		return false;
	for (size_t i = 0; i < n; i += 2)
		if (!is_event(v, w[i]))
			return false;
	for (size_t i = 0; i < n; i += 2) {
		uint32_t a = w[i], b = w[(i + 2) % n], why = w[i + 1];
		guard_tick(v->guard);
		if (why == WHY_LITERAL)
			literal(v, b, a);
		else if (why == WHY_BY_HISTORY ? !by_history(v, a, b)
		                               : !by_read(v, why - WHY_READ, a, b))
			return false;
	}
	return true;
}

/* ---- learnt clauses ---- */

/* 1: true, -1: false, 0: open. */
static int truth(const struct verifier *v, struct literal l)
{
	const uint32_t *b = map_find(&v->beliefs, map_pair(l.before, l.after));
	if (!b || *b >> 1 != v->stamp)
		return 0;
	return (*b & 1) == (l.before < l.after) ? 1 : -1;
}

static void believe(struct verifier *v, struct literal l)
{
	*map_put(v->pool, &v->beliefs, map_pair(l.before, l.after), 0) =
	        v->stamp << 1 | (l.before < l.after);
}

/* Follows one hint; 1: it leaves nothing, 0: it left one literal, -1: it fails. */
static int follow(struct verifier *v, uint32_t step)
{
	uint64_t first = v->first.items[step], end = v->first.items[step + 1];
	struct literal open = {0, 0};
	uint32_t count = 0;
	for (uint64_t i = first; i < end; i++) {
		int value = truth(v, v->clauses.items[i]);
		guard_tick(v->guard);
		if (value > 0)
			return -1;
		if (!value) {
			open = v->clauses.items[i];
			count++;
		}
	}
	if (count == 1)
		believe(v, open);
	return count > 1 ? -1 : count ? 0 : 1;
}

static bool check_learnt(struct verifier *v, const uint32_t *w, size_t n)
{
	size_t literals = n ? w[0] : 0;
	if (!n || literals > (n - 1) / 2)
		return false;
	v->stamp++;
	for (size_t i = 0; i < literals; i++) {
		struct literal l = {w[1 + 2 * i], w[2 + 2 * i]}, not = {l.after, l.before};
		if (l.before == l.after || truth(v, not ) < 0)
			return false;
		literal(v, l.before, l.after);
		believe(v, not );
	}
	for (size_t i = 1 + 2 * literals; i < n; i++) {
		if (w[i] + 1 >= v->first.count)
			return false;
		int left = follow(v, w[i]);
		if (left)
			return left > 0;
	}
	return false;
}

/* ---- steps that need no others ---- */

struct wanted_int {
	uint32_t op;
	bool found;
};

static bool note_int(void *data, const struct mismatch *m)
{
	struct wanted_int *wanted = data;
	wanted->found |= m->kind == MISMATCH_INT && m->op == wanted->op;
	return true;
}

/* The kernel knows what INT is: it replays this transaction alone. */
static bool check_int(struct verifier *v, const uint32_t *w, size_t n)
{
	uint32_t own;
	if (n != 1 || !committed_read(v, w[0], &own))
		return false;
	struct wanted_int wanted = {w[0], false};
	replay_event alone = event_of(v->txn_of_op[w[0]], true, false);
	replay(v->pool, v->h, (struct replay_rules){0}, &alone, 1, note_int, &wanted);
	return wanted.found;
}

static bool check_writer(struct verifier *v, const uint32_t *w, size_t n)
{
	const uint32_t *items;
	size_t count;
	bool initial;
	if (n != 1)
		return false;
	if (candidates(v, w[0], &initial))
		return !initial && !v->found.count;
	if (!list_read(v, w[0], &items, &count))
		return false;
	uint32_t key = op_key(v->h->ops[w[0]]);
	for (size_t i = 0; i < count; i++) {
		uint64_t wanted = key_value(key, items[i]);
		size_t at = writes_from(v, wanted);
		if (at == v->write_count || v->writes[at].key != wanted)
			return true;
	}
	if (v->repeats[key])
		return false;
	return !appenders(v, w[0], items, count) ||
	       named_otherwise(v, w[0], count ? v->found.items[v->found.count - 1] : NO_TXN);
}

static bool check_step(struct verifier *v, uint32_t kind)
{
	const uint32_t *w = v->words.items;
	size_t n = v->words.count;
	v->clause.count = 0;
	switch (kind) {
	case STEP_READ:
		return check_read(v, w, n);
	case STEP_CONFLICT:
		return check_conflict(v, w, n);
	case STEP_LIST_AFTER:
		return check_list_after(v, w, n);
	case STEP_LIST_PREFIX:
	case STEP_LIST_WHOLE:
		return check_list(v, w, n, kind == STEP_LIST_WHOLE);
	case STEP_CYCLE:
		return check_cycle(v, w, n);
	case STEP_LEARNT:
		return check_learnt(v, w, n);
	case STEP_INT:
		return check_int(v, w, n);
	case STEP_WRITER:
		return check_writer(v, w, n);
	default:
		return false;
	}
}

/* ---- the certificate ---- */

static bool number(struct verifier *v, uint32_t *n)
{
	uint64_t value = 0;
	for (unsigned shift = 0; v->at < v->end && shift < 35; shift += 7) {
		unsigned char byte = *v->at++;
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) {
			*n = (uint32_t)value;
			return value <= UINT32_MAX;
		}
	}
	return false;
}

static const char *refuse(struct verifier *v, const char *what, uint64_t place)
{
	char text[128];
	int n = snprintf(text, sizeof text, "%s %" PRIu64 " does not hold", what, place);
	return pool_text(v->pool, text, (size_t)n);
}

static const char *check_steps(struct verifier *v)
{
	index_writes(v);
	for (;;) {
		uint32_t kind, count, word;
		size_t step = v->first.count;
		vec_push(v->pool, &v->first, v->clauses.count);
		if (!number(v, &kind) || !number(v, &count) || count > (size_t)(v->end - v->at))
			return "the certificate is cut off, or ends without a contradiction";
		v->words.count = 0;
		while (v->words.count < count) {
			if (!number(v, &word))
				return "the certificate is cut off";
			vec_push(v->pool, &v->words, word);
		}
		if (!check_step(v, kind))
			return refuse(v, "step", step + 1);
		if (!v->clause.count)
			return v->at == v->end ? NULL : "something follows the contradiction";
		for (size_t i = 0; i < v->clause.count; i++)
			vec_push(v->pool, &v->clauses, v->clause.items[i]);
	}
}

static bool no_mismatch(void *data, const struct mismatch *m)
{
	*(uint32_t *)data = m->txn;
	return false;
}

static const char *check_order(struct verifier *v)
{
	VEC(replay_event) events = {0};
	uint32_t event = 0, delta, wrong;
	struct replay_rules rules = v->rules->replay;
	rules.no_session = !v->rules->session;
	while (v->at < v->end) {
		if (!number(v, &delta))
			return "the certificate is cut off";
		event += delta & 1 ? ~(delta >> 1) : delta >> 1;
		if (event >> 1 >= v->h->txn_count)
			return refuse(v, "event", events.count + 1);
		vec_push(v->pool, &events, event_of(event >> 1, event & 1, false));
	}
	if (!replay(v->pool, v->h, rules, events.items, events.count, no_mismatch, &wrong))
		return refuse(v, "what the order says of transaction", wrong + 1);
	return NULL;
}

const char *verify(struct pool *pool, const struct history *h, const struct verify_rules *rules,
                   const unsigned char *bytes, size_t length, enum alibi_verdict *verdict)
{
	static const char *const names[] = {"valid", "violates"};
	struct verifier v = {.pool = pool_child(pool),
	                     .guard = pool_guard(pool),
	                     .h = h,
	                     .rules = rules,
	                     .end = bytes + length};
	struct digest d = history_digest(h);
	guard_stage(v.guard, "verifying", 0);
	for (int i = 0; i < 2; i++) {
		char line[160];
		int n = snprintf(line, sizeof line, VERIFY_HEADER, rules->level,
		                 rules->session ? "on" : "off", d.high, d.low, names[i]);
		if (length < (size_t)n || memcmp(bytes, line, (size_t)n) != 0)
			continue;
		v.at = bytes + n;
		const char *why = i ? check_steps(&v) : check_order(&v);
		if (!why)
			*verdict = i ? ALIBI_VIOLATES : ALIBI_VALID;
		else
			why = pool_text(pool, why, strlen(why));
		pool_release(v.pool);
		return why;
	}
	pool_release(v.pool);
	return "it is not a certificate of this version for this history at this level";
}
