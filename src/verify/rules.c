/*
 * rules: see rules.h; docs/certificates.md says what each step claims.
 *
 * Below, v and w are transactions, reads_at() and writes_at() the events at which they
 * read and write.
 */
#include "verify/rules.h"

#include "base/guard.h"
#include "verify/queries.h"
#include "verify/steps.h"
#include "verify/visible.h"

#include <string.h>

void step_literal(struct judge *j, struct step *s, uint32_t before, uint32_t after)
{
	vec_push(j->origins.pool, &s->clause, ((struct literal){before, after}));
}

static bool check_read(struct judge *j, struct step *s, const uint32_t *w, size_t n)
{
	struct origins *o = &j->origins;
	bool initial;
	return n > 1 && origins_of(o, w[0], &initial) &&
	       queries_candidates(j, s, o->txn_of_op[w[0]], op_key(o->h->ops[w[0]]), initial, 1);
}

static bool check_conflict(struct judge *j, struct step *s, const uint32_t *w, size_t n)
{
	const uint32_t *left = w + 3;
	if (n < 3 || !j->rules.noconflict || w[0] == w[1] ||
	    !queries_writer(j, s, w[0], w[2], &left) || !queries_writer(j, s, w[1], w[2], &left) ||
	    left != w + n)
		return false;
	step_literal(j, s, writes_at(w[0]), reads_at(j, w[1]));
	step_literal(j, s, writes_at(w[1]), reads_at(j, w[0]));
	return true;
}

/* ---- lists ---- */

static bool is_among(const uint32_t *txns, size_t count, uint32_t txn)
{
	for (size_t i = 0; i < count; i++)
		if (txns[i] == txn)
			return true;
	return false;
}

static bool check_list_count(struct judge *j, struct step *s, const uint32_t *w, size_t n)
{
	struct origins *o = &j->origins;
	struct list_read r;
	size_t read = 0;
	bool more = s->kind == STEP_LIST_MORE;
	if (n < 2 || !origins_list(o, w[0], &r))
		return false;
	for (size_t i = 0; i < r.count; i++)
		read += r.items[i] == w[1];
	for (size_t i = 2; i < n; i++) {
		uint32_t reads = reads_at(j, r.reader), writes = writes_at(w[i]);
		if (!origins_writes(o, w[i], r.key) || w[i] == r.reader)
			return false;
		step_literal(j, s, more ? reads : writes, more ? writes : reads);
	}
	size_t there = origins_appends(o, &r, w[1], w + 2, n - 2, more);
	return more ? there > read : there < read;
}

static bool check_list_pair(struct judge *j, struct step *s, const uint32_t *w, size_t n)
{
	struct list_read a, b;
	if (n != 2 || !origins_list(&j->origins, w[0], &a) ||
	    !origins_list(&j->origins, w[1], &b) || a.key != b.key || a.reader == b.reader)
		return false;
	step_literal(j, s, reads_at(j, b.reader), reads_at(j, a.reader));
	return a.count > b.count ||
	       (a.count && memcmp(a.items, b.items, a.count * sizeof *a.items) != 0);
}

static bool check_list(struct judge *j, struct step *s, const uint32_t *w, size_t n)
{
	struct origins *o = &j->origins;
	struct list_read r;
	size_t at = 0;
	bool all = true, whole = s->kind == STEP_LIST_WHOLE;
	if (n < (whole ? 1 : 2) || !origins_list(o, w[0], &r))
		return false;
	for (size_t i = 1; i < n; i++) {
		if (!all || !origins_writes(o, w[i], r.key) || w[i] == r.reader)
			return false;
		at += origins_block(o, &r, at, w[i], &all);
		if (i > 1)
			step_literal(j, s, writes_at(w[i]), writes_at(w[i - 1]));
	}
	uint32_t last = n > 1 ? w[n - 1] : NO_TXN, reads = reads_at(j, r.reader);
	if (all && !(whole && (at < r.count || origins_named_other(o, &r, last))))
		return false;
	if (n > 1)
		step_literal(j, s, reads, writes_at(last));
	for (uint32_t t = 0; t < o->h->txn_count; t++) {
		guard_tick(o->guard);
		if (t != r.reader && origins_writes(o, t, r.key) && !is_among(w + 1, n - 1, t))
			step_literal(j, s, writes_at(t), whole ? reads : writes_at(last));
	}
	return true;
}

/* ---- cycles ---- */

/* Does the history itself say that event a is before event b? */
static bool by_history(const struct judge *j, uint32_t a, uint32_t b)
{
	const struct history *h = j->origins.h;
	uint32_t s = a >> 1, t = b >> 1;
	if (s == t)
		return j->rules.snapshot && a < b;
	return h->txns[s].status == ALIBI_COMMIT &&
	       ((!j->rules.no_session && s < t && h->txns[s].session == h->txns[t].session) ||
	        (j->rules.realtime && history_ended_before(h, s, t, j->rules.skew)));
}

/* Does the read say that event a is before event b, whatever the order? */
static bool by_read(struct judge *j, uint32_t op, uint32_t a, uint32_t b)
{
	struct origins *o = &j->origins;
	struct list_read r;
	bool initial;
	if (origins_of(o, op, &initial))
		return !initial && o->found.count == 1 && !o->perhaps.count &&
		       a == writes_at(o->found.items[0]) && b == reads_at(j, o->txn_of_op[op]);
	if (!origins_list(o, op, &r) || o->repeats[r.key] || !origins_of_list(o, &r))
		return false;
	for (size_t i = 0; i < o->found.count; i++) {
		bool last = i + 1 == o->found.count;
		if (a == writes_at(o->found.items[i]) &&
		    b == (last ? reads_at(j, r.reader) : writes_at(o->found.items[i + 1])))
			return true;
	}
	return false;
}

static bool check_cycle(struct judge *j, struct step *s, const uint32_t *w, size_t n)
{
	if (n < 2 || n % 2)
		return false;
	for (size_t i = 0; i < n; i += 2)
		if (!origins_takes_part(&j->origins, w[i] >> 1) ||
		    (!j->rules.snapshot && !(w[i] & 1)))
			return false;
	for (size_t i = 0; i < n; i += 2) {
		uint32_t a = w[i], b = w[(i + 2) % n], why = w[i + 1];
		guard_tick(j->origins.guard);
		if (why == WHY_LITERAL)
			step_literal(j, s, b, a);
		else if (why == WHY_BY_HISTORY ? !by_history(j, a, b)
		                               : !by_read(j, why - WHY_READ, a, b))
			return false;
	}
	return true;
}

/* ---- reads that nothing explains ---- */

struct wanted_int {
	uint32_t op, key;
	bool found;
};

static bool note_int(void *data, const struct mismatch *m)
{
	struct wanted_int *wanted = data;
	wanted->found |= m->kind == MISMATCH_INT && m->op == wanted->op && m->key == wanted->key;
	return true;
}

/* The kernel knows what INT is: it replays this transaction alone. */
static bool check_int(struct judge *j, struct step *s, const uint32_t *w, size_t n)
{
	(void)s;
	struct origins *o = &j->origins;
	uint32_t own;
	if (n < 1 || n > 2 || !origins_is_read(o, w[0], &own))
		return false;
	struct wanted_int wanted = {w[0], n > 1 ? w[1] : op_key(o->h->ops[w[0]]), false};
	replay_event alone = event_of(o->txn_of_op[w[0]], true, false);
	replay(o->pool, o->h, (struct replay_rules){.unrepeatable = j->rules.unrepeatable}, &alone,
	       1, note_int, &wanted);
	return wanted.found;
}

static bool check_writer(struct judge *j, struct step *s, const uint32_t *w, size_t n)
{
	(void)s;
	struct origins *o = &j->origins;
	struct list_read r;
	bool initial;
	if (n != 1)
		return false;
	if (origins_of(o, w[0], &initial))
		return !initial && !o->found.count && !o->perhaps.count;
	if (!origins_list(o, w[0], &r) || o->repeats[r.key])
		return false;
	return !origins_of_list(o, &r) ||
	       origins_named_other(o, &r, r.count ? o->found.items[o->found.count - 1] : NO_TXN);
}

static bool (*const checks[STEP_KINDS])(struct judge *, struct step *, const uint32_t *, size_t) = {
        [STEP_READ] = check_read,
        [STEP_CONFLICT] = check_conflict,
        [STEP_LIST_MORE] = check_list_count,
        [STEP_LIST_FEWER] = check_list_count,
        [STEP_LIST_PAIR] = check_list_pair,
        [STEP_LIST_PREFIX] = check_list,
        [STEP_LIST_WHOLE] = check_list,
        [STEP_CYCLE] = check_cycle,
        [STEP_INT] = check_int,
        [STEP_WRITER] = check_writer,
        [STEP_CHOICES] = visible_choices,
        [STEP_SEEN_CYCLE] = visible_cycle,
        [STEP_QUERY] = queries_check,
        [STEP_MET] = queries_check_met,
};

bool rules_check(struct judge *j, struct step *s)
{
	bool of_choices = s->kind == STEP_CHOICES || s->kind == STEP_SEEN_CYCLE;
	bool of_all = s->kind == STEP_INT || s->kind == STEP_LIST_FEWER;
	s->clause.count = 0;
	return s->kind < STEP_KINDS && checks[s->kind] &&
	       (of_all || of_choices == (j->rules.visible != VISIBLE_STATE)) &&
	       checks[s->kind](j, s, s->words.items, s->words.count);
}
