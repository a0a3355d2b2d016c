/* jepsen_folds: see jepsen_folds.h. */
#include "format/jepsen_folds.h"

#include <stdio.h>
#include <string.h>

static int64_t sum(struct jepsen_parser *r, int64_t a, int64_t b)
{
	int64_t both;
	if (__builtin_add_overflow(a, b, &both))
		json_reject(&r->json, "the sum is beyond 64 bits");
	return both;
}

/* A read of a key by a value that says what is wrong. */
static void add_fault(struct jepsen_parser *r, const char *key, const char *what)
{
	builder_op(r->b, ALIBI_READ, model_key(r, key),
	           atoms_string(r->b->values, what, strlen(what)));
}

/* ---- bank ---- */

/* What a read says of one account. */
static void take_account(struct jepsen_parser *r, struct text account, int64_t *total, bool first)
{
	char name[48], what[96];
	struct json *j = &r->json;
	uint32_t seen = atoms_string(r->b->names, account.bytes, account.length);
	jepsen_shown(account, name);
	while (r->elements.count <= seen)
		vec_push(r->pool, &r->elements, (struct jepsen_element){0});
	r->elements.items[seen].added |= first;
	if (!r->elements.items[seen].added)
		add_fault(r, "unexpected account", name);
	if (r->n->take_null(j)) {
		add_fault(r, "account without a balance", name);
		return;
	}
	int64_t balance = r->n->integer(j, "a balance, an integer");
	*total = sum(r, *total, balance);
	snprintf(what, sizeof what, "%s: %lld", name, (long long)balance);
	if (balance < 0 && strcmp(r->model->name, BANK_NEGATIVE) != 0)
		add_fault(r, "negative balance", what);
}

void finish_bank(struct jepsen_parser *r)
{
	const struct operation *o;
	uint32_t key = model_key(r, "total");
	bool first = true;
	for (size_t at = 0; (o = model_next_read(r, &at, "transfer", "transfer")); first = false) {
		int64_t total = 0;
		struct text account;
		if (!o->value)
			model_reject(r, o);
		r->json.at = o->value;
		r->n->open_map(&r->json, "the balances, a map");
		for (bool begin = true; r->n->member(&r->json, &begin, &account);)
			take_account(r, account, &total, first);
		uint32_t value = atoms_integer(r->b->values, total);
		if (first && !r->b->initial_given)
			builder_initial(r->b, key, value);
		builder_op(r->b, ALIBI_READ, key, value);
		struct jepsen_call c = model_call(r, o);
		model_end(r, &c.head);
	}
}

/* ---- counter ---- */

/* What was added so far. */
struct added {
	int64_t more, most_more; /* sums of positive numbers: surely, and perhaps */
	int64_t less, most_less; /* the same of negative ones */
};

static void take_addition(struct jepsen_parser *r, const struct operation *o, struct added *a)
{
	const struct operation *other = o->partner ? &r->ops.items[o->partner - 1] : NULL;
	const struct operation *answer = o->value ? o : other;
	bool failed = o->type == FAIL || (other && other->type == FAIL);
	if (failed || (o->type != INVOKE && o->type != OK))
		return;
	if (!answer || !answer->value)
		model_reject(r, o);
	r->json.at = answer->value;
	int64_t n = r->n->integer(&r->json, "the number that is added, an integer");
	bool perhaps = o->type == INVOKE || !other; /* other half missing: both at once */
	bool surely = o->type == OK;
	int64_t *most = n < 0 ? &a->most_less : &a->most_more, *sure = n < 0 ? &a->less : &a->more;
	*most = perhaps ? sum(r, *most, n) : *most;
	*sure = surely ? sum(r, *sure, n) : *sure;
}

void finish_counter(struct jepsen_parser *r)
{
	struct added now = {0};
	struct added *at_begin = pool_zarray(r->pool, r->ops.count + 1, sizeof *at_begin);
	uint32_t key = model_key(r, "counter");
	uint32_t within = atoms_string(r->b->values, "within its bounds", 17);
	char what[128];
	builder_initial(r->b, key, within);
	for (size_t i = 0; i < r->ops.count; i++, guard_tick(r->json.guard)) {
		const struct operation *o = &r->ops.items[i];
		if (o->flags & NEMESIS)
			continue;
		at_begin[i] = now;
		if (model_is(r, o, "add")) {
			take_addition(r, o, &now);
			continue;
		}
		if (!model_is(r, o, "read"))
			model_reject(r, o);
		if (o->type != OK)
			continue;
		const struct added *before = &at_begin[o->partner ? o->partner - 1 : i];
		int64_t least = sum(r, before->more, now.most_less);
		int64_t most = sum(r, now.most_more, before->less), n = 0;
		r->json.at = o->value;
		if (o->value)
			n = r->n->integer(&r->json, "the value of the counter, an integer");
		snprintf(what, sizeof what, "%lld, not from %lld to %lld", (long long)n,
		         (long long)least, (long long)most);
		if (n >= least && n <= most)
			builder_op(r->b, ALIBI_READ, key, within);
		else
			add_fault(r, "counter", what);
		struct jepsen_call c = model_call(r, o);
		model_end(r, &c.head);
	}
}

/* ---- sequential ---- */

/* One of the transactions of an operation. */
static void split(struct jepsen_parser *r, const struct operation *o, struct text key,
                  uint32_t part, enum alibi_op_kind kind, bool there)
{
	text_vec name = {0};
	struct jepsen_call c = model_call(r, o);
	text_addf(r->pool, &name, "%.*s_%u", (int)key.length, key.bytes, part);
	builder_op(r->b, kind, atoms_string(r->b->keys, name.items, name.count),
	           there ? atoms_integer(r->b->values, 1) : ATOM_NULL);
	name.count = 0;
	text_addf(r->pool, &name, "%lld.%u", (long long)o->index, part);
	c.head.id = atoms_string(r->b->names, name.items, name.count);
	c.head.has = 0;
	if (c.type == FAIL) /* some of its transactions may have been committed */
		c.head.status = ALIBI_UNKNOWN_STATUS;
	model_end(r, &c.head);
	pool_free(r->pool, name.items);
}

static struct jepsen_element *parts_of(struct jepsen_parser *r, struct text key)
{
	uint32_t name = atoms_string(r->b->names, key.bytes, key.length);
	while (r->elements.count <= name)
		vec_push(r->pool, &r->elements, (struct jepsen_element){0});
	return &r->elements.items[name];
}

/* A read, [key [part part …]], the last part first. Counts the parts; or, if there is an operation
 * to split, adds its transactions. */
static void take_parts(struct jepsen_parser *r, const struct operation *o, bool add)
{
	struct json *j = &r->json;
	const struct jepsen_notation *n = r->n;
	char outer, inner;
	bool one = true, first = true;
	j->at = o->value;
	if (!o->value || !n->open_list(j, &outer) || !n->item(j, &one, outer))
		json_expected(j, "[key parts]");
	struct text key = n->skip(j);
	if (!n->item(j, &one, outer) || !n->open_list(j, &inner))
		json_expected(j, "the parts of the key, a list");
	const char *parts = j->at;
	uint32_t count = 0;
	for (; n->item(j, &first, inner); count++)
		n->skip(j);
	struct jepsen_element *e = parts_of(r, key);
	e->count = e->count > count ? e->count : count;
	j->at = parts;
	first = true;
	for (uint32_t i = count; add && i-- > 0;) {
		n->item(j, &first, inner);
		bool there = !n->take_null(j);
		if (there)
			n->skip(j);
		const char *next = j->at;
		split(r, o, key, i, ALIBI_READ, there);
		j->at = next;
	}
}

void finish_sequential(struct jepsen_parser *r)
{
	const struct operation *o;
	for (size_t at = 0; (o = model_next_read(r, &at, "write", "add"));)
		take_parts(r, o, false);
	for (size_t i = 0; i < r->ops.count; i++, guard_tick(r->json.guard)) {
		o = &r->ops.items[i];
		const struct operation *other = o->partner ? &r->ops.items[o->partner - 1] : NULL;
		if (o->flags & NEMESIS || (o->type != INVOKE && other))
			continue;
		const struct operation *done = other ? other : o;
		if (model_is(r, o, "read")) {
			if (done->type == OK)
				take_parts(r, done, true);
			continue;
		}
		const struct operation *asked = o->value ? o : done;
		if (!asked->value)
			model_reject(r, o);
		r->json.at = asked->value;
		struct text key = r->n->skip(&r->json);
		uint32_t parts = parts_of(r, key)->count;
		for (uint32_t part = 0; part < parts; part++)
			split(r, done, key, part, ALIBI_WRITE, true);
	}
}
