/*
 * driver_mariadb: MariaDB and MySQL, by libmariadb.
 *
 * Requests are text with the integers in it. An error may come after the first rows of an answer:
 * mysql_store_result() then returns NULL although there are columns, which is an error and not an
 * empty result. After a deadlock or error 1020 the server has rolled back and would run the next
 * statements in autocommit. So only ROLLBACK is sent after an error, and after each statement the
 * server's status must say that the transaction is open. The client's automatic reconnect is off.
 *
 * The position of a transaction in the binlog (@@last_gtid) comes with the answer to COMMIT, by
 * session tracking.
 */
#include "driver.h"

#include <assert.h>
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CODE_DIGITS = 12,
	LOCK_WAIT_TIMEOUT = 1205,
	DEADLOCK = 1213, /* also a certification failure of Galera */
	RECORD_CHANGED = 1020,
	FIRST_CLIENT_ERROR = 2000,
	LAST_CLIENT_ERROR = 2999,
};

struct mariadb {
	struct connection base;
	const struct connect_options *options;
	MYSQL *my;
	MYSQL_RES *result; /* of the last answer; NULL: it had no rows */
	const struct statement *statements;
	struct text sql;
};

/* ---- requests ---- */

static enum answer problem(struct mariadb *m)
{
	unsigned code = mysql_errno(m->my);
	char digits[CODE_DIGITS];
	bool ours = code == 0 || (code >= FIRST_CLIENT_ERROR && code <= LAST_CLIENT_ERROR);
	snprintf(digits, sizeof digits, "%u", code);
	return connection_problem(&m->base, ours ? ANSWER_LOST : ANSWER_REFUSED, digits,
	                          mysql_error(m->my));
}

static enum answer ask(struct mariadb *m, const char *sql, size_t length)
{
	mysql_free_result(m->result);
	m->result = NULL;
	if (mysql_real_query(m->my, sql, length))
		return problem(m);
	m->result = mysql_store_result(m->my);
	if (!m->result && mysql_field_count(m->my))
		return problem(m);
	m->base.rows = m->result ? (size_t)mysql_num_rows(m->result) : 0;
	m->base.affected = m->result ? 0 : mysql_affected_rows(m->my);
	return ANSWER_DONE;
}

static enum answer execute(struct connection *c, const char *sql)
{
	return ask((struct mariadb *)c, sql, strlen(sql));
}

/* After an error the status is that of the answer before. */
static bool inside(struct connection *c, enum answer answer)
{
	unsigned status = 0;
	mariadb_get_infov(((struct mariadb *)c)->my, MARIADB_CONNECTION_SERVER_STATUS, &status);
	return answer == ANSWER_REFUSED || status & SERVER_STATUS_IN_TRANS;
}

static enum answer prepare(struct connection *c, const struct statement *s, size_t count)
{
	(void)count;
	((struct mariadb *)c)->statements = s;
	return ANSWER_DONE;
}

static enum answer run(struct connection *c, size_t statement, const int64_t *args,
                       size_t arg_count)
{
	struct mariadb *m = (struct mariadb *)c;
	const char *sql = statement_sql(&m->statements[statement], MARIADB);
	size_t used = 0;
	(void)arg_count; /* only asserted */
	text_cut(&m->sql, 0);
	for (const char *mark; (mark = strchr(sql, '?')); sql = mark + 1) {
		assert(used < arg_count);
		text_add(&m->sql, sql, (size_t)(mark - sql));
		text_integer(&m->sql, args[used++]);
	}
	text_word(&m->sql, sql);
	return ask(m, m->sql.data, m->sql.length);
}

/* Session tracking gives names and values in turn; read-only transactions have no gtid. */
static void keep_position(struct mariadb *m)
{
	const char *name, *value;
	size_t name_length, value_length;
	text_cut(&m->base.position, 0);
	if (!m->options->server_order ||
	    mysql_session_track_get_first(m->my, SESSION_TRACK_SYSTEM_VARIABLES, &name,
	                                  &name_length))
		return;
	do {
		if (mysql_session_track_get_next(m->my, SESSION_TRACK_SYSTEM_VARIABLES, &value,
		                                 &value_length))
			return;
		if (name_length == strlen("last_gtid") && !memcmp(name, "last_gtid", name_length)) {
			text_cut(&m->base.position, 0);
			text_add(&m->base.position, value, value_length);
		}
	} while (!mysql_session_track_get_next(m->my, SESSION_TRACK_SYSTEM_VARIABLES, &name,
	                                       &name_length));
}

static enum answer commit(struct connection *c)
{
	struct mariadb *m = (struct mariadb *)c;
	enum answer answer = execute(c, "COMMIT");
	if (answer == ANSWER_DONE)
		keep_position(m);
	unsigned code = mysql_errno(m->my);
	if (answer == ANSWER_REFUSED && code != DEADLOCK && code != LOCK_WAIT_TIMEOUT &&
	    code != RECORD_CHANGED)
		return ANSWER_UNSURE;
	return answer;
}

static enum answer rollback(struct connection *c)
{
	return execute(c, "ROLLBACK");
}

static const char *cell(struct connection *c, size_t row, size_t column)
{
	struct mariadb *m = (struct mariadb *)c;
	if (row >= c->rows)
		return NULL;
	mysql_data_seek(m->result, row);
	MYSQL_ROW cells = mysql_fetch_row(m->result);
	return cells[column];
}

/* ---- connecting ---- */

static void close_connection(struct connection *c)
{
	struct mariadb *m = (struct mariadb *)c;
	mysql_free_result(m->result);
	mysql_close(m->my);
	text_release(&m->sql);
	connection_release(c);
	free(m);
}

static MYSQL *connect_client(const struct connect_options *o, size_t host, struct text *why)
{
	const struct url *u = o->url;
	const char *port = u->hosts[host].port;
	unsigned seconds = (unsigned)o->answer_seconds + 1;
	my_bool no = 0;
	MYSQL *my = mysql_init(NULL);
	if (!my)
		return NULL;
	mysql_options(my, MYSQL_OPT_RECONNECT, &no);
	mysql_options(my, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
	mysql_options(my, MYSQL_OPT_READ_TIMEOUT, &seconds);
	mysql_options(my, MYSQL_OPT_WRITE_TIMEOUT, &seconds);
	if (!mysql_real_connect(my, u->hosts[host].name, u->user, u->password, u->database,
	                        port ? (unsigned)strtoul(port, NULL, 10) : 0,
	                        url_setting(u, "socket"), CLIENT_FOUND_ROWS)) {
		text_word(why, mysql_error(my));
		mysql_close(my);
		return NULL;
	}
	return my;
}

static struct connection *open_connection(const struct connect_options *o, size_t host,
                                          struct text *why)
{
	struct mariadb *m = calloc(1, sizeof *m);
	char sql[96];
	if (!m)
		return NULL;
	m->base = (struct connection){.driver = &driver_mariadb, .begin = "START TRANSACTION"};
	m->options = o;
	m->my = connect_client(o, host, why);
	if (!m->my) {
		free(m);
		return NULL;
	}
	snprintf(sql, sizeof sql, "SET SESSION TRANSACTION ISOLATION LEVEL %s",
	         isolation_sql(o->isolation));
	bool ready = execute(&m->base, sql) == ANSWER_DONE &&
	             execute(&m->base, "SET SESSION autocommit = 1") == ANSWER_DONE;
	if (ready && o->server_order)
		ready = execute(&m->base, "SET SESSION session_track_system_variables = "
		                          "'last_gtid'") == ANSWER_DONE;
	if (ready)
		return &m->base;
	text_word(why, m->base.problem);
	close_connection(&m->base);
	return NULL;
}

/* ---- description ---- */

/* The value of a variable; NULL: this version does not have it. */
static const char *variable(struct connection *c, const char *name)
{
	char sql[96];
	snprintf(sql, sizeof sql, "SHOW VARIABLES LIKE '%s'", name);
	return execute(c, sql) == ANSWER_DONE ? cell(c, 0, 1) : NULL;
}

static void describe(struct connection *c, struct text *to)
{
	static const char *const telling[] = {"innodb_snapshot_isolation", "wsrep_on", NULL};
	text_print(to, "MariaDB %s", mysql_get_server_info(((struct mariadb *)c)->my));
	for (const char *const *name = telling; *name; name++) {
		const char *value = variable(c, *name);
		if (value)
			text_print(to, ", %s=%s", *name, value);
	}
}

/* Its REPEATABLE READ is snapshot isolation only with innodb_snapshot_isolation. */
static const char *claim(struct connection *c)
{
	static const char *const levels[] = {NULL, "rc", NULL, "ser"};
	enum isolation isolation = ((struct mariadb *)c)->options->isolation;
	const char *snapshots = variable(c, "innodb_snapshot_isolation");
	if (isolation == REPEATABLE_READ && snapshots && !strcmp(snapshots, "ON"))
		return "si";
	return levels[isolation];
}

const struct driver driver_mariadb = {
        .scheme = "mariadb",
        .title = "MariaDB",
        .dialect = MARIADB,
        .setting = "socket",
        .has_order = true,
        DRIVER_CALLS,
};
