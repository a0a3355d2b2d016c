/* jepsen_registers: see jepsen_registers.h. */
#include "format/jepsen_registers.h"

#include "format/alibi_query.h"

#include <string.h>

/* ---- registers ---- */

/* What a register's operation is about: the places of up to two values. */
struct register_call {
	uint32_t key;
	uint32_t relation; /* in queries of this key; ID_NONE: there is one key only */
	const char *first, *second;
};

/* The places of the items of a list; how many there are, or 0: it is no list. */
static size_t places(struct jepsen_parser *r, const char *at, const char *items[static 2])
{
	struct json *j = &r->json;
	size_t count = 0;
	char closing;
	j->at = at;
	if (!r->n->open_list(j, &closing))
		return 0;
	for (bool first = true; r->n->item(j, &first, closing); count++) {
		r->n->peek(j);
		if (count < 2)
			items[count] = j->at;
		r->n->skip(j);
	}
	return count;
}

/* Where the constants of queries are. */
static struct atoms *cells(struct builder *b)
{
	if (!b->h->queries)
		queries_init(b->h, alibi_read_row);
	return &b->h->queries->cells;
}

/* jepsen.independent has a key before each value: [key value]. */
static void take_key(struct jepsen_parser *r, struct register_call *k, const char *at)
{
	text_vec name = {0};
	struct json *j = &r->json;
	j->at = at;
	struct text key = r->n->skip(j);
	text_add(r->pool, &name, key.bytes, key.length);
	for (size_t i = 0; i < name.count; i++)
		name.items[i] = name.items[i] == '/' ? '_' : name.items[i];
	cells(r->b); /* there are queries */
	k->relation = atoms_string(&r->b->h->queries->relations, name.items, name.count);
	text_add(r->pool, &name, "/register", strlen("/register"));
	k->key = atoms_string(r->b->keys, name.items, name.count);
	pool_free(r->pool, name.items);
}

static struct register_call register_call(struct jepsen_parser *r, const struct jepsen_call *c,
                                          bool cas)
{
	struct register_call k = {.relation = ID_NONE, .first = c->answer->value};
	const char *items[2];
	size_t count = k.first ? places(r, k.first, items) : 0;
	const char *within[2];
	bool keyed = count == 2 && (!cas || places(r, items[1], within) == 2);
	if (cas && count != 2)
		model_reject(r, c->answer);
	if (keyed)
		take_key(r, &k, items[0]);
	else
		k.key = model_key(r, "register");
	if (cas) {
		k.first = keyed ? within[0] : items[0];
		k.second = keyed ? within[1] : items[1];
	} else if (keyed) {
		k.first = items[1];
	}
	return k;
}

static uint32_t value_at(struct jepsen_parser *r, struct atoms *atoms, const char *at)
{
	r->json.at = at;
	if (!at || r->n->take_null(&r->json))
		return ATOM_NULL;
	return r->n->atom(&r->json, atoms, "the value of a register");
}

/* A query that finds no key with the value `from`; or, if `to` is not ID_NONE, an update of a key
 * that has it, whose result is not known. Both are cells. */
static void ask(struct builder *b, uint32_t relation, uint32_t from, uint32_t to)
{
	bool update = to != ID_NONE;
	struct query *q = builder_query(b, update ? QUERY_UPDATE : QUERY_SELECT, alibi_read_row);
	struct queries *x = b->h->queries;
	uint32_t column = atoms_string(&x->columns, "value", strlen("value"));
	struct comparison c = {COMPARE_EQUAL, column, (uint32_t)x->constants.count, 1};
	vec_push(b->pool, &x->constants, from);
	vec_push(b->pool, &x->comparisons, c);
	q->comparisons = 1;
	q->relation = relation;
	q->opaque = update;
	if (!update)
		return;
	vec_push(b->pool, &x->assignments, ((struct assignment){column, to, ID_NONE}));
	q->assignments = 1;
}

static void take_cas(struct jepsen_parser *r, struct jepsen_call *c)
{
	struct register_call k = register_call(r, c, true);
	struct builder *b = r->b;
	r->json.at = k.first;
	if (c->type != OK && r->n->take_null(&r->json))
		json_reject(&r->json, "a compare-and-set from nil that failed, or whose outcome is "
		                      "unknown, cannot be checked; let the register begin with "
		                      "another value");
	if (c->type == OK) {
		builder_op(b, ALIBI_READ, k.key, value_at(r, b->values, k.first));
		builder_op(b, ALIBI_WRITE, k.key, value_at(r, b->values, k.second));
	} else {
		uint32_t from = value_at(r, cells(b), k.first);
		uint32_t to = c->type == INFO ? value_at(r, cells(b), k.second) : ID_NONE;
		builder_mention(b, k.key);
		ask(b, k.relation, from, to);
	}
	if (c->type == FAIL) /* it was done: it found another value */
		c->head.status = ALIBI_COMMIT;
	model_end(r, &c->head);
}

void take_register(struct jepsen_parser *r, struct jepsen_call *c)
{
	const struct operation *o = c->answer;
	bool read = model_is(r, o, "read"), write = model_is(r, o, "write");
	if (!read && !write && !(model_is(r, o, "cas") && strcmp(r->model->name, "register") != 0))
		model_reject(r, o);
	if (!read && !write) {
		if (c->type != FAIL || !(c->completion->flags & HAS_ERROR))
			take_cas(r, c);
		return;
	}
	if (read && c->type != OK)
		return;
	struct register_call k = register_call(r, c, false);
	builder_op(r->b, read ? ALIBI_READ : ALIBI_WRITE, k.key,
	           value_at(r, r->b->values, k.first));
	model_end(r, &c->head);
}

/* ---- mutex ---- */

void take_mutex(struct jepsen_parser *r, struct jepsen_call *c)
{
	bool acquire = model_is(r, c->answer, "acquire");
	if (!acquire && !model_is(r, c->answer, "release"))
		model_reject(r, c->answer);
	if (c->type == FAIL)
		return; /* of a lock that was held, or for another reason */
	struct builder *b = r->b;
	uint32_t key = model_key(r, "mutex");
	uint32_t state[] = {atoms_string(b->values, "free", 4), atoms_string(b->values, "held", 4)};
	if (!b->h->initial.count)
		builder_initial(b, key, state[0]);
	if (c->type == OK) {
		builder_op(b, ALIBI_READ, key, state[!acquire]);
		builder_op(b, ALIBI_WRITE, key, state[acquire]);
		model_end(r, &c->head);
		return;
	}
	ask(b, ID_NONE, atoms_string(cells(b), acquire ? "free" : "held", 4),
	    atoms_string(cells(b), acquire ? "held" : "free", 4));
	model_end(r, &c->head);
}
