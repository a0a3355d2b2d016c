/* visible: see visible.h. */
#include "verify/visible.h"

#include "base/guard.h"
#include "replay/visible.h"

/* At least one of its candidates is what the read found. */
bool visible_choices(struct refutation *r, struct step *s, const uint32_t *w, size_t n)
{
	if (n != 1 || !candidates_choices(&r->candidates, w[0]))
		return false;
	for (size_t i = 0; i < r->candidates.ends.count; i++)
		step_literal(r, s, w[0], CHOICE | (uint32_t)i);
	return true;
}

/* One edge, as it is written. */
struct claim {
	uint32_t from, why, op, choice;
	uint32_t path; /* CLAIM_SEEN: how many edges lead from `from` to the reader */
};

struct words {
	const uint32_t *at, *end;
};

static uint32_t take(struct words *w)
{
	return w->at < w->end ? *w->at++ : UINT32_MAX;
}

static struct claim take_claim(struct words *w)
{
	struct claim c = {.from = take(w), .why = take(w)};
	if (c.why != CLAIM_SESSION) {
		c.op = take(w);
		c.choice = take(w);
	}
	if (c.why == CLAIM_SEEN)
		c.path = take(w);
	return c;
}

/* Who wrote what the claim's read found; the sequence is in found. */
struct sequence {
	const uint32_t *txns;
	size_t count;
	uint32_t last; /* ID_NONE: the initial version */
};

static bool read_choice(struct refutation *r, struct step *s, const struct claim *c,
                        struct sequence *q)
{
	struct candidates *o = &r->candidates;
	if (!candidates_choices(o, c->op) || c->choice >= o->ends.count)
		return false;
	size_t first = c->choice ? o->ends.items[c->choice - 1] : 0;
	q->count = o->ends.items[c->choice] - first;
	q->txns = q->count ? o->found.items + first : NULL;
	q->last = q->count ? q->txns[q->count - 1] : ID_NONE;
	if (o->ends.count > 1)
		step_literal(r, s, CHOICE | c->choice, c->op); /* not this one */
	return true;
}

/* The appenders of a list come in its order, and all others after them. */
static bool by_list(struct refutation *r, const struct claim *c, const struct sequence *q,
                    uint32_t to)
{
	const struct op o = r->candidates.h->ops[c->op];
	bool listed = false;
	if (!q->count || !r->candidates.h->key_is_list[op_key(o)])
		return false;
	for (size_t i = 0; i < q->count; i++) {
		listed |= q->txns[i] == to;
		if (i + 1 < q->count && q->txns[i] == c->from && q->txns[i + 1] == to)
			return true;
	}
	return c->from == q->last && !listed && candidates_writes(&r->candidates, to, op_key(o));
}

/* An edge by which `to` sees `from`: session order, or a read. */
static bool sees(struct refutation *r, struct step *s, const struct claim *c, uint32_t to)
{
	const struct history *h = r->candidates.h;
	struct sequence q;
	if (!txn_counts(h, c->from) || !txn_counts(h, to))
		return false;
	if (c->why == CLAIM_SESSION)
		return !r->rules.no_session && c->from < to &&
		       h->txns[c->from].status == ALIBI_COMMIT &&
		       h->txns[c->from].session == h->txns[to].session;
	return c->why == CLAIM_READ && read_choice(r, s, c, &q) && q.last == c->from &&
	       history_txn_at(r->candidates.h, c->op) == to;
}

/* The path by which the reader of c sees c->from, as the level has it. */
static bool check_path(struct refutation *r, struct step *s, const struct claim *c, struct words *w)
{
	uint32_t reader = history_txn_at(r->candidates.h, c->op);
	struct claim edge = take_claim(w);
	if (edge.from != c->from || !c->path)
		return false;
	if (r->rules.visible != VISIBLE_CAUSAL && c->path > 1)
		return false;
	if (r->rules.visible == VISIBLE_EARLIER && (edge.why != CLAIM_READ || edge.op >= c->op))
		return false;
	for (uint32_t i = 1; i <= c->path; i++) {
		struct claim next = i < c->path ? take_claim(w) : (struct claim){.from = reader};
		guard_tick(r->candidates.guard);
		if (!sees(r, s, &edge, next.from))
			return false;
		edge = next;
	}
	return true;
}

/* Who wrote the key, and is seen by the reader, comes before what it read, and cannot be
 * seen at all if that is the initial version: *closed, nothing else is needed. */
static bool is_seen(struct refutation *r, struct step *s, const struct claim *c, struct words *w,
                    uint32_t *to)
{
	struct sequence q;
	if (!read_choice(r, s, c, &q))
		return false;
	uint32_t key = op_key(r->candidates.h->ops[c->op]), last = q.last;
	if (c->from == last || c->from == history_txn_at(r->candidates.h, c->op) ||
	    !candidates_writes(&r->candidates, c->from, key) || !check_path(r, s, c, w))
		return false;
	*to = last;
	return true;
}

bool visible_cycle(struct refutation *r, struct step *s, const uint32_t *words, size_t n)
{
	if (!n)
		return false;
	struct words w = {words, words + n};
	uint32_t first = words[0];
	while (w.at < w.end) {
		struct claim c = take_claim(&w);
		struct sequence q;
		uint32_t to;
		guard_tick(r->candidates.guard);
		if (c.why == CLAIM_SEEN) {
			if (!is_seen(r, s, &c, &w, &to))
				return false;
			if (to == ID_NONE) /* before all others */
				return w.at == w.end && c.from == first;
		}
		uint32_t next = w.at < w.end ? *w.at : first;
		if (c.why == CLAIM_SEEN   ? to != next
		    : c.why == CLAIM_LIST ? !read_choice(r, s, &c, &q) || !by_list(r, &c, &q, next)
		                          : !sees(r, s, &c, next))
			return false;
	}
	return true;
}

bool visible_order(struct pool *pool, const struct history *h, struct replay_rules rules,
                   const replay_event *events, size_t count, struct certificate *c, uint32_t *wrong)
{
	VEC(struct read_from) chosen = {0};
	struct read_from next = {0};
	while (c->at < c->end) {
		uint32_t op = next.op;
		if (!certificate_get_step(c, &next.op) || !certificate_get_step(c, &next.writer) ||
		    (chosen.count && next.op <= op))
			return false;
		vec_push(pool, &chosen, next);
	}
	return replay_visible(pool, h, rules, events, count, chosen.items, chosen.count, wrong);
}
