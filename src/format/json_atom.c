/* json_atom: keys and values of histories from JSON. */
#include "format/json.h"
#include "history/row.h"

/* As Python's json.dumps() writes them. */
static void refuse_nan(struct json *j)
{
	char c = json_peek(j);
	if (c == 'N' || c == 'I')
		json_reject(j, "NaN and Infinity are not in JSON; write them as strings");
}

/* A member of a row; a string is valid until the next one is read. */
static alibi_value scalar(struct json *j)
{
	char c = json_peek(j);
	if (c == '"') {
		struct text t = json_string(j, "a string");
		return (alibi_value){.kind = ALIBI_STRING, .text = t.bytes, .length = t.length};
	}
	if (json_at_number(j))
		return json_number(j, "a number");
	if (c == 't' || c == 'f')
		return (alibi_value){.kind = ALIBI_BOOL, .integer = json_bool(j, "true or false")};
	if (json_take_null(j))
		return (alibi_value){.kind = ALIBI_NULL};
	refuse_nan(j);
	json_expected(j, "a string, a number, true, false or null (rows are flat)");
}

static uint32_t row(struct json *j, struct atoms *atoms)
{
	struct row r = {.pool = pool_child(j->pool)};
	struct text name;
	for (bool first = json_open(j, '{', "a row"); json_member(j, &first, &name);) {
		row_name(&r, name.bytes, name.length);
		row_value(&r, scalar(j));
		guard_tick(j->guard);
	}
	const struct row_member *twice = row_finish(&r);
	if (twice)
		json_reject(j, "a row has two members named %.*s", (int)twice->name_length,
		            twice->name);
	uint32_t atom = atoms_row(atoms, r.canonical.items, r.canonical.count);
	pool_release(r.pool);
	return atom;
}

uint32_t json_atom(struct json *j, struct atoms *atoms, bool may_be_null, const char *what)
{
	char c = json_peek(j);
	if (c == '"') {
		struct text t = json_string(j, what);
		return atoms_string(atoms, t.bytes, t.length);
	}
	if (json_at_number(j)) {
		alibi_value v = json_number(j, what);
		return v.kind == ALIBI_INT ? atoms_integer(atoms, v.integer) : atoms_add(atoms, v);
	}
	if (c == '{')
		return row(j, atoms);
	if (c == 't' || c == 'f')
		return atoms_bool(atoms, json_bool(j, what));
	if (may_be_null && json_take_null(j))
		return ATOM_NULL;
	refuse_nan(j);
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
