/*
 * row: the canonical text of a row, a flat object.
 *
 * Members are sorted by the bytes of their names, without spaces, strings are escaped in one way,
 * and no member is null: a column that is missing is NULL, so a row says the same with and
 * without it. So equal rows are equal bytes, whatever order their members came in. A row of nulls
 * only is {}, which is there, unlike null.
 *
 * Cost. Sorting the members.
 */
#ifndef ALIBI_HISTORY_ROW_H
#define ALIBI_HISTORY_ROW_H

#include "history/render.h"

/* A member, rendered as "name":value; its name is with the quotes. */
struct row_member {
	const char *name;
	size_t name_length, length;
	bool null; /* then its value is not rendered */
};

struct row {
	struct pool *pool;
	text_vec text; /* the members, as they came */
	VEC(struct row_member) members;
	text_vec canonical;
};

/* A member: first its name, then its value: a string, an integer, a boolean or null. */
void row_name(struct row *r, const char *name, size_t length);
void row_value(struct row *r, alibi_value value);
/* All are there: makes the canonical text. Returns a member that is there twice, or NULL. */
const struct row_member *row_finish(struct row *r);

#endif
