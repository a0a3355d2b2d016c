/* render: see render.h. */
#include "history/render.h"

#include "history/query.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_add(struct pool *p, text_vec *t, const char *bytes, size_t length)
{
	vec_reserve(p, t, t->count + length + 1);
	assert(t->items);
	if (length)
		memcpy(t->items + t->count, bytes, length);
	t->count += length;
}

__attribute__((format(printf, 3, 0))) static void add_formatted(struct pool *p, text_vec *t,
                                                                const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	assert(length >= 0);
	vec_reserve(p, t, t->count + (size_t)length + 1);
	vsnprintf(t->items + t->count, (size_t)length + 1, format, again);
	t->count += (size_t)length;
	va_end(again);
}

void text_addf(struct pool *p, text_vec *t, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	add_formatted(p, t, format, args);
	va_end(args);
}

const char *text_format(struct pool *p, const char *format, ...)
{
	text_vec t = {0};
	va_list args;
	va_start(args, format);
	add_formatted(p, &t, format, args);
	va_end(args);
	return text_string(p, &t);
}

const char *text_string(struct pool *p, text_vec *t)
{
	vec_reserve(p, t, t->count + 1);
	t->items[t->count] = 0;
	return t->items;
}

/* By hand: it is half of the time of writing a large history. */
void text_add_integer(struct pool *p, text_vec *t, int64_t n)
{
	char digits[24];
	size_t at = sizeof digits;
	uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	do
		digits[--at] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (n < 0)
		digits[--at] = '-';
	text_add(p, t, digits + at, sizeof digits - at);
}

void text_add_escaped(struct pool *p, text_vec *t, enum escape_style style, const char *bytes,
                      size_t length)
{
	for (struct escape e = escape_of(style, bytes, length); escape_next(&e);)
		text_add(p, t, e.piece, e.length);
}

void text_add_json_string(struct pool *p, text_vec *t, const char *bytes, size_t length)
{
	vec_reserve(p, t, t->count + length + 3);
	text_add(p, t, "\"", 1);
	text_add_escaped(p, t, ESCAPE_JSON, bytes, length);
	text_add(p, t, "\"", 1);
}

void text_add_value(struct pool *p, text_vec *t, alibi_value v)
{
	switch (v.kind) {
	case ALIBI_NULL:
		text_add(p, t, "null", 4);
		break;
	case ALIBI_BOOL:
		text_addf(p, t, "%s", v.integer ? "true" : "false");
		break;
	case ALIBI_INT:
		text_add_integer(p, t, v.integer);
		break;
	case ALIBI_STRING:
		text_add_json_string(p, t, v.text, v.length);
		break;
	case ALIBI_DECIMAL:
	case ALIBI_ROW:
		text_add(p, t, v.text, v.length);
		break;
	case ALIBI_LIST:
		assert(false && "lists are rendered by text_add_atom");
	}
}

void text_add_list_end(struct pool *p, text_vec *t, list_item *item, const void *data, size_t count,
                       size_t most)
{
	size_t from = count > most ? count - most : 0;
	text_add(p, t, "[", 1);
	if (from)
		text_addf(p, t, "…%zu more,", from);
	for (size_t i = from; i < count; i++) {
		if (i > from)
			text_add(p, t, ",", 1);
		text_add_value(p, t, item(data, i));
	}
	text_add(p, t, "]", 1);
}

void text_add_atom(struct pool *p, text_vec *t, const struct history *h, uint32_t value,
                   size_t max_items)
{
	size_t count;
	if (atoms_kind(&h->values, value) != ALIBI_LIST) {
		text_add_value(p, t, atoms_value(&h->values, value));
		return;
	}
	const uint32_t *items = atoms_items(&h->values, value, &count);
	text_add(p, t, "[", 1);
	for (size_t i = 0; i < count; i++) {
		if (i)
			text_add(p, t, ",", 1);
		if (i == max_items) {
			text_add(p, t, "…", strlen("…"));
			break;
		}
		text_add_value(p, t, atoms_value(&h->values, items[i]));
	}
	text_add(p, t, "]", 1);
}

static bool is_word(alibi_value v)
{
	if (v.kind != ALIBI_STRING || !v.length)
		return false;
	bool keyword = v.text[0] == ':' && v.length > 1; /* of Clojure */
	if (!keyword && !isalpha((unsigned char)v.text[0]))
		return false;
	for (size_t i = 0; i < v.length; i++)
		if (!isalnum((unsigned char)v.text[i]) && !strchr("_-.:/", v.text[i]))
			return false;
	return true;
}

void text_add_name(struct pool *p, text_vec *t, alibi_value v)
{
	if (is_word(v))
		text_add(p, t, v.text, v.length);
	else
		text_add_value(p, t, v);
}

void text_add_key(struct pool *p, text_vec *t, const struct history *h, uint32_t key)
{
	alibi_value v = atoms_value(&h->keys, key);
	if (v.kind != ALIBI_STRING)
		text_add(p, t, "key ", strlen("key "));
	text_add_name(p, t, v);
}

void text_add_pattern(struct pool *p, text_vec *t, alibi_value prefix)
{
	for (size_t i = 0; i < prefix.length; i++) {
		if (strchr("%_\\", prefix.text[i]) && prefix.text[i])
			vec_push(p, t, '\\');
		vec_push(p, t, prefix.text[i]);
	}
	vec_push(p, t, '%');
}

/* like "ab%" */
static void add_pattern(struct pool *p, text_vec *t, alibi_value prefix)
{
	text_vec pattern = {.count = 0};
	text_add_pattern(p, &pattern, prefix);
	text_add_json_string(p, t, pattern.items, pattern.count);
	pool_free(p, pattern.items);
}

static void add_comparison(struct pool *p, text_vec *t, const struct queries *x,
                           const struct comparison *c)
{
	static const char *const words[] = {
#define X(name, text) text,
	        COMPARISONS(X)
#undef X
	};
	const char *word = c->kind == COMPARE_IS_NULL       ? "is null"
	                   : c->kind == COMPARE_IS_NOT_NULL ? "is not null"
	                                                    : words[c->kind];
	text_add_name(p, t, atoms_value(&x->columns, c->column));
	text_addf(p, t, " %s", word);
	text_addf(p, t, c->kind == COMPARE_IN ? " (" : c->count ? " " : "");
	for (uint32_t i = 0; i < c->count; i++) {
		alibi_value constant = atoms_value(&x->cells, x->constants.items[c->first + i]);
		text_addf(p, t, !i ? "" : c->kind == COMPARE_IN ? ", " : " and ");
		if (c->kind == COMPARE_LIKE)
			add_pattern(p, t, constant);
		else
			text_add_value(p, t, constant);
	}
	text_addf(p, t, c->kind == COMPARE_IN ? ")" : "");
}

/* v = 1, (v = 1 or v = 2), not (v = 1) */
static void add_condition(struct pool *p, text_vec *t, const struct queries *x,
                          const struct comparison *c)
{
	if (!joins(c)) {
		add_comparison(p, t, x, c);
		return;
	}
	bool brackets = c->kind != COMPARE_NOT || !joins(c + 1);
	text_addf(p, t, "%s%s", c->kind == COMPARE_NOT ? "not " : "", brackets ? "(" : "");
	for (uint32_t i = 1; i <= c->count; i += condition_size(c + i)) {
		text_addf(p, t, i == 1 ? "" : c->kind == COMPARE_AND ? " and " : " or ");
		add_condition(p, t, x, c + i);
	}
	text_addf(p, t, brackets ? ")" : "");
}

void text_add_query(struct pool *p, text_vec *t, const struct history *h, const struct query *q)
{
	const struct queries *x = h->queries;
	if (q->relation == ID_NONE)
		text_addf(p, t, "%s", q->comparisons ? "rows" : "all rows");
	else
		text_add_name(p, t, atoms_value(&x->relations, q->relation));
	for (uint32_t i = 0; i < q->comparisons;) {
		const struct comparison *c = &x->comparisons.items[q->comparison + i];
		text_addf(p, t, i ? " and " : " where ");
		add_condition(p, t, x, c);
		i += condition_size(c);
	}
}

void text_add_txn(struct pool *p, text_vec *t, const struct history *h, uint32_t txn)
{
	alibi_value id = history_txn_id(h, txn);
	if (id.kind == ALIBI_INT)
		text_add(p, t, "T", 1);
	text_add_name(p, t, id);
}

const char *render_value(struct pool *p, alibi_value v)
{
	text_vec t = {0};
	text_add_value(p, &t, v);
	return text_string(p, &t);
}

const char *render_atom(struct pool *p, const struct history *h, uint32_t value, size_t max_items)
{
	text_vec t = {0};
	text_add_atom(p, &t, h, value, max_items);
	return text_string(p, &t);
}
