/* refutation: see refutation.h. */
#include "check/refutation.h"

#include "check/describe.h"
#include "history/render.h"
#include "verify/claims.h"

#include <assert.h>

enum { SHOWN_TXNS = 8, SHOWN_ITEMS = 8 };

static const char no_writer[] = "no other transaction that may have committed left this value "
                                "there; if it was there before the test, declare it as initial";

struct naming {
	struct pool *pool;
	const struct history *h;
	text_vec *t;
	bool *named; /* by transaction */
	uint32_t count;
};

static void name_txn(struct naming *n, uint32_t txn)
{
	if (txn >= n->h->txn_count || n->named[txn])
		return;
	n->named[txn] = true;
	if (n->count++ < SHOWN_TXNS) {
		text_addf(n->pool, n->t, n->count > 1 ? ", " : " between transactions ");
		text_add_value(n->pool, n->t, history_txn_id(n->h, txn));
	}
}

/* The number of words of the edge at the start of these, in a step of STEP_SEEN_CYCLE. */
static uint32_t edge_words(const uint32_t *words)
{
	return words[1] == CLAIM_SESSION ? 2 : words[1] == CLAIM_SEEN ? 5 : 4;
}

static void name_txns_of_step(struct naming *n, const struct proof_step *s, const uint32_t *words)
{
	const uint32_t *end = words + s->count;
	switch (s->kind) {
	case STEP_CYCLE:
		for (; words < end; words += 2)
			name_txn(n, words[0] >> 1);
		break;
	case STEP_SEEN_CYCLE:
		for (; words < end; words += edge_words(words))
			name_txn(n, words[0]);
		break;
	case STEP_QUERY:
		name_txn(n, history_txn_at(n->h, words[0]));
		name_txn(n, words[2]); /* STEP_NOBODY: the initial version */
		break;
	case STEP_LIST_PAIR:
		name_txn(n, history_txn_at(n->h, words[0]));
		name_txn(n, history_txn_at(n->h, words[1]));
		break;
	case STEP_MET:
		name_txn(n, words[0]);
		name_txn(n, words[3]);
		break;
	default:
		break;
	}
}

/* Each transaction of the proof once. */
static void name_txns(struct pool *pool, const struct history *h, const struct proof *p,
                      text_vec *t)
{
	struct naming n = {.pool = pool, .h = h, .t = t};
	n.named = pool_zarray(pool, (size_t)h->txn_count + 1, sizeof *n.named);
	for (size_t i = 0; i < p->steps.count; i++)
		name_txns_of_step(&n, &p->steps.items[i],
		                  p->words.items + p->steps.items[i].offset);
	if (n.count > SHOWN_TXNS)
		text_addf(pool, t, " and %u more", n.count - SHOWN_TXNS);
	pool_free(pool, n.named);
}

static void say_query(struct pool *pool, const struct history *h, const struct proof_step *last,
                      const uint32_t *words, text_vec *t)
{
	text_addf(pool, t, "%s looked for ", describe_txn(pool, h, history_txn_at(h, words[0])));
	text_add_query(pool, t, h, query_at(h, words[0]));
	text_addf(pool, t, ", and its result at key %s %s",
	          render_value(pool, atoms_value(&h->keys, words[1])),
	          last->kind == STEP_INT
	                  ? "is not what it had written there before"
	                  : "matches nothing that any transaction can have left there");
}

static void say_read(struct pool *pool, const struct history *h, const struct proof_step *last,
                     uint32_t op, text_vec *t)
{
	text_addf(pool, t, "%s read key %s and found ",
	          describe_txn(pool, h, history_txn_at(h, op)),
	          render_value(pool, atoms_value(&h->keys, op_key(h->ops[op]))));
	text_add_atom(pool, t, h, h->ops[op].value, SHOWN_ITEMS);
	if (last->kind == STEP_INT)
		text_addf(pool, t, ", which is not what it had read or written before");
	else
		text_addf(pool, t, ", but %s", no_writer);
}

const char *refutation_text(struct pool *pool, const struct history *h, const struct proof *p)
{
	assert(p->steps.items && p->steps.count);
	const struct proof_step *last = &p->steps.items[p->steps.count - 1];
	const uint32_t *words = p->words.items + last->offset;
	text_vec t = {0};
	if (last->kind == STEP_QUERY || (last->kind == STEP_INT && last->count > 1)) {
		say_query(pool, h, last, words, &t);
	} else if (last->kind == STEP_INT || last->kind == STEP_WRITER ||
	           last->kind == STEP_CHOICES || last->kind == STEP_LIST_FEWER) {
		const char *no_match = describe_no_match(pool, h, words[0]);
		if (no_match && last->kind == STEP_INT)
			return no_match;
		say_read(pool, h, last, words[0], &t);
	} else {
		text_addf(pool, &t, "no order explains what was read: there is a contradiction");
		name_txns(pool, h, p, &t);
	}
	return text_string(pool, &t);
}
