/*
 * driver_sqlite: SQLite in WAL mode, several connections to one file.
 *
 * SQLite has one isolation level, serializable. BEGIN is deferred: a transaction reads a snapshot,
 * and its first write is refused if the snapshot is no longer the newest. A COMMIT that finds the
 * file busy leaves the transaction open; it is rolled back, not retried. Rows are copied, because
 * they are valid only until the next step.
 */
#include "driver.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATEMENTS_MAX = 64, NULL_CELL = -1 };

struct sqlite {
	struct connection base;
	sqlite3 *db;
	sqlite3_stmt *prepared[STATEMENTS_MAX];
	size_t columns, cell_count, cell_room;
	long *cells;      /* where in `text`, or NULL_CELL */
	struct text text; /* each cell ends in a 0 */
};

static enum answer problem(struct sqlite *s, int code)
{
	char digits[12];
	snprintf(digits, sizeof digits, "%d", sqlite3_extended_errcode(s->db));
	bool busy = (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
	bool wrong = (code & 0xff) == SQLITE_CONSTRAINT || (code & 0xff) == SQLITE_ERROR;
	return connection_problem(&s->base, busy || wrong ? ANSWER_REFUSED : ANSWER_UNSURE, digits,
	                          sqlite3_errmsg(s->db));
}

static void take_row(struct sqlite *s, sqlite3_stmt *statement)
{
	s->columns = (size_t)sqlite3_column_count(statement);
	for (size_t i = 0; i < s->columns; i++) {
		const char *text = (const char *)sqlite3_column_text(statement, (int)i);
		s->cells = items_grown(s->cells, s->cell_count, &s->cell_room, sizeof *s->cells);
		s->cells[s->cell_count++] = text ? (long)s->text.length : NULL_CELL;
		if (text)
			text_add(&s->text, text, strlen(text) + 1);
	}
	s->base.rows++;
}

static enum answer step_through(struct sqlite *s, sqlite3_stmt *statement)
{
	int code;
	s->base.rows = s->cell_count = 0;
	text_cut(&s->text, 0);
	while ((code = sqlite3_step(statement)) == SQLITE_ROW)
		take_row(s, statement);
	s->base.affected = (uint64_t)sqlite3_changes64(s->db);
	return code == SQLITE_DONE ? ANSWER_DONE : problem(s, code);
}

static enum answer execute(struct connection *c, const char *sql)
{
	struct sqlite *s = (struct sqlite *)c;
	sqlite3_stmt *statement;
	int code = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL);
	if (code != SQLITE_OK)
		return problem(s, code);
	enum answer answer = step_through(s, statement);
	sqlite3_finalize(statement);
	return answer;
}

static enum answer prepare(struct connection *c, const struct statement *statements, size_t count)
{
	struct sqlite *s = (struct sqlite *)c;
	for (size_t i = 0; i < count && i < STATEMENTS_MAX; i++) {
		int code = sqlite3_prepare_v2(s->db, statement_sql(&statements[i], SQLITE), -1,
		                              &s->prepared[i], NULL);
		if (code != SQLITE_OK)
			return problem(s, code);
	}
	return ANSWER_DONE;
}

static bool inside(struct connection *c, enum answer answer)
{
	return answer == ANSWER_REFUSED || !sqlite3_get_autocommit(((struct sqlite *)c)->db);
}

static enum answer run(struct connection *c, size_t statement, const int64_t *args,
                       size_t arg_count)
{
	struct sqlite *s = (struct sqlite *)c;
	sqlite3_stmt *prepared = s->prepared[statement];
	for (size_t i = 0; i < arg_count; i++)
		sqlite3_bind_int64(prepared, (int)i + 1, args[i]);
	enum answer answer = step_through(s, prepared);
	sqlite3_reset(prepared);
	return answer;
}

static enum answer commit(struct connection *c)
{
	struct sqlite *s = (struct sqlite *)c;
	enum answer answer = execute(c, "COMMIT");
	if (answer == ANSWER_REFUSED && sqlite3_get_autocommit(s->db))
		return ANSWER_UNSURE;
	return answer;
}

static enum answer rollback(struct connection *c)
{
	struct sqlite *s = (struct sqlite *)c;
	return sqlite3_get_autocommit(s->db) ? ANSWER_DONE : execute(c, "ROLLBACK");
}

static const char *cell(struct connection *c, size_t row, size_t column)
{
	struct sqlite *s = (struct sqlite *)c;
	long at = row < c->rows ? s->cells[row * s->columns + column] : NULL_CELL;
	return at == NULL_CELL ? NULL : s->text.data + at;
}

/* ---- connecting ---- */

static void close_connection(struct connection *c)
{
	struct sqlite *s = (struct sqlite *)c;
	for (size_t i = 0; i < STATEMENTS_MAX; i++)
		sqlite3_finalize(s->prepared[i]);
	sqlite3_close(s->db);
	text_release(&s->text);
	free(s->cells);
	free(s);
}

/* NULL, or the error. sqlite:///a/b is ambiguous: /a/b for some, a/b for others. */
static const char *refusal(const struct connect_options *o)
{
	const struct url *u = o->url;
	return u->names_hosts
	               ? "SQLite has no hosts; the URL is sqlite:FILE, such as sqlite:/tmp/try.db"
	       : !u->database ? "name the file: sqlite:FILE"
	       : !strcmp(u->database, ":memory:")
	               ? "each client would have its own database; name a file: sqlite:FILE"
	       : o->isolation != SERIALIZABLE ? "SQLite is always --isolation serializable"
	                                      : NULL;
}

static struct connection *open_connection(const struct connect_options *o, size_t host,
                                          struct text *why)
{
	(void)host;
	const char *wrong = refusal(o);
	if (wrong) {
		text_word(why, wrong);
		return NULL;
	}
	struct sqlite *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->base = (struct connection){.driver = &driver_sqlite, .begin = "BEGIN"};
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
	if (sqlite3_open_v2(o->url->database, &s->db, flags, NULL) == SQLITE_OK) {
		sqlite3_extended_result_codes(s->db, 1);
		sqlite3_busy_timeout(s->db, (int)(o->answer_seconds * 1000));
		if (execute(&s->base, "PRAGMA journal_mode = WAL") == ANSWER_DONE &&
		    execute(&s->base, "PRAGMA synchronous = NORMAL") == ANSWER_DONE)
			return &s->base;
	}
	text_word(why, s->db ? sqlite3_errmsg(s->db) : "out of memory");
	close_connection(&s->base);
	return NULL;
}

static void describe(struct connection *c, struct text *to)
{
	(void)c;
	text_print(to, "SQLite %s, journal_mode=WAL", sqlite3_libversion());
}

static const char *claim(struct connection *c)
{
	(void)c;
	return "ser";
}

const struct driver driver_sqlite = {
        .scheme = "sqlite",
        .title = "SQLite",
        .dialect = SQLITE,
        .setting = "",
        DRIVER_CALLS,
};
