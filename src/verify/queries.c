/* queries: see queries.h. */
#include "verify/queries.h"

#include "verify/steps.h"

/* "txn leaves outcome at key", or that it does not. */
static void outcome(struct judge *j, struct step *s, uint32_t txn, uint32_t key, uint32_t outcome,
                    bool is)
{
	uint32_t place = OUTCOME | open_place(j->origins.h, txn, key);
	step_literal(j, s, is ? place : outcome, is ? outcome : place);
}

bool queries_writer(struct judge *j, struct step *s, uint32_t txn, uint32_t key, const uint32_t **w)
{
	const struct history *h = j->origins.h;
	if (!open_may_write(h, txn, key))
		return origins_writes(&j->origins, txn, key);
	if (*w == s->words.items + s->words.count || **w >= atoms_count(&h->values))
		return false;
	outcome(j, s, txn, key, *(*w)++, false);
	return true;
}

bool queries_candidates(struct judge *j, struct step *s, uint32_t reader, uint32_t key,
                        bool initial, size_t at)
{
	const struct origins *o = &j->origins;
	const uint32_t *w = s->words.items + at, *end = s->words.items + s->words.count;
	uint32_t v = *w++, r = reads_at(j, reader);
	bool blocked = v != STEP_NOBODY;
	if (!blocked ? initial : v == reader || !queries_writer(j, s, v, key, &w))
		return false;
	if (blocked)
		step_literal(j, s, r, writes_at(v));
	if (w > s->words.items + at + 1 && origins_explains(o, v, w[-1]))
		return false;
	for (size_t i = 0; i < o->found.count + o->perhaps.count; i++) {
		bool open = i >= o->found.count;
		uint32_t c = open ? o->perhaps.items[i - o->found.count] : o->found.items[i];
		if (c == v && open)
			continue;
		if (c == v || w == end)
			return false;
		if (open && *w > 1)
			outcome(j, s, c, key, OPEN_KEPT, false);
		else
			step_literal(j, s, writes_at(!blocked || *w ? c : v),
			             !blocked || *w ? r : writes_at(c));
		w++;
	}
	return w == end;
}

bool queries_check(struct judge *j, struct step *s, const uint32_t *w, size_t n)
{
	bool initial;
	return n > 2 && origins_of_query(&j->origins, w[0], w[1], &initial) &&
	       queries_candidates(j, s, j->origins.txn_of_op[w[0]], w[1], initial, 2);
}

bool queries_check_met(struct judge *j, struct step *s, const uint32_t *w, size_t n)
{
	struct origins *o = &j->origins;
	bool initial;
	if (n < 4 || w[1] >= atoms_count(&o->h->keys) ||
	    open_place(o->h, w[0], w[1]) == ATOM_NONE ||
	    (w[2] != OPEN_NEVER && !open_may_write(o->h, w[0], w[1])))
		return false;
	if (w[2] != OPEN_NEVER)
		outcome(j, s, w[0], w[1], w[2], true);
	origins_of_open(o, w[0], w[1], w[2], &initial);
	return queries_candidates(j, s, w[0], w[1], initial, 3);
}
