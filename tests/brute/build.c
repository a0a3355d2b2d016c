/* build: tiny histories through the public header. */
#include "tiny.h"

enum { APART = 100 };

static alibi_value integer(int i)
{
	return (alibi_value){.kind = i == TINY_NULL ? ALIBI_NULL : ALIBI_INT, .integer = i};
}

/* Ids, sessions and keys of one tenant are not those of another. */
static alibi_value number(int i, int tenant)
{
	return integer(i == TINY_NULL ? i : i + APART * tenant);
}

static alibi_value key_name(int key, int tenant)
{
	static const char names[] = "x0y0z0x1y1z1x2y2z2x3y3z3";
	return (alibi_value){.kind = ALIBI_STRING,
	                     .text = names + 2 * (TINY_KEYS * tenant + key),
	                     .length = tenant ? 2 : 1};
}

static bool add_op(alibi_builder *b, const struct tiny *h, int tenant, const struct tiny_op *op)
{
	alibi_value items[TINY_LIST];
	alibi_op made = {ALIBI_INIT(alibi_op), .kind = op->kind, .key = key_name(op->key, tenant),
	                 .value = integer(op->value)};
	made.has_from = op->has_from;
	made.from = number(op->from, tenant); /* TINY_INITIAL is TINY_NULL */
	if (op->kind == ALIBI_READ && h->is_list[op->key]) {
		for (int i = 0; i < op->list.count; i++)
			items[i] = integer(op->list.items[i]);
		made.value = (alibi_value){
		        .kind = ALIBI_LIST, .length = (size_t)op->list.count, .items = items};
	}
	return alibi_builder_op(b, &made);
}

static bool add_txn(alibi_builder *b, const struct tiny *h, int tenant, const struct tiny_txn *t)
{
	int session = t->alone ? TINY_NULL : t->session;
	for (int i = 0; i < t->op_count; i++)
		if (!add_op(b, h, tenant, &t->ops[i]))
			return false;
	return alibi_builder_end(b, &(alibi_txn){ALIBI_INIT(alibi_txn), .id = number(t->id, tenant),
	                                         .session = number(session, tenant),
	                                         .status = t->status, .has = t->has,
	                                         .begin = t->begin, .end = t->end});
}

/* The default is that of the first tenant. */
static bool add_initial(alibi_builder *b, const struct tiny *h, int tenant, int initial_default)
{
	for (int key = 0; key < TINY_KEYS; key++) {
		alibi_value name = key_name(key, tenant), value = integer(h->initial[key]);
		if (h->initial[key] != initial_default && !h->is_list[key] &&
		    !alibi_builder_initial(b, &name, &value))
			return false;
	}
	return true;
}

const alibi_history *tiny_build(alibi *a, const struct tiny *h, int tenants)
{
	alibi_builder *b = alibi_builder_new(a);
	alibi_value value = integer(h->initial_default);
	if (!b || !alibi_builder_initial(b, NULL, &value))
		return NULL;
	for (int i = 0; i < tenants; i++)
		if (!add_initial(b, &h[i], i, h->initial_default))
			return NULL;
	for (int t = 0; t < TINY_TXNS; t++)
		for (int i = 0; i < tenants; i++)
			if (t < h[i].txn_count && !add_txn(b, &h[i], i, &h[i].txns[t]))
				return NULL;
	return alibi_builder_finish(b);
}
