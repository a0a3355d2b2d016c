/* row: see row.h. */
#include "history/row.h"

#include <stdlib.h>
#include <string.h>

void row_name(struct row *r, const char *name, size_t length)
{
	size_t from = r->text.count;
	text_add_json_string(r->pool, &r->text, name, length);
	struct row_member m = {.name_length = r->text.count - from};
	text_add(r->pool, &r->text, ":", 1);
	m.length = m.name_length + 1;
	vec_push(r->pool, &r->members, m);
}

void row_value(struct row *r, alibi_value value)
{
	struct row_member *m = &r->members.items[r->members.count - 1];
	size_t from = r->text.count;
	m->null = value.kind == ALIBI_NULL;
	if (!m->null)
		text_add_value(r->pool, &r->text, value);
	m->length += r->text.count - from;
}

static int by_name(const void *x, const void *y)
{
	const struct row_member *a = x, *b = y;
	size_t shorter = a->name_length < b->name_length ? a->name_length : b->name_length;
	int order = memcmp(a->name, b->name, shorter);
	return order ? order
	             : (a->name_length > b->name_length) - (a->name_length < b->name_length);
}

const struct row_member *row_finish(struct row *r)
{
	struct row_member *m = r->members.items;
	const char *at = r->text.items;
	for (size_t i = 0; i < r->members.count; at += m[i++].length)
		m[i].name = at;
	if (r->members.count)
		qsort(m, r->members.count, sizeof *m, by_name);
	text_add(r->pool, &r->canonical, "{", 1);
	for (size_t i = 0; i < r->members.count; i++) {
		if (i && !by_name(&m[i - 1], &m[i]))
			return &m[i];
		if (m[i].null)
			continue;
		if (r->canonical.count > 1)
			text_add(r->pool, &r->canonical, ",", 1);
		text_add(r->pool, &r->canonical, m[i].name, m[i].length);
	}
	text_add(r->pool, &r->canonical, "}", 1);
	return NULL;
}
