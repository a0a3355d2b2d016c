/* queries: see queries.h. */
#include "verify/queries.h"

#include "base/ids.h"
#include "verify/steps.h"

/* "txn leaves outcome at key", or that it does not. */
static void outcome(struct refutation *r, struct step *s, uint32_t txn, uint32_t key,
                    uint32_t outcome, bool is)
{
	uint32_t place = OUTCOME | opaque_place(&r->candidates.opaque, txn, key);
	step_literal(r, s, is ? place : outcome, is ? outcome : place);
}

bool queries_writer(struct refutation *r, struct step *s, uint32_t txn, uint32_t key,
                    const uint32_t **w)
{
	const struct candidates *c = &r->candidates;
	if (!opaque_may_write(&c->opaque, txn, key))
		return candidates_writes(c, txn, key);
	if (*w == s->words.items + s->words.count || **w >= atoms_count(&c->h->values))
		return false;
	outcome(r, s, txn, key, *(*w)++, false);
	return true;
}

bool queries_candidates(struct refutation *r, struct step *s, size_t at)
{
	struct candidates *c = &r->candidates;
	const uint32_t *w = s->words.items + at, *end = s->words.items + s->words.count;
	uint32_t v = *w++, key = c->asked.key, reads = reads_at(r, c->asked.reader);
	bool blocked = v != STEP_NOBODY;
	if (!blocked ? c->initial : v == c->asked.reader || !queries_writer(r, s, v, key, &w))
		return false;
	if (blocked)
		step_literal(r, s, reads, writes_at(v));
	if (w > s->words.items + at + 1 && candidates_explain(c, v, w[-1]))
		return false;
	for (size_t i = 0; i < c->found.count + c->perhaps.count; i++) {
		bool perhaps = i >= c->found.count;
		uint32_t u = perhaps ? c->perhaps.items[i - c->found.count] : c->found.items[i];
		if (u == v && perhaps)
			continue;
		if (u == v || w == end)
			return false;
		if (perhaps && *w > 1)
			outcome(r, s, u, key, OPAQUE_KEPT, false);
		else
			step_literal(r, s, writes_at(!blocked || *w ? u : v),
			             !blocked || *w ? reads : writes_at(u));
		w++;
	}
	return w == end;
}

bool queries_check(struct refutation *r, struct step *s, const uint32_t *w, size_t n)
{
	return n > 2 && candidates_of_query(&r->candidates, w[0], w[1]) &&
	       queries_candidates(r, s, 2);
}

bool queries_check_met(struct refutation *r, struct step *s, const uint32_t *w, size_t n)
{
	const struct opaque *o = &r->candidates.opaque;
	if (n < 4 || opaque_place(o, w[0], w[1]) == ID_NONE ||
	    (w[2] != OPAQUE_NEVER && !opaque_may_write(o, w[0], w[1])))
		return false;
	if (w[2] != OPAQUE_NEVER)
		outcome(r, s, w[0], w[1], w[2], true);
	candidates_of_update(&r->candidates, w[0], w[1], w[2]);
	return queries_candidates(r, s, 3);
}
