/* setup: see setup.h. */
#include "setup.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_ROWS = 500, ROW_BYTES = 256 };

struct fill {
	struct connection *c;
	struct text *initial;
	const char *table; /* of the rows in sql */
	struct text sql;
	size_t rows;
	bool failed;
};

static bool execute(struct connection *c, const char *sql)
{
	return c->driver->execute(c, sql) == ANSWER_DONE;
}

static void send_rows(struct fill *f)
{
	if (f->rows && !f->failed)
		f->failed = !execute(f->c, f->sql.data);
	text_cut(&f->sql, 0);
	f->rows = 0;
}

void fill_row(struct fill *f, const char *table, const struct key *key, int64_t value,
              const char *format, ...)
{
	char row[ROW_BYTES];
	va_list args;
	va_start(args, format);
	vsnprintf(row, sizeof row, format, args);
	va_end(args);
	if (f->table != table || f->rows == BATCH_ROWS)
		send_rows(f);
	f->table = table;
	if (f->rows++)
		text_word(&f->sql, ",");
	else
		text_print(&f->sql, "INSERT INTO %s VALUES ", table);
	text_word(&f->sql, row);
	if (!key)
		return;
	text_word(f->initial, f->initial->length ? ",[" : "[");
	key_print(f->initial, *key);
	text_print(f->initial, ",%" PRId64 "]", value);
}

void fill_relation(struct fill *f, const char *table, struct key key, const char *const *columns,
                   const int64_t *values)
{
	struct text sql = {0};
	text_print(&sql, "(%" PRId64, key.part[0]);
	for (size_t i = 0; columns[i]; i++)
		text_print(&sql, ", %" PRId64, values[i]);
	fill_row(f, table, NULL, 0, "%s)", sql.data);
	text_release(&sql);
	text_word(f->initial, f->initial->length ? ",[" : "[");
	key_print(f->initial, key);
	text_word(f->initial, ",");
	row_print(f->initial, columns, values);
	text_word(f->initial, "]");
}

static bool make_table(struct connection *c, const char *table)
{
	struct text sql = {0};
	text_print(&sql, "DROP TABLE IF EXISTS %.*s", (int)strcspn(table, " "), table);
	bool ok = execute(c, sql.data);
	text_cut(&sql, 0);
	text_print(&sql, "CREATE TABLE %s", table);
	ok = ok && execute(c, sql.data);
	text_release(&sql);
	return ok;
}

static bool make_index(struct connection *c, const char *index)
{
	struct text sql = {0};
	text_print(&sql, "CREATE INDEX %s", index);
	bool ok = execute(c, sql.data);
	text_release(&sql);
	return ok;
}

bool setup_tables(struct connection *c, const struct workload *w, const struct shape *shape,
                  uint64_t mark, struct text *initial)
{
	struct fill f = {.c = c, .initial = initial};
	if (!make_table(c, "alibi_mark (mark BIGINT PRIMARY KEY)"))
		return false;
	for (const char *const *table = w->tables; *table; table++)
		if (!make_table(c, *table))
			return false;
	if (w->index && !make_index(c, w->index))
		return false;
	if (w->fill)
		w->fill(&f, shape);
	fill_row(&f, "alibi_mark", NULL, 0, "(%" PRIu64 ")", mark);
	send_rows(&f);
	text_release(&f.sql);
	return !f.failed;
}

bool setup_is_visible(struct connection *c, uint64_t mark)
{
	if (!execute(c, "SELECT mark FROM alibi_mark"))
		return false;
	const char *seen = c->driver->cell(c, 0, 0);
	return seen && strtoull(seen, NULL, 10) == mark;
}

void setup_remove_mark(struct connection *c)
{
	execute(c, "DELETE FROM alibi_mark");
}
