/* mirror: see mirror.h. */
#include "explain/mirror.h"

struct exchange {
	const struct reads *r;
	uint32_t a, b;
};

static uint32_t exchanged(const struct exchange *x, uint32_t txn)
{
	return txn == x->a ? x->b : txn == x->b ? x->a : txn;
}

/* The same value of the same key, read by the other transaction. */
static bool same_read(const struct exchange *x, uint32_t read, uint32_t other)
{
	if (read == ID_NONE || other == ID_NONE)
		return read == other;
	const struct read_candidates *e = &x->r->external.items[read];
	const struct read_candidates *f = &x->r->external.items[other];
	const struct history *h = x->r->h;
	return exchanged(x, e->txn) == f->txn && e->key == f->key &&
	       op_kind(h->ops[e->op]) == op_kind(h->ops[f->op]) &&
	       h->ops[e->op].value == h->ops[f->op].value && !query_at(h, e->op) &&
	       !query_at(h, f->op);
}

static bool same_dependency(const struct exchange *x, const struct dependency *d,
                            const struct dependency *e)
{
	bool reads = d->kind == DEP_WR || d->kind == DEP_RW;
	bool versions = d->kind == DEP_WW || d->kind == DEP_RW;
	return d->kind == e->kind && exchanged(x, d->from) == e->from &&
	       exchanged(x, d->to) == e->to && d->key == e->key &&
	       (!reads || same_read(x, d->read, e->read)) &&
	       (!versions || (d->why == e->why && same_read(x, d->why_read, e->why_read))) &&
	       (d->kind != DEP_RW || exchanged(x, d->replaced) == e->replaced);
}

/* The cycles may begin at different transactions. */
static bool same_cycle(const struct exchange *x, const struct dependency *d,
                       const struct dependency *e, uint32_t length)
{
	for (uint32_t shift = 0; shift < length; shift++) {
		uint32_t same = 0;
		while (same < length && same_dependency(x, &d[same], &e[(same + shift) % length]))
			same++;
		if (same == length)
			return true;
	}
	return false;
}

const struct leaf *mirror_of(const struct reads *r, const struct cases *c, size_t leaf, uint32_t *a,
                             uint32_t *b)
{
	const struct leaf *l = &c->leaves.items[leaf];
	if (l->assumption_count != 1)
		return NULL;
	const struct assumption *mine = &c->assumptions.items[l->first_assumption];
	if (!mine->of_writers)
		return NULL;
	struct exchange x = {r, mine->before, mine->after};
	for (size_t i = 0; i < leaf; i++) {
		const struct leaf *k = &c->leaves.items[i];
		const struct assumption *other = c->assumptions.items + k->first_assumption;
		if (k->assumption_count != 1 || !other->of_writers || other->key != mine->key ||
		    other->before != mine->after || other->after != mine->before ||
		    k->length != l->length ||
		    !same_cycle(&x, leaf_cycle(c, k), leaf_cycle(c, l), l->length))
			continue;
		*a = x.a;
		*b = x.b;
		return k;
	}
	return NULL;
}
