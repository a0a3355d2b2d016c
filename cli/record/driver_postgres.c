/*
 * driver_postgres: PostgreSQL, by libpq.
 *
 * Requests have a deadline, because PQexec() would wait indefinitely for a server that hangs. What
 * a COMMIT did is in its command tag: in a failed transaction, COMMIT succeeds and its tag says
 * ROLLBACK. After each statement the server must still be in the transaction, according to the
 * transaction status in ReadyForQuery.
 *
 * The snapshot and the xid of a transaction are requested together with its COMMIT, without
 * another round trip. From repeatable read on, a transaction has one snapshot, taken by its first
 * statement.
 *
 * The log is a logical replication slot, which has the committed transactions in commit order. A
 * transaction that has written puts a message with its number, its xid and its snapshot into it,
 * together with its COMMIT. So the outcome can be looked up even if the answer was lost.
 * Transactions that were running when the recording ended must be over before the log is read; a
 * table lock waits for all writers.
 */
#include "clock.h"
#include "commit_log.h"
#include "driver.h"

#include <errno.h>
#include <inttypes.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 16, DIGITS_MAX = 24, PARAMETERS_MAX = 32, INT8_OID = 20, COMMIT_MAX = 80 };

#define SLOT "(SELECT 'alibi_' || oid FROM pg_database WHERE datname = current_database())"

struct postgres {
	struct connection base;
	const struct connect_options *options;
	PGconn *pg;
	PGresult *result;  /* of the last answer; of several results the last */
	PGresult *earlier; /* the result before that */
};

/* ---- connecting ---- */

static void add_parameter(const char **names, const char **values, const char *name,
                          const char *value)
{
	size_t n = 0;
	if (!value)
		return;
	while (names[n])
		n++;
	names[n] = name;
	values[n] = value;
}

/* Notices, such as that of DROP TABLE IF EXISTS, are not for the user. */
static void ignore_notice(void *data, const char *message)
{
	(void)data;
	(void)message;
}

static struct connection *open_connection(const struct connect_options *o, size_t host,
                                          struct text *why)
{
	const char *names[PARAMETERS_MAX] = {0}, *values[PARAMETERS_MAX] = {0};
	char seconds[DIGITS_MAX];
	struct postgres *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->base.driver = &driver_postgres;
	p->options = o;
	snprintf(p->base.begin, sizeof p->base.begin, "BEGIN ISOLATION LEVEL %s",
	         isolation_sql(o->isolation));
	snprintf(seconds, sizeof seconds, "%d", (int)o->answer_seconds + 2); /* it wants 2 */
	add_parameter(names, values, "host", o->url->hosts[host].name);
	add_parameter(names, values, "port", o->url->hosts[host].port);
	add_parameter(names, values, "user", o->url->user);
	add_parameter(names, values, "password", o->url->password);
	add_parameter(names, values, "dbname", o->url->database);
	add_parameter(names, values, "connect_timeout", seconds);
	add_parameter(names, values, "fallback_application_name", "alibi");
	for (size_t i = 0; i < o->url->setting_count; i++)
		add_parameter(names, values, o->url->settings[i].name, o->url->settings[i].value);
	p->pg = PQconnectdbParams(names, values, 0);
	if (!p->pg || PQstatus(p->pg) != CONNECTION_OK || PQsetnonblocking(p->pg, 1)) {
		const char *message = p->pg ? PQerrorMessage(p->pg) : "out of memory";
		text_add(why, message, message_length(message));
		PQfinish(p->pg);
		free(p);
		return NULL;
	}
	PQsetErrorVerbosity(p->pg, PQERRORS_TERSE);
	PQsetNoticeProcessor(p->pg, ignore_notice, NULL);
	return &p->base;
}

static void close_connection(struct connection *c)
{
	struct postgres *p = (struct postgres *)c;
	PQclear(p->result);
	PQclear(p->earlier);
	PQfinish(p->pg);
	connection_release(c);
	free(p);
}

/* ---- requests ---- */

/* Until libpq has a whole result, or there is none. False: timeout. */
static bool wait_for_result(struct postgres *p, double deadline)
{
	for (;;) {
		int unsent = PQflush(p->pg);
		if (unsent == 0 && !PQisBusy(p->pg))
			return true;
		double left = deadline - clock_seconds();
		struct pollfd fd = {.fd = PQsocket(p->pg),
		                    .events = (short)(unsent > 0 ? POLLIN | POLLOUT : POLLIN)};
		if (fd.fd < 0)
			return true;
		if (left <= 0 || poll(&fd, 1, (int)(left * 1000) + 1) == 0)
			return false;
		if (!PQconsumeInput(p->pg))
			return true;
	}
}

static bool is_error(const PGresult *r)
{
	ExecStatusType status = PQresultStatus(r);
	return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK;
}

/* Reads the whole answer; of several results the last is kept, or the first error. */
static enum answer take_answer(struct postgres *p, int sent)
{
	double deadline = clock_seconds() + p->options->answer_seconds;
	PQclear(p->result);
	PQclear(p->earlier);
	p->result = p->earlier = NULL;
	if (!sent && PQstatus(p->pg) == CONNECTION_OK)
		return connection_problem(&p->base, ANSWER_UNSURE, NULL, PQerrorMessage(p->pg));
	while (sent) {
		if (!wait_for_result(p, deadline))
			return connection_problem(&p->base, ANSWER_LOST, NULL,
			                          "no answer came in time");
		PGresult *r = PQgetResult(p->pg);
		if (!r)
			break;
		if (p->result && is_error(p->result)) {
			PQclear(r);
			continue;
		}
		PQclear(p->earlier);
		p->earlier = p->result;
		p->result = r;
	}
	if (PQstatus(p->pg) != CONNECTION_OK || !p->result)
		return connection_problem(&p->base, ANSWER_LOST,
		                          PQresultErrorField(p->result, PG_DIAG_SQLSTATE),
		                          PQerrorMessage(p->pg));
	if (is_error(p->result))
		return connection_problem(&p->base, ANSWER_REFUSED,
		                          PQresultErrorField(p->result, PG_DIAG_SQLSTATE),
		                          PQresultErrorMessage(p->result));
	p->base.rows = (size_t)PQntuples(p->result);
	p->base.affected = strtoull(PQcmdTuples(p->result), NULL, 10);
	return ANSWER_DONE;
}

static enum answer execute(struct connection *c, const char *sql)
{
	struct postgres *p = (struct postgres *)c;
	return take_answer(p, PQsendQuery(p->pg, sql));
}

/* ?, ? becomes $1, $2; how many there are. */
static int number_marks(struct text *to, const char *sql)
{
	int marks = 0;
	for (; *sql; sql++) {
		if (*sql == '?')
			text_print(to, "$%d", ++marks);
		else
			text_add(to, sql, 1);
	}
	return marks;
}

static enum answer prepare(struct connection *c, const struct statement *s, size_t count)
{
	struct postgres *p = (struct postgres *)c;
	Oid types[ARGS_MAX];
	enum answer answer = ANSWER_DONE;
	if (p->options->server_order)
		answer = execute(c, "PREPARE alibi_order AS SELECT pg_current_snapshot(), "
		                    "pg_current_xact_id_if_assigned()");
	if (p->options->logs && answer == ANSWER_DONE)
		answer = execute(c, "PREPARE alibi_log (text) AS SELECT pg_current_snapshot(), "
		                    "pg_current_xact_id(), pg_logical_emit_message(true, "
		                    "'alibi', concat_ws(' ', $1, pg_current_xact_id(), "
		                    "pg_current_snapshot()))");
	for (size_t i = 0; i < ARGS_MAX; i++)
		types[i] = INT8_OID;
	for (size_t i = 0; i < count && answer == ANSWER_DONE; i++) {
		char name[DIGITS_MAX];
		struct text sql = {0};
		snprintf(name, sizeof name, "s%zu", i);
		int marks = number_marks(&sql, statement_sql(&s[i], POSTGRES));
		answer = take_answer(p, PQsendPrepare(p->pg, name, sql.data, marks, types));
		text_release(&sql);
	}
	return answer;
}

/* An error, too, leaves the server inside: in a transaction that has failed. */
static bool inside(struct connection *c, enum answer answer)
{
	return PQtransactionStatus(((struct postgres *)c)->pg) ==
	       (answer == ANSWER_DONE ? PQTRANS_INTRANS : PQTRANS_INERROR);
}

static enum answer run(struct connection *c, size_t statement, const int64_t *args,
                       size_t arg_count)
{
	struct postgres *p = (struct postgres *)c;
	char name[DIGITS_MAX], digits[ARGS_MAX][DIGITS_MAX];
	const char *values[ARGS_MAX] = {0};
	snprintf(name, sizeof name, "s%zu", statement);
	for (size_t i = 0; i < arg_count; i++) {
		snprintf(digits[i], sizeof digits[i], "%lld", (long long)args[i]);
		values[i] = digits[i];
	}
	int sent = PQsendQueryPrepared(p->pg, name, (int)arg_count, values, NULL, NULL, 0);
	return take_answer(p, sent);
}

/* Codes that leave the outcome open, as from a connection pooler. */
static bool code_is_unsure(const char *code)
{
	return !strcmp(code, "40003") || !strncmp(code, "08", 2);
}

/* From the answer to alibi_order, if there is one. */
static void keep_order(struct postgres *p)
{
	const PGresult *r = p->earlier;
	text_cut(&p->base.snapshot, 0);
	text_cut(&p->base.xid, 0);
	if (!r || PQntuples(r) != 1)
		return;
	text_word(&p->base.snapshot, PQgetvalue(r, 0, 0));
	text_word(&p->base.xid, PQgetvalue(r, 0, 1)); /* "" if it is null */
}

static enum answer commit(struct connection *c)
{
	struct postgres *p = (struct postgres *)c;
	char sql[COMMIT_MAX];
	c->logged = p->options->logs && c->wrote;
	if (c->logged)
		snprintf(sql, sizeof sql, "EXECUTE alibi_log('%" PRIu64 "'); COMMIT", c->txn);
	else
		snprintf(sql, sizeof sql, "%sCOMMIT",
		         p->options->server_order ? "EXECUTE alibi_order; " : "");
	enum answer answer = execute(c, sql);
	PGTransactionStatusType status = PQtransactionStatus(p->pg);
	keep_order(p);
	if (answer == ANSWER_REFUSED &&
	    (code_is_unsure(c->code) || (status != PQTRANS_IDLE && status != PQTRANS_INERROR)))
		return ANSWER_UNSURE;
	if (answer != ANSWER_DONE)
		return answer;
	const char *tag = PQcmdStatus(p->result);
	if (!strcmp(tag, "COMMIT") && PQtransactionStatus(p->pg) == PQTRANS_IDLE)
		return ANSWER_DONE;
	if (!strcmp(tag, "ROLLBACK"))
		return connection_problem(c, ANSWER_REFUSED, "ROLLBACK",
		                          "the server answered COMMIT by rolling back");
	return connection_problem(c, ANSWER_UNSURE, NULL, "COMMIT had an unexpected answer");
}

static enum answer rollback(struct connection *c)
{
	struct postgres *p = (struct postgres *)c;
	return PQtransactionStatus(p->pg) == PQTRANS_IDLE ? ANSWER_DONE : execute(c, "ROLLBACK");
}

static const char *cell(struct connection *c, size_t row, size_t column)
{
	struct postgres *p = (struct postgres *)c;
	if (row >= c->rows || PQgetisnull(p->result, (int)row, (int)column))
		return NULL;
	return PQgetvalue(p->result, (int)row, (int)column);
}

/* ---- the log ---- */

static enum answer log_close(struct connection *c)
{
	return execute(c, "SELECT pg_drop_replication_slot(slot_name), slot_name "
	                  "FROM pg_replication_slots WHERE NOT active AND slot_name = " SLOT);
}

/* Another recorder may have been killed. */
static enum answer log_open(struct connection *c)
{
	enum answer answer = log_close(c);
	return answer != ANSWER_DONE ? answer
	                             : execute(c, "SELECT pg_create_logical_replication_slot(" SLOT
	                                          ", 'test_decoding')");
}

/* Waits until all writers are over, and puts an end marker into the log. False: some are still
 * running, or this is unknown. */
static bool log_end(struct connection *c, const char *const *tables)
{
	struct postgres *p = (struct postgres *)c;
	struct text sql = {0};
	text_print(&sql, "SET lock_timeout = '%.0fs'; SET synchronous_commit = on; BEGIN; ",
	           p->options->answer_seconds / 2 + 1);
	for (; *tables; tables++)
		text_print(&sql, "LOCK TABLE %.*s IN SHARE MODE; ", (int)strcspn(*tables, " "),
		           *tables);
	text_word(&sql, "SELECT pg_logical_emit_message(true, 'alibi', 'end'); COMMIT");
	bool over =
	        execute(c, sql.data) == ANSWER_DONE && !strcmp(PQcmdStatus(p->result), "COMMIT");
	text_release(&sql);
	return over;
}

/* message: transactional: 1 prefix: alibi, sz: 24 content:17 742 738:745:738,740
 * True: it is the end. */
static bool log_take(struct commit_log *log, const char *message)
{
	static const char content[] = "content:";
	const char *from = strstr(message, content);
	char *end;
	if (!from || !strcmp(from += sizeof content - 1, "end"))
		return from;
	uint64_t txn = strtoull(from, &end, 10), xid = strtoull(end, &end, 10);
	if (*end == ' ')
		commit_log_add(log, txn, xid, end + 1);
	return false;
}

static enum answer log_read(struct connection *c, const char *const *tables, struct commit_log *log)
{
	enum answer answer = ANSWER_DONE;
	bool over = log_end(c, tables), ended = false;
	while (over && !ended && answer == ANSWER_DONE) {
		answer = execute(c, "SELECT data FROM pg_logical_slot_get_changes(" SLOT
		                    ", NULL, 100000) WITH ORDINALITY AS l(lsn, xid, data, n) "
		                    "WHERE data LIKE 'message: transactional: 1 prefix: alibi,%' "
		                    "ORDER BY n");
		for (size_t i = 0; answer == ANSWER_DONE && i < c->rows; i++)
			ended |= log_take(log, cell(c, i, 0));
	}
	log->complete = ended;
	rollback(c);
	return answer;
}

/* ---- description ---- */

static void describe(struct connection *c, struct text *to)
{
	struct postgres *p = (struct postgres *)c;
	text_print(to, "PostgreSQL %s", PQparameterStatus(p->pg, "server_version"));
}

static const char *claim(struct connection *c)
{
	static const char *const levels[] = {"rc", "rc", "si", "ser"};
	return levels[((struct postgres *)c)->options->isolation];
}

const struct driver driver_postgres = {
        .scheme = "postgres",
        .title = "PostgreSQL",
        .dialect = POSTGRES,
        .has_order = true,
        .has_snapshots = true,
        DRIVER_CALLS,
        .log_open = log_open,
        .log_read = log_read,
        .log_close = log_close,
};
