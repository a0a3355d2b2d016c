/* alibi_query: see alibi_query.h. */
#include "format/alibi_query.h"

#include <string.h>

static const char *const comparison_names[] = {
#define X(name, text) text,
        COMPARISONS(X)
#undef X
};

enum { NESTED_MAX = 64 }; /* conditions inside each other */

/* ---- reading ---- */

static uint32_t read_column(struct json *j, struct queries *x)
{
	struct text name = json_string(j, "the name of a column");
	return atoms_string(&x->columns, name.bytes, name.length);
}

static uint32_t read_cell(struct json *j, struct queries *x)
{
	static const char what[] = "a value of a column (string, number, boolean or null)";
	if (json_peek(j) == '{')
		json_expected(j, what);
	return json_atom(j, &x->cells, true, what);
}

static void read_constant(struct json *j, struct builder *b, struct comparison *c)
{
	vec_push(b->pool, &b->h->queries->constants, read_cell(j, b->h->queries));
	c->count++;
}

/* The prefix that a pattern stands for: "ab\\_%" is what begins with "ab_". Others would need
 * more than a comparison of strings. */
static void read_pattern(struct json *j, struct builder *b, struct comparison *c)
{
	static const char expected[] =
	        "like takes a prefix and a final %, with \\ before any other %, _ or \\";
	text_vec prefix = {.count = 0};
	struct text t = json_string(j, "a pattern such as \"ab%\"");
	bool whole = false;
	for (size_t i = 0; i < t.length; i++) {
		char ch = t.bytes[i];
		bool escaped = ch == '\\' && i + 1 < t.length;
		whole = ch == '%' && i + 1 == t.length;
		if (whole)
			break;
		if (escaped)
			ch = t.bytes[++i];
		if (escaped ? !strchr("%_\\", ch) || !ch : ch == '%' || ch == '_' || ch == '\\')
			json_reject(j,
			            "%s; the pattern before this has another at byte %zu. Instead "
			            "of such a query, record reads of the rows that it returned",
			            expected, i + 1);
		vec_push(j->pool, &prefix, ch);
	}
	if (!whole)
		json_reject(j, "%s; compare with = if there is no %%", expected);
	vec_push(b->pool, &b->h->queries->constants,
	         atoms_string(&b->h->queries->cells, prefix.items, prefix.count));
	c->count++;
	pool_free(j->pool, prefix.items);
}

/* What follows the column: "=", value], "in", [values]], "between", low, high], … */
static void read_comparison(struct json *j, struct builder *b, uint32_t column)
{
	struct queries *x = b->h->queries;
	struct comparison c = {.column = column, .first = (uint32_t)x->constants.count};
	struct text kind = json_string(j, "\"=\" or another comparison");
	c.kind = text_among(kind, comparison_names, COMPARE_AND);
	if (c.kind == COMPARE_AND)
		json_reject(j,
		            "expected =, !=, <, <=, >, >=, in, between, like, is-null or "
		            "is-not-null before this, found \"%.*s\"",
		            (int)(kind.length < 20 ? kind.length : 20), kind.bytes);
	if (c.kind != COMPARE_IS_NULL && c.kind != COMPARE_IS_NOT_NULL)
		json_expect(j, ',', "',' and what to compare with");
	if (c.kind == COMPARE_IN) {
		for (bool first = json_open(j, '[', "a list of values"); json_next(j, &first, ']');)
			read_constant(j, b, &c);
	} else if (c.kind == COMPARE_LIKE) {
		read_pattern(j, b, &c);
	} else if (c.kind != COMPARE_IS_NULL && c.kind != COMPARE_IS_NOT_NULL) {
		read_constant(j, b, &c);
	}
	if (c.kind == COMPARE_BETWEEN) {
		json_expect(j, ',', "',' and the upper bound");
		read_constant(j, b, &c);
	}
	json_expect(j, ']', "']' at the end of the comparison");
	vec_push(b->pool, &x->comparisons, c);
}

/* [column, …], ["and", condition, …], ["or", condition, …], ["not", condition] */
static void read_condition(struct json *j, struct builder *b, unsigned depth)
{
	struct queries *x = b->h->queries;
	json_expect(j, '[', "a condition such as [\"v\", \"=\", 1]");
	struct text name = json_string(j, "the name of a column, or \"and\", \"or\" or \"not\"");
	unsigned kind = COMPARE_AND + text_among(name, comparison_names + COMPARE_AND,
	                                         COMPARISON_COUNT - COMPARE_AND);
	json_expect(j, ',', "',' and what to compare by");
	if (json_peek(j) != '[' || kind == COMPARISON_COUNT) {
		read_comparison(j, b, atoms_string(&x->columns, name.bytes, name.length));
		return;
	}
	if (depth == NESTED_MAX)
		json_reject(j, "more than %d conditions inside each other", NESTED_MAX);
	size_t at = x->comparisons.count;
	vec_push(b->pool, &x->comparisons, (struct comparison){.kind = kind});
	do {
		read_condition(j, b, depth + 1);
		guard_tick(j->guard);
	} while (kind != COMPARE_NOT && json_take(j, ','));
	json_expect(j, ']', kind == COMPARE_NOT ? "']': not has one condition" : "',' or ']'");
	x->comparisons.items[at].count = (uint32_t)(x->comparisons.count - at - 1);
}

static void read_except(struct json *j, struct builder *b, struct query *q)
{
	for (bool first = json_open(j, '[', "a list of keys"); json_next(j, &first, ']');) {
		uint32_t key = json_atom(j, b->keys, false, "a key");
		vec_push(b->pool, &b->h->queries->except, key);
		q->excepts++;
		guard_tick(j->guard);
	}
}

static void read_predicate(struct json *j, struct builder *b, struct query *q)
{
	enum { FROM, WHERE, EXCEPT, MEMBERS };
	static const char *const names[] = {"from", "where", "except"};
	struct queries *x = b->h->queries;
	struct json_object o =
	        json_object(j, "a predicate such as {\"from\": \"accounts\"}", names, MEMBERS);
	o.advice = "; a predicate has \"from\", \"where\" and \"except\"";
	for (unsigned member; json_field(j, &o, &member);) {
		if (member == FROM) {
			struct text from = json_string(j, "a relation, a string");
			if (memchr(from.bytes, '/', from.length))
				json_reject(j,
				            "\"from\" has a / in it, but a relation is the part of "
				            "a key before the first /; name the relation");
			q->relation = atoms_string(&x->relations, from.bytes, from.length);
		} else if (member == EXCEPT) {
			read_except(j, b, q);
		} else {
			for (bool begin = json_open(j, '[', "a list of conditions");
			     json_next(j, &begin, ']'); guard_tick(j->guard))
				read_condition(j, b, 0);
		}
	}
	q->comparisons = (uint32_t)x->comparisons.count - q->comparison;
}

/* value, or ["+", column, number] */
static void read_assignment(struct json *j, struct builder *b, struct text column)
{
	struct queries *x = b->h->queries;
	struct assignment a = {.plus = ID_NONE};
	a.column = atoms_string(&x->columns, column.bytes, column.length);
	if (json_peek(j) != '[') {
		a.constant = read_cell(j, x);
	} else {
		json_expect(j, '[', "[\"+\", column, number]");
		if (!text_is(json_string(j, "\"+\""), "+"))
			json_reject(j, "expected [\"+\", column, number]");
		json_expect(j, ',', "',' and a column");
		a.plus = read_column(j, x);
		json_expect(j, ',', "',' and a number");
		a.constant = atoms_add(&x->cells, json_number(j, "a number"));
		json_expect(j, ']', "']' after the sum");
	}
	vec_push(b->pool, &x->assignments, a);
}

/* {"set": {column: value, …}} or {"delete": true} */
static void read_change(struct json *j, struct builder *b, struct query *q)
{
	static const char expected[] =
	        "a change is {\"set\": {column: value}} or {\"delete\": true}";
	struct text name;
	bool outer = json_open(j, '{', expected);
	if (!json_member(j, &outer, &name))
		json_reject(j, "%s", expected);
	if (text_is(name, "set")) {
		for (bool first = json_open(j, '{', "{column: value}");
		     json_member(j, &first, &name); guard_tick(j->guard)) {
			read_assignment(j, b, name);
			for (uint32_t i = 0; i < q->assignments; i++) {
				const struct assignment *a =
				        b->h->queries->assignments.items + q->assignment;
				if (a[i].column == a[q->assignments].column)
					json_reject(j, "a column is set twice");
			}
			q->assignments++;
		}
	} else if (text_is(name, "delete") && json_bool(j, "true")) {
		q->kind = QUERY_DELETE;
	} else {
		json_reject(j, "%s", expected);
	}
	if (json_member(j, &outer, &name))
		json_reject(j, "%s", expected);
}

static void read_rows(struct json *j, struct builder *b, struct query *q)
{
	if (json_peek(j) == '{' || json_at_number(j))
		json_reject(j,
		            "expected the rows, [[key, row], …]; a count or a sum says too little "
		            "about them, so record the rows that were counted or added, and [] "
		            "for a count of 0");
	for (bool first = json_open(j, '[', "a list of [key, row]"); json_next(j, &first, ']');) {
		json_expect(j, '[', "[key, row]");
		uint32_t key = json_atom(j, b->keys, false, "a key");
		json_expect(j, ',', "',' and the row");
		bool gone = q->kind == QUERY_DELETE;
		if (gone && !json_take_null(j))
			json_expected(j, "null: the row is deleted");
		uint32_t row = gone ? ATOM_NULL : json_atom(j, b->values, false, "a row");
		builder_op(b, q->kind == QUERY_SELECT ? ALIBI_READ : ALIBI_WRITE, key, row);
		json_expect(j, ']', "']' after the row");
		q->rows++;
		guard_tick(j->guard);
	}
}

void alibi_read_row(struct pool *pool, alibi_value row, struct queries *x)
{
	struct json j;
	struct text name;
	char *copy = json_copy(&j, pool, NULL, row.text, row.length);
	for (bool first = json_open(&j, '{', "a row"); json_member(&j, &first, &name);) {
		uint32_t column = atoms_string(&x->columns, name.bytes, name.length);
		vec_push(pool, &x->taken, ((struct cell){column, read_cell(&j, x)}));
	}
	pool_free(pool, copy);
	pool_free(pool, j.scratch.items);
}

void alibi_read_query(struct json *j, struct builder *b, bool update)
{
	struct query *q = builder_query(b, update ? QUERY_UPDATE : QUERY_SELECT, alibi_read_row);
	json_expect(j, ',', "',' and a predicate");
	read_predicate(j, b, q);
	if (update) {
		json_expect(j, ',', "',' and a change");
		read_change(j, b, q);
		q->opaque = !json_take(j, ',');
	} else {
		json_expect(j, ',', "',' and the rows that were found");
	}
	if (!q->opaque)
		read_rows(j, b, q);
}

/* ---- writing ---- */

static void write_atom(struct sink *s, const struct atoms *atoms, uint32_t atom)
{
	sink_value(s, atoms_value(atoms, atom));
}

static void write_pattern(struct sink *s, alibi_value prefix)
{
	text_vec pattern = {.count = 0};
	text_add_pattern(s->pool, &pattern, prefix);
	sink_value(s, (alibi_value){.kind = ALIBI_STRING,
	                            .text = pattern.items,
	                            .length = pattern.count});
	pool_free(s->pool, pattern.items);
}

static void write_condition(struct sink *s, const struct queries *x, const struct comparison *c)
{
	if (joins(c)) {
		sink_addf(s, "[\"%s\"", comparison_names[c->kind]);
		for (uint32_t i = 1; i <= c->count; i += condition_size(c + i)) {
			sink_text(s, ",");
			write_condition(s, x, c + i);
		}
		sink_text(s, "]");
		return;
	}
	sink_text(s, "[");
	write_atom(s, &x->columns, c->column);
	sink_addf(s, ",\"%s\"", comparison_names[c->kind]);
	if (c->kind == COMPARE_IN)
		sink_text(s, ",[");
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t constant = x->constants.items[c->first + i];
		sink_text(s, c->kind == COMPARE_IN && !i ? "" : ",");
		if (c->kind == COMPARE_LIKE)
			write_pattern(s, atoms_value(&x->cells, constant));
		else
			write_atom(s, &x->cells, constant);
	}
	sink_text(s, c->kind == COMPARE_IN ? "]]" : "]");
}

static void write_predicate(const struct history *h, struct sink *s, const struct query *q)
{
	const struct queries *x = h->queries;
	const uint32_t *except = query_except(h, q);
	bool any = q->relation != ID_NONE;
	sink_text(s, "{");
	if (any) {
		sink_text(s, "\"from\":");
		write_atom(s, &x->relations, q->relation);
	}
	for (uint32_t i = 0; i < q->comparisons;) {
		const struct comparison *c = &x->comparisons.items[q->comparison + i];
		sink_text(s, i ? "," : any ? ",\"where\":[" : "\"where\":[");
		write_condition(s, x, c);
		i += condition_size(c);
	}
	sink_text(s, q->comparisons ? "]" : "");
	any |= q->comparisons > 0;
	for (uint32_t i = 0; i < q->excepts; i++) {
		sink_text(s, i ? "," : any ? ",\"except\":[" : "\"except\":[");
		write_atom(s, &h->keys, except[i]);
	}
	sink_text(s, q->excepts ? "]}" : "}");
}

static void write_change(struct sink *s, const struct queries *x, const struct query *q)
{
	if (q->kind == QUERY_DELETE) {
		sink_text(s, ",{\"delete\":true}");
		return;
	}
	sink_text(s, ",{\"set\":{");
	for (uint32_t i = 0; i < q->assignments; i++) {
		const struct assignment *a = &x->assignments.items[q->assignment + i];
		sink_text(s, i ? "," : "");
		write_atom(s, &x->columns, a->column);
		sink_text(s, a->plus == ID_NONE ? ":" : ":[\"+\",");
		if (a->plus != ID_NONE) {
			write_atom(s, &x->columns, a->plus);
			sink_text(s, ",");
		}
		write_atom(s, &x->cells, a->constant);
		sink_text(s, a->plus == ID_NONE ? "" : "]");
	}
	sink_text(s, "}}");
}

void alibi_write_query(const struct history *h, struct sink *s, const struct query *q)
{
	sink_text(s, q->kind == QUERY_SELECT ? "[\"q\"," : "[\"u\",");
	write_predicate(h, s, q);
	if (q->kind != QUERY_SELECT)
		write_change(s, h->queries, q);
	sink_text(s, q->opaque ? "]" : ",[");
	for (uint32_t row = q->op + 1; row <= q->op + q->rows; row++) {
		sink_text(s, row > q->op + 1 ? ",[" : "[");
		write_atom(s, &h->keys, op_key(h->ops[row]));
		sink_text(s, ",");
		sink_atom(s, h, h->ops[row].value);
		sink_text(s, "]");
		guard_tick(s->guard);
	}
	sink_text(s, q->opaque ? "" : "]]");
}
