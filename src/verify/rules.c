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

static bool check_read(struct refutation *r, struct step *s, const uint32_t *w, size_t n)
{
	return n > 1 && candidates_of_read(&r->candidates, w[0]) && queries_candidates(r, s, 1);
}

static bool check_conflict(struct refutation *r, struct step *s, const uint32_t *w, size_t n)
{
	const uint32_t *left = w + 3;
	if (n < 3 || !r->rules.noconflict || w[0] == w[1] ||
	    !queries_writer(r, s, w[0], w[2], &left) || !queries_writer(r, s, w[1], w[2], &left) ||
	    left != w + n)
		return false;
	step_literal(r, s, writes_at(w[0]), reads_at(r, w[1]));
	step_literal(r, s, writes_at(w[1]), reads_at(r, w[0]));
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

/* How often did these transactions, which rise, append the element; or, if not `these`, all
 * others? The reader does not count. */
static size_t appends(const struct refutation *r, const struct list_read *l, uint32_t element,
                      const uint32_t *txns, size_t count, bool these)
{
	const struct keyed *a = final_writes_of(&r->candidates.final_writes, l->key, element);
	size_t sum = 0, next = 0;
	for (; a->key == radix_pair(l->key, element); a++) {
		guard_tick(r->candidates.guard);
		while (next < count && txns[next] < a->item)
			next++;
		bool is_one = next < count && txns[next] == a->item;
		sum += a->item != l->reader && is_one == these;
	}
	return sum;
}

static bool check_list_count(struct refutation *r, struct step *s, const uint32_t *w, size_t n)
{
	struct list_read l;
	size_t read = 0;
	bool more = s->kind == STEP_LIST_MORE;
	if (n < 2 || !candidates_list(&r->candidates, w[0], &l))
		return false;
	for (size_t i = 0; i < l.count; i++)
		read += l.items[i] == w[1];
	for (size_t i = 2; i < n; i++) {
		uint32_t reads = reads_at(r, l.reader), writes = writes_at(w[i]);
		if (!candidates_writes(&r->candidates, w[i], l.key) || w[i] == l.reader)
			return false;
		step_literal(r, s, more ? reads : writes, more ? writes : reads);
	}
	size_t there = appends(r, &l, w[1], w + 2, n - 2, more);
	return more ? there > read : there < read;
}

static bool check_list_pair(struct refutation *r, struct step *s, const uint32_t *w, size_t n)
{
	struct list_read a, b;
	if (n != 2 || !candidates_list(&r->candidates, w[0], &a) ||
	    !candidates_list(&r->candidates, w[1], &b) || a.key != b.key || a.reader == b.reader)
		return false;
	step_literal(r, s, reads_at(r, b.reader), reads_at(r, a.reader));
	return a.count > b.count ||
	       (a.count && memcmp(a.items, b.items, a.count * sizeof *a.items) != 0);
}

static bool check_list(struct refutation *r, struct step *s, const uint32_t *w, size_t n)
{
	const struct candidates *c = &r->candidates;
	struct list_read l;
	size_t at = 0;
	bool all = true, whole = s->kind == STEP_LIST_WHOLE;
	if (n < (whole ? 1 : 2) || !candidates_list(c, w[0], &l))
		return false;
	for (size_t i = 1; i < n; i++) {
		if (!all || !candidates_writes(c, w[i], l.key) || w[i] == l.reader)
			return false;
		at += candidates_block(c, &l, at, w[i], &all);
		if (i > 1)
			step_literal(r, s, writes_at(w[i]), writes_at(w[i - 1]));
	}
	uint32_t last = n > 1 ? w[n - 1] : ID_NONE, reads = reads_at(r, l.reader);
	bool from_other = !l.own && !read_may_be_from(c->h, l.op, last);
	if (all && !(whole && (at < l.count || from_other)))
		return false;
	if (n > 1)
		step_literal(r, s, reads, writes_at(last));
	for (uint32_t t = 0; t < c->h->txn_count; t++) {
		guard_tick(c->guard);
		if (t != l.reader && candidates_writes(c, t, l.key) && !is_among(w + 1, n - 1, t))
			step_literal(r, s, writes_at(t), whole ? reads : writes_at(last));
	}
	return true;
}

/* ---- cycles ---- */

/* Does the history itself say that event a is before event b? */
static bool by_history(const struct refutation *r, uint32_t a, uint32_t b)
{
	const struct history *h = r->candidates.h;
	uint32_t s = a >> 1, t = b >> 1;
	if (s == t)
		return r->rules.snapshot && a < b;
	return h->txns[s].status == ALIBI_COMMIT &&
	       ((!r->rules.no_session && s < t && h->txns[s].session == h->txns[t].session) ||
	        (r->rules.realtime && history_ended_before(h, s, t, r->rules.skew)));
}

/* Does the read say that event a is before event b, whatever the order? */
static bool by_read(struct refutation *r, uint32_t op, uint32_t a, uint32_t b)
{
	struct candidates *c = &r->candidates;
	struct list_read l;
	if (candidates_of_read(c, op))
		return !c->initial && c->found.count == 1 && !c->perhaps.count &&
		       a == writes_at(c->found.items[0]) && b == reads_at(r, c->asked.reader);
	if (!candidates_list(c, op, &l))
		return false;
	candidates_sequences(c, &l);
	for (size_t i = 0; c->ends.count == 1 && i < c->found.count; i++) {
		bool last = i + 1 == c->found.count;
		if (a == writes_at(c->found.items[i]) &&
		    b == (last ? reads_at(r, l.reader) : writes_at(c->found.items[i + 1])))
			return true;
	}
	return false;
}

static bool check_cycle(struct refutation *r, struct step *s, const uint32_t *w, size_t n)
{
	if (n < 2 || n % 2)
		return false;
	for (size_t i = 0; i < n; i += 2)
		if (!txn_counts(r->candidates.h, w[i] >> 1) || (!r->rules.snapshot && !(w[i] & 1)))
			return false;
	for (size_t i = 0; i < n; i += 2) {
		uint32_t a = w[i], b = w[(i + 2) % n], why = w[i + 1];
		guard_tick(r->candidates.guard);
		if (why == WHY_LITERAL)
			step_literal(r, s, b, a);
		else if (why == WHY_BY_HISTORY ? !by_history(r, a, b)
		                               : !by_read(r, why - WHY_READ, a, b))
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
static bool check_int(struct refutation *r, struct step *s, const uint32_t *w, size_t n)
{
	(void)s;
	const struct history *h = r->candidates.h;
	uint32_t own;
	if (n < 1 || n > 2 || !candidates_is_read(&r->candidates, w[0], &own))
		return false;
	struct wanted_int wanted = {w[0], n > 1 ? w[1] : op_key(h->ops[w[0]]), false};
	replay_event alone = event_of(history_txn_at(h, w[0]), true, false);
	replay(r->candidates.pool, h, (struct replay_rules){.unrepeatable = r->rules.unrepeatable},
	       &alone, 1, note_int, &wanted);
	return wanted.found;
}

static bool check_writer(struct refutation *r, struct step *s, const uint32_t *w, size_t n)
{
	(void)s;
	struct candidates *c = &r->candidates;
	struct list_read l;
	if (n != 1)
		return false;
	if (candidates_of_read(c, w[0]))
		return !c->initial && !c->found.count && !c->perhaps.count;
	if (!candidates_list(c, w[0], &l))
		return false;
	candidates_sequences(c, &l);
	return !c->ends.count;
}

static bool (*const checks[STEP_KINDS])(struct refutation *, struct step *, const uint32_t *,
                                        size_t) = {
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

bool rules_check(struct refutation *r, struct step *s)
{
	bool of_choices = s->kind == STEP_CHOICES || s->kind == STEP_SEEN_CYCLE;
	bool of_all = s->kind == STEP_INT || s->kind == STEP_LIST_FEWER;
	s->clause.count = 0;
	return s->kind < STEP_KINDS && checks[s->kind] &&
	       (of_all || of_choices == (r->rules.visible != VISIBLE_STATE)) &&
	       checks[s->kind](r, s, s->words.items, s->words.count);
}
