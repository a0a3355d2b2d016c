/* unwritten: see unwritten.h. */
#include "explain/unwritten.h"

#include "history/first_read.h"
#include "history/render.h"

static bool is_stated(const struct history *h, uint32_t key)
{
	for (size_t i = 0; i < h->initial.count; i++)
		if (h->initial.items[i].key == key)
			return true;
	return h->initial_default != ATOM_NULL;
}

/* A read of another value of the key that no transaction wrote, or ID_NONE. */
static uint32_t contradicting(struct pool *pool, const struct history *h, uint32_t op)
{
	op_vec reads = first_read_unwritten(pool, h, op_key(h->ops[op]));
	for (size_t i = 0; i < reads.count; i++)
		if (h->ops[reads.items[i]].value != h->ops[op].value)
			return reads.items[i];
	return ID_NONE;
}

/* "T1 read x = 100, which no transaction wrote" */
static void say_read(struct pool *pool, text_vec *t, const struct history *h, uint32_t op)
{
	text_add_txn(pool, t, h, history_txn_at(h, op));
	text_addf(pool, t, " read ");
	text_add_key(pool, t, h, op_key(h->ops[op]));
	text_addf(pool, t, " = %s, which no transaction wrote",
	          render_atom(pool, h, h->ops[op].value, SIZE_MAX));
}

static const char *advice(struct pool *pool, const struct history *h, uint32_t op)
{
	const char *key = render_value(pool, atoms_value(&h->keys, op_key(h->ops[op])));
	const char *value = render_value(pool, atoms_value(&h->values, h->ops[op].value));
	return text_format(pool,
	                   "If it was there before the first transaction, state it: "
	                   "\"initial\":[[%s,%s]] in the header, or first-read as the initial "
	                   "value of all keys",
	                   key, value);
}

struct unwritten unwritten_read(struct pool *pool, const struct history *h, uint32_t op)
{
	uint32_t key = op_key(h->ops[op]), other = ID_NONE;
	struct unwritten found = {.anomaly = ANOMALY_GARBAGE_READ};
	text_vec t = {0};
	say_read(pool, &t, h, op);
	if (is_stated(h, key)) {
		text_addf(pool, &t, "; initially it was %s",
		          render_atom(pool, h, history_initial(h, key), SIZE_MAX));
	} else if ((other = contradicting(pool, h, op)) != ID_NONE) {
		text_addf(pool, &t, ", and ");
		say_read(pool, &t, h, other);
		text_addf(pool, &t, " either: only one of the two values can be the initial one");
	} else {
		found.anomaly = ANOMALY_UNWRITTEN_READ;
		found.advice = advice(pool, h, op);
	}
	found.summary = text_string(pool, &t);
	return found;
}
