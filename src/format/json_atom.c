/*
 * json_atom: keys and values of histories from JSON.
 *
 * A row, a flat object, is stored as canonical text, so that equal rows are equal bytes: members
 * sorted by the bytes of their names, no spaces, one way of escaping, and no member that is null,
 * since a missing column is NULL. A row of nulls only is {}, which, unlike null, exists.
 */
#include "format/json.h"

#include <stdlib.h>
#include <string.h>

/* A member of a row, rendered: "name":value. */
struct column {
	const char *name;
	size_t name_length, length;
	bool null; /* then its value is not rendered */
};

static int by_name(const void *x, const void *y)
{
	const struct column *a = x, *b = y;
	size_t shorter = a->name_length < b->name_length ? a->name_length : b->name_length;
	int order = memcmp(a->name, b->name, shorter);
	return order                             ? order
	       : a->name_length < b->name_length ? -1
	                                         : a->name_length > b->name_length;
}

static void render_scalar(struct json *j, struct pool *pool, text_vec *out)
{
	char c = json_peek(j);
	if (c == '"') {
		struct text t = json_string(j, "a string");
		text_add_json_string(pool, out, t.bytes, t.length);
	} else if (json_at_number(j)) {
		alibi_value v = {.kind = ALIBI_INT, .integer = json_integer(j, "an integer")};
		text_add_value(pool, out, v);
	} else if (c == 't' || c == 'f') {
		text_addf(pool, out, "%s", json_bool(j, "true or false") ? "true" : "false");
	} else {
		json_expected(j, "a string, an integer, true, false or null (rows are flat)");
	}
}

static uint32_t row(struct json *j, struct atoms *atoms)
{
	struct pool *pool = pool_child(j->pool);
	text_vec text = {0}, canonical = {0};
	VEC(struct column) columns = {0};
	struct text name;
	for (bool first = json_open(j, '{', "a row"); json_member(j, &first, &name);) {
		struct column c = {0};
		size_t from = text.count;
		text_add_json_string(pool, &text, name.bytes, name.length);
		c.name_length = text.count - from;
		text_add(pool, &text, ":", 1);
		c.null = json_take_null(j);
		if (!c.null)
			render_scalar(j, pool, &text);
		c.length = text.count - from;
		vec_push(pool, &columns, c);
		guard_tick(j->guard);
	}
	size_t at = 0;
	for (size_t i = 0; i < columns.count; i++) {
		columns.items[i].name = text.items + at;
		at += columns.items[i].length;
	}
	if (columns.count)
		qsort(columns.items, columns.count, sizeof *columns.items, by_name);
	text_add(pool, &canonical, "{", 1);
	for (size_t i = 0; i < columns.count; i++) {
		struct column *c = &columns.items[i];
		if (i && !by_name(c - 1, c))
			json_reject(j, "a row has two members named %.*s", (int)c->name_length,
			            c->name);
		if (c->null)
			continue;
		if (canonical.count > 1)
			text_add(pool, &canonical, ",", 1);
		text_add(pool, &canonical, c->name, c->length);
	}
	text_add(pool, &canonical, "}", 1);
	uint32_t atom = atoms_row(atoms, canonical.items, canonical.count);
	pool_release(pool);
	return atom;
}

uint32_t json_atom(struct json *j, struct atoms *atoms, bool may_be_null, const char *what)
{
	char c = json_peek(j);
	if (c == '"') {
		struct text t = json_string(j, what);
		return atoms_string(atoms, t.bytes, t.length);
	}
	if (json_at_number(j))
		return atoms_integer(atoms, json_integer(j, what));
	if (c == '{')
		return row(j, atoms);
	if (c == 't' || c == 'f')
		return atoms_bool(atoms, json_bool(j, what));
	if (may_be_null && json_take_null(j))
		return ATOM_NULL;
	json_expected(j, what);
}

uint32_t json_atom_or_list(struct json *j, struct atoms *atoms, const char *what)
{
	if (json_peek(j) != '[')
		return json_atom(j, atoms, true, what);
	struct pool *pool = pool_child(j->pool);
	VEC(uint32_t) items = {0};
	for (bool first = json_open(j, '[', what); json_next(j, &first, ']');) {
		vec_push(pool, &items,
		         json_atom(j, atoms, false, "a list element (not null or a list)"));
		guard_tick(j->guard);
	}
	uint32_t list = atoms_list(atoms, items.items, items.count);
	pool_release(pool);
	return list;
}

uint32_t json_name(struct json *j, struct atoms *names, const char *what)
{
	if (json_peek(j) == '"') {
		struct text t = json_string(j, what);
		return atoms_string(names, t.bytes, t.length);
	}
	return atoms_integer(names, json_integer(j, what));
}
