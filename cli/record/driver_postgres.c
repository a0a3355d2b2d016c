/*
 * driver_postgres: PostgreSQL, by libpq.
 *
 * Requests are sent and waited for with a deadline, because PQexec() would wait
 * for ever for a server that hangs. What a COMMIT did is read off its tag: in a
 * transaction that has failed, COMMIT succeeds and its tag says ROLLBACK. After
 * each statement the server must still be in the transaction, as libpq knows
 * from the byte that closes every answer.
 *
 * The snapshot and the id of a transaction travel with its COMMIT, so that they cost
 * no further round trip. From repeatable read on a transaction has one snapshot to
 * its end, taken by its first statement.
 */
#include "driver.h"

#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ARGS_MAX = 16, DIGITS_MAX = 24, PARAMETERS_MAX = 32, INT8_OID = 20 };

struct postgres {
	struct connection base;
	const struct connect_options *options;
	PGconn *pg;
	PGresult *result;  /* of the last answer; of several results the last */
	PGresult *earlier; /* the result before that */
	char begin[64];
	const char *commit;
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

/* Notices, as of a table that need not be dropped, are not for the user. */
static void ignore_notice(void *data, const char *message)
{
	(void)data;
	(void)message;
}

static struct connection *connect_postgres(const struct connect_options *o, size_t host,
                                           struct text *why)
{
	const char *names[PARAMETERS_MAX] = {0}, *values[PARAMETERS_MAX] = {0};
	char seconds[DIGITS_MAX];
	struct postgres *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->base.driver = &driver_postgres;
	p->options = o;
	snprintf(p->begin, sizeof p->begin, "BEGIN ISOLATION LEVEL %s",
	         isolation_sql(o->isolation));
	p->commit = o->server_order ? "EXECUTE alibi_order; COMMIT" : "COMMIT";
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
		text_word(why, p->pg ? PQerrorMessage(p->pg) : "the system has no memory left");
		PQfinish(p->pg);
		free(p);
		return NULL;
	}
	PQsetErrorVerbosity(p->pg, PQERRORS_TERSE);
	PQsetNoticeProcessor(p->pg, ignore_notice, NULL);
	return &p->base;
}

static void close_postgres(struct connection *c)
{
	struct postgres *p = (struct postgres *)c;
	PQclear(p->result);
	PQclear(p->earlier);
	PQfinish(p->pg);
	text_release(&c->snapshot);
	text_release(&c->xid);
	free(p);
}

/* ---- requests ---- */

static double now_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Until libpq has a whole result, or none is coming. False: the time is over. */
static bool wait_for_result(struct postgres *p, double deadline)
{
	for (;;) {
		int unsent = PQflush(p->pg);
		if (unsent == 0 && !PQisBusy(p->pg))
			return true;
		double left = deadline - now_seconds();
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
	double deadline = now_seconds() + p->options->answer_seconds;
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
static enum answer still_inside(struct postgres *p, enum answer answer)
{
	PGTransactionStatusType wanted = answer == ANSWER_DONE ? PQTRANS_INTRANS : PQTRANS_INERROR;
	bool answered = answer == ANSWER_DONE || answer == ANSWER_REFUSED;
	if (answered && PQtransactionStatus(p->pg) != wanted)
		return connection_problem(&p->base, ANSWER_UNSURE, NULL,
		                          "the server ended the transaction by itself");
	return answer;
}

static enum answer begin(struct connection *c)
{
	struct postgres *p = (struct postgres *)c;
	enum answer answer = execute(c, p->begin);
	return answer == ANSWER_DONE ? still_inside(p, answer) : answer;
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
	return still_inside(p, take_answer(p, sent));
}

/* Says that whether it was done is not known: of a pooler between us and the server. */
static bool code_is_unsure(const char *code)
{
	return !strcmp(code, "40003") || !strncmp(code, "08", 2);
}

/* Of the answer to alibi_order, if it came. */
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
	enum answer answer = execute(c, p->commit);
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
	return connection_problem(c, ANSWER_UNSURE, NULL, "COMMIT had a strange answer");
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

/* ---- what it is ---- */

static void describe(struct connection *c, struct text *to)
{
	struct postgres *p = (struct postgres *)c;
	text_print(to, "PostgreSQL %s", PQparameterStatus(p->pg, "server_version"));
}

static const char *promise(struct connection *c)
{
	static const char *const levels[] = {"rc", "rc", "si", "ser"};
	return levels[((struct postgres *)c)->options->isolation];
}

const struct driver driver_postgres = {
        .scheme = "postgres",
        .title = "PostgreSQL",
        .dialect = POSTGRES,
        .tells_order = true,
        .connect = connect_postgres,
        .close = close_postgres,
        .describe = describe,
        .promise = promise,
        .prepare = prepare,
        .execute = execute,
        .begin = begin,
        .run = run,
        .commit = commit,
        .rollback = rollback,
        .cell = cell,
};
