/* jepsen_sets: see jepsen_sets.h. */
#include "format/jepsen_sets.h"

#include "history/render.h"

static struct jepsen_element *element(struct jepsen_parser *r, uint32_t key)
{
	while (r->elements.count <= key)
		vec_push(r->pool, &r->elements, (struct jepsen_element){0});
	return &r->elements.items[key];
}

/* The operation's place, from 1. */
static uint32_t place_of(const struct jepsen_parser *r, const struct operation *o)
{
	return (uint32_t)(o - r->ops.items) + 1;
}

static const struct operation *begin_of(const struct jepsen_call *c)
{
	return c->invoke ? c->invoke : c->completion;
}

static void add_read(struct jepsen_parser *r, uint32_t key, uint32_t times)
{
	builder_op(r->b, ALIBI_READ, key, times ? atoms_integer(r->b->values, times) : ATOM_NULL);
}

/* The element at the cursor. A list is its JSON, as in EDN. */
static uint32_t read_element(struct jepsen_parser *r)
{
	text_vec list = {0};
	if (r->n->peek(&r->json) != '[')
		return r->n->atom(&r->json, r->b->keys, "an element");
	r->n->render(&r->json, &list);
	uint32_t key = atoms_string(r->b->keys, list.items, list.count);
	pool_free(r->json.pool, list.items);
	return key;
}

/* Counts the elements that a read has; in r->list, each once. */
static void count_elements(struct jepsen_parser *r, const struct operation *read)
{
	struct json *j = &r->json;
	char closing;
	j->at = read->value;
	r->reads++;
	r->list.count = 0;
	if (!read->value)
		return;
	if (!model_open(r, &closing))
		json_expected(j, "the elements that were read, a list or a set");
	for (bool first = true; r->n->item(j, &first, closing); guard_tick(j->guard)) {
		uint32_t key = read_element(r);
		struct jepsen_element *e = element(r, key);
		if (e->read != r->reads)
			vec_push(r->pool, &r->list, key);
		e->count = e->read == r->reads ? e->count + 1 : 1;
		e->read = r->reads;
	}
}

static void take_add(struct jepsen_parser *r, struct jepsen_call *c)
{
	if (!c->answer->value)
		model_reject(r, c->answer);
	r->json.at = c->answer->value;
	uint32_t key = read_element(r);
	struct jepsen_element *e = element(r, key);
	if (c->type == OK && !e->added)
		e->added = place_of(r, c->completion);
	e->begun = place_of(r, begin_of(c));
	builder_op(r->b, ALIBI_WRITE, key, atoms_integer(r->b->values, 1));
	model_end(r, &c->head);
}

/* ---- set ---- */

/* What the read tells about all elements. */
static void note_read(struct jepsen_parser *r, const struct jepsen_call *c)
{
	uint32_t begin = place_of(r, begin_of(c)), end = place_of(r, c->completion);
	count_elements(r, c->completion);
	for (uint32_t key = 0; key < r->elements.count; key++, guard_tick(r->json.guard)) {
		struct jepsen_element *e = &r->elements.items[key];
		if (e->read != r->reads) {
			e->absent = e->absent > begin ? e->absent : begin;
			continue;
		}
		e->present = e->present > begin ? e->present : begin;
		e->seen = e->seen && e->seen < end ? e->seen : end;
		e->twice = e->count > 1 ? end : e->twice;
	}
}

void take_set(struct jepsen_parser *r, struct jepsen_call *c)
{
	if (model_is(r, c->answer, "add"))
		take_add(r, c);
	else if (!model_is(r, c->answer, "read"))
		model_reject(r, c->answer);
	else if (c->type == OK && r->model->finish == finish_set_full)
		note_read(r, c);
}

void finish_set(struct jepsen_parser *r)
{
	const struct operation *last = NULL, *o;
	for (size_t at = 0; (o = model_next_read(r, &at, "add", "add"));)
		last = o;
	if (!last)
		return;
	count_elements(r, last);
	for (size_t i = 0; i < r->list.count; i++)
		add_read(r, r->list.items[i], r->elements.items[r->list.items[i]].count);
	for (uint32_t key = 0; key < r->elements.count; key++)
		if (r->elements.items[key].read != r->reads && r->elements.items[key].added)
			add_read(r, key, 0);
	struct jepsen_call c = model_call(r, last);
	model_end(r, &c.head);
}

/* What the read at this place has of one element, as a transaction of its own. */
static void split_read(struct jepsen_parser *r, uint32_t place, uint32_t key, uint32_t times)
{
	if (!place)
		return;
	struct jepsen_call c = model_call(r, &r->ops.items[place - 1]);
	text_vec id = {0};
	text_addf(r->pool, &id, "%lld, ", (long long)c.completion->index);
	text_add_value(r->pool, &id, atoms_value(r->b->keys, key));
	text_addf(r->pool, &id, "%s", times > 1 ? " twice" : times ? "" : " missing");
	c.head.id = atoms_string(r->b->names, id.items, id.count);
	pool_free(r->pool, id.items);
	c.head.session = ID_NONE;
	add_read(r, key, times);
	model_end(r, &c.head);
}

void finish_set_full(struct jepsen_parser *r)
{
	for (uint32_t key = 0; key < r->elements.count; key++, guard_tick(r->json.guard)) {
		struct jepsen_element e = r->elements.items[key];
		split_read(r, e.seen, key, 1);
		split_read(r, e.twice, key, 2);
		split_read(r, e.absent > e.present ? e.absent : 0, key, 0);
	}
}

/* ---- comments ---- */

void take_comment(struct jepsen_parser *r, struct jepsen_call *c)
{
	if (model_is(r, c->answer, "write"))
		take_add(r, c);
	else if (!model_is(r, c->answer, "read"))
		model_reject(r, c->answer);
}

void finish_comments(struct jepsen_parser *r)
{
	const struct operation *o;
	for (size_t at = 0; (o = model_next_read(r, &at, "write", "write"));) {
		uint32_t last = 0; /* the last begin of those that the read has */
		count_elements(r, o);
		for (size_t i = 0; i < r->list.count; i++) {
			const struct jepsen_element *e = &r->elements.items[r->list.items[i]];
			last = e->begun > last ? e->begun : last;
			add_read(r, r->list.items[i], e->count);
		}
		for (uint32_t key = 0; key < r->elements.count; key++, guard_tick(r->json.guard)) {
			const struct jepsen_element *e = &r->elements.items[key];
			if (e->read != r->reads && e->added && e->added < last)
				add_read(r, key, 0);
		}
		struct jepsen_call c = model_call(r, o);
		c.head.session = ID_NONE;
		c.head.has = 0;
		model_end(r, &c.head);
	}
}
