/*
 * digest: a fingerprint of a history, so that a certificate of one is not taken
 * for another's. It is no defence against histories that are made to
 * collide; a certificate of a violation is checked against the history anyhow.
 */
#include "history/digest.h"

#include "history/query.h"

struct state {
	uint64_t a, b;
};

static void add(struct state *s, uint64_t word)
{
	s->a = (s->a ^ word) * 0x9e3779b97f4a7c15u;
	s->a ^= s->a >> 29;
	s->b = (s->b + word) * 0xd6e8feb86659fd93u;
	s->b ^= s->b >> 32;
}

static void add_atoms(struct state *s, const struct atoms *atoms)
{
	for (uint32_t i = 0; i < atoms_count(atoms); i++) {
		alibi_value v = atoms_value(atoms, i);
		add(s, (uint64_t)v.kind << 56 ^ v.length);
		add(s, (uint64_t)v.integer);
		for (size_t j = 0; v.text && j < v.length; j++)
			add(s, (unsigned char)v.text[j]);
		if (v.kind == ALIBI_LIST) {
			const uint32_t *items = atoms_items(atoms, i, &v.length);
			for (size_t j = 0; j < v.length; j++)
				add(s, items[j]);
		}
	}
}

struct digest digest_add(struct digest d, const char *bytes, size_t length)
{
	struct state s = {d.high, d.low};
	add(&s, length);
	for (size_t i = 0; i < length; i++)
		add(&s, (unsigned char)bytes[i]);
	return (struct digest){s.a, s.b};
}

static void add_queries(struct state *s, const struct queries *x)
{
	add_atoms(s, &x->relations);
	add_atoms(s, &x->columns);
	add_atoms(s, &x->cells);
	for (size_t i = 0; i < x->list.count; i++) {
		const struct query *q = &x->list.items[i];
		add(s, (uint64_t)q->op << 32 | q->rows);
		add(s, (uint64_t)q->relation << 8 | (uint64_t)q->kind << 1 | q->opaque);
		add(s, (uint64_t)q->comparisons << 32 | q->assignments);
		add(s, q->excepts);
	}
	for (size_t i = 0; i < x->comparisons.count; i++) {
		const struct comparison *c = &x->comparisons.items[i];
		add(s, (uint64_t)c->kind << 32 | c->column);
		add(s, c->count);
	}
	for (size_t i = 0; i < x->constants.count; i++)
		add(s, x->constants.items[i]);
	for (size_t i = 0; i < x->assignments.count; i++) {
		const struct assignment *a = &x->assignments.items[i];
		add(s, (uint64_t)a->column << 32 | a->constant);
		add(s, a->plus);
	}
	for (size_t i = 0; i < x->except.count; i++)
		add(s, x->except.items[i]);
}

struct digest history_digest(const struct history *h)
{
	struct state s = {1, 2};
	add_atoms(&s, &h->keys);
	add_atoms(&s, &h->values);
	add(&s, h->initial_default);
	for (size_t i = 0; i < h->initial.count; i++)
		add(&s, (uint64_t)h->initial.items[i].key << 32 | h->initial.items[i].value);
	for (uint32_t t = 0; t < h->txn_count; t++) {
		add(&s, (uint64_t)h->txns[t].first_op << 32 | h->txns[t].session);
		add(&s, (uint64_t)h->txns[t].status << 8 | h->txns[t].has);
		if (h->times) {
			add(&s, (uint64_t)h->times[t].begin);
			add(&s, (uint64_t)h->times[t].end);
		}
	}
	for (uint32_t i = 0; i < h->op_count; i++)
		add(&s, (uint64_t)h->ops[i].kind_and_key << 32 | h->ops[i].value);
	for (size_t i = 0; i < h->from.count; i++)
		add(&s, (uint64_t)h->from.items[i].op << 32 | h->from.items[i].writer);
	if (h->queries)
		add_queries(&s, h->queries);
	return (struct digest){s.a, s.b};
}
