/* verify: see verify.h. This file: the certificate, and what follows from earlier steps. */
#include "verify/verify.h"

#include "base/guard.h"
#include "base/map.h"
#include "verify/rules.h"
#include "verify/steps.h"
#include "verify/visible.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct verifier {
	struct pool *pool;
	const struct history *h;
	struct certificate c;
	struct refutation refutation;
	struct step step;            /* at hand */
	VEC(struct literal) clauses; /* of all steps … */
	VEC(uint64_t) first;         /* … each from here on */
	struct map beliefs;          /* pairs of numbers: 2 stamp + (the lower comes first) */
	uint32_t stamp;              /* of the learnt clause at hand */
};

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
	struct literal open = {0, 0};
	uint32_t count = 0;
	for (uint64_t i = v->first.items[step]; i < v->first.items[step + 1]; i++) {
		int value = truth(v, v->clauses.items[i]);
		guard_tick(pool_guard(v->pool));
		if (value > 0)
			return -1;
		if (!value && (!count || open.before != v->clauses.items[i].before ||
		               open.after != v->clauses.items[i].after)) {
			open = v->clauses.items[i];
			count++;
		}
	}
	if (count == 1)
		believe(v, open);
	return count > 1 ? -1 : count ? 0 : 1;
}

/* If its literals are false, each hinted clause leaves one literal, until one leaves none. */
static bool check_learnt(struct verifier *v)
{
	const uint32_t *w = v->step.words.items;
	size_t n = v->step.words.count, literals = n ? w[0] : 0;
	if (!n || literals > (n - 1) / 2)
		return false;
	v->stamp++;
	v->step.clause.count = 0;
	for (size_t i = 0; i < literals; i++) {
		struct literal l = {w[1 + 2 * i], w[2 + 2 * i]}, not = {l.after, l.before};
		if (l.before == l.after || truth(v, not ) < 0)
			return false;
		step_literal(&v->refutation, &v->step, l.before, l.after);
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

/* ---- the certificate ---- */

static const char *refuse(struct verifier *v, const char *what, uint64_t place)
{
	char text[128];
	int n = snprintf(text, sizeof text, "%s %" PRIu64 " does not hold", what, place);
	return pool_text(v->pool, text, (size_t)n);
}

static const char unknown_change[] =
        "the history has an update of which it is not known what it changed";

static const char *check_steps(struct verifier *v)
{
	candidates_init(&v->refutation.candidates, v->pool, v->h);
	if (!v->refutation.candidates.opaque.complete)
		return unknown_change;
	for (;;) {
		vec_push(v->pool, &v->first, v->clauses.count);
		if (!certificate_get_words(&v->c, v->pool, &v->step.kind, &v->step.words))
			return "the certificate is cut off, or ends without a contradiction";
		if (v->step.kind == STEP_LEARNT ? !check_learnt(v)
		                                : !rules_check(&v->refutation, &v->step))
			return refuse(v, "step", v->first.count);
		if (!v->step.clause.count)
			return v->c.at == v->c.end ? NULL : "something follows the contradiction";
		for (size_t i = 0; i < v->step.clause.count; i++)
			vec_push(v->pool, &v->clauses, v->step.clause.items[i]);
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
	struct replay_rules rules = v->refutation.rules;
	uint32_t event = 0, count, wrong = 0;
	if (!certificate_get(&v->c, &count) || count > (size_t)(v->c.end - v->c.at))
		return "the certificate is cut off";
	while (events.count < count) {
		if (!certificate_get_step(&v->c, &event) || event >> 1 >= v->h->txn_count)
			return refuse(v, "event", events.count + 1);
		vec_push(v->pool, &events, event_of(event >> 1, event & 1, false));
	}
	if (rules.visible != VISIBLE_STATE && v->h->queries)
		return "what queries should find is not defined at this level";
	bool holds =
	        rules.visible == VISIBLE_STATE
	                ? v->c.at == v->c.end && replay(v->pool, v->h, rules, events.items, count,
	                                                no_mismatch, &wrong)
	                : visible_order(v->pool, v->h, rules, events.items, count, &v->c, &wrong);
	return holds ? NULL : refuse(v, "what the order says of transaction", wrong + 1);
}

const char *verify(struct pool *pool, const struct history *h, const struct verify_rules *rules,
                   const unsigned char *bytes, size_t length, enum alibi_verdict *verdict)
{
	struct verifier v = {.pool = pool_child(pool), .h = h, .refutation.rules = rules->replay};
	struct digest d = history_digest(h);
	const char *why = "it is a certificate of another history, or at another level";
	guard_stage(pool_guard(pool), "verifying", 0);
	if (!certificate_open(&v.c, bytes, length))
		why = "it is not a certificate that this version reads";
	else if (!strcmp(v.c.level, rules->level) && v.c.session == !rules->replay.no_session &&
	         v.c.clocks == rules->replay.realtime && v.c.skew == rules->replay.skew &&
	         v.c.digest.high == d.high && v.c.digest.low == d.low)
		why = has_opaque(h) && rules->replay.visible != VISIBLE_STATE ? unknown_change
		      : v.c.valid                                             ? check_order(&v)
		                                                              : check_steps(&v);
	if (why)
		why = pool_text(pool, why, strlen(why));
	else
		*verdict = v.c.valid ? ALIBI_VALID : ALIBI_VIOLATES;
	pool_release(v.pool);
	return why;
}
