/*
 * driver: a database, as the recorder sees it; a row of the table `drivers`.
 *
 * The problem: a recorder that is wrong about the outcome of one transaction makes a false history.
 * Client libraries do not make this easy: a COMMIT may be answered by a rollback, an error may
 * come after the first row, a server may end a transaction and run the next statements in
 * autocommit.
 *
 * The idea: every request has one of four answers, and a driver may say DONE or REFUSED only if
 * that is certain. Otherwise the answer is LOST or UNSURE, and the connection is closed. A driver
 * never repeats a request, and never reconnects by itself.
 */
#ifndef ALIBI_RECORD_DRIVER_H
#define ALIBI_RECORD_DRIVER_H

#include "text.h"
#include "url.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum answer {
	ANSWER_DONE,
	ANSWER_REFUSED, /* the transaction will have no effect, once it is rolled back */
	ANSWER_LOST,    /* the connection is lost; the request may have been done */
	ANSWER_UNSURE,  /* the answer does not say whether it was done */
};

enum isolation { READ_UNCOMMITTED, READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE };

enum dialect { POSTGRES, MARIADB, SQLITE, DIALECTS };

/* SQL with ? for integers; `all` is for dialects without their own. */
struct statement {
	const char *all;
	const char *own[DIALECTS];
	/* Of statements about one row, for session_do(): the row's key in the history is its table
	 * (NULL: a number alone) and so many integers. */
	const char *table;
	size_t key_parts;
};

struct connect_options {
	const struct url *url;
	enum isolation isolation;
	double answer_seconds; /* the timeout of a request */
	bool server_order;     /* record the database's order; only if the driver has_order */
	bool logs;             /* the log is open: put each transaction's number into it */
};

/* The first member of each driver's own connection. */
struct connection {
	const struct driver *driver;
	char begin[64];    /* the statement that begins a transaction */
	size_t rows;       /* of the last answer */
	uint64_t affected; /* rows found and changed, by the last answer */
	char code[16];     /* of the last problem, as the database names it: 40001 */
	char problem[256]; /* in words */
	/* Of the current transaction, set by the session: */
	uint64_t txn; /* its number in the history */
	bool wrote;   /* it changed rows */
	/* With server_order, set by commit(): */
	bool logged;          /* its number is in the log if COMMIT succeeded */
	struct text snapshot; /* xmin:xmax:running,… */
	struct text xid;      /* empty: it wrote nothing */
	struct text position; /* in commit order; empty: unknown */
};

struct commit_log;

struct driver {
	const char *scheme, *title;
	enum dialect dialect;
	const char *setting; /* the only one of its URLs, or ""; NULL: the client library knows */
	bool has_order;      /* see stamps.h */
	bool has_snapshots;  /* the order is known while the recording runs; see live.h */

	/* host: index in the URL. NULL: *why has the error. */
	struct connection *(*connect)(const struct connect_options *o, size_t host,
	                              struct text *why);
	void (*close)(struct connection *c);
	/* For the history's header: name, version, and settings that affect isolation. */
	void (*describe)(struct connection *c, struct text *to);
	/* The level (alibi levels) that it claims at its isolation level; NULL: none. */
	const char *(*claim)(struct connection *c);

	/* Prepares these statements; run() takes their indices. */
	enum answer (*prepare)(struct connection *c, const struct statement *s, size_t count);
	/* One statement outside of transactions. */
	enum answer (*execute)(struct connection *c, const char *sql);

	enum answer (*run)(struct connection *c, size_t statement, const int64_t *args,
	                   size_t arg_count);
	/* Is the transaction still open, as it must be after this answer, DONE or REFUSED? */
	bool (*inside)(struct connection *c, enum answer answer);
	enum answer (*commit)(struct connection *c);
	enum answer (*rollback)(struct connection *c); /* nothing to roll back: DONE */

	/* The log of commits; NULL: none. It is opened before the first transaction, and read
	 * after the last. tables: those that transactions may have changed. */
	enum answer (*log_open)(struct connection *c);
	enum answer (*log_read)(struct connection *c, const char *const *tables,
	                        struct commit_log *log);
	/* Removes it from the server, also that of a recorder that was killed; the answer has the
	 * names. NULL: nothing is left there. */
	enum answer (*log_close)(struct connection *c);

	/* Of the last answer, valid until the next request. NULL: null, or no such row. */
	const char *(*cell)(struct connection *c, size_t row, size_t column);
};

/* What every driver has, under these names. */
#define DRIVER_CALLS                                                                               \
	.connect = open_connection, .close = close_connection, .describe = describe,               \
	.claim = claim, .prepare = prepare, .execute = execute, .run = run, .inside = inside,      \
	.commit = commit, .rollback = rollback, .cell = cell

extern const struct driver driver_postgres, driver_mariadb, driver_sqlite;

/* The driver for URLs of this scheme. NULL: *why says why there is none. */
const struct driver *driver_for(const char *scheme, struct text *why);

/* False: *why names a setting of the URL that would be ignored. */
bool driver_knows_settings(const struct driver *d, const struct url *u, struct text *why);

const char *isolation_sql(enum isolation isolation); /* REPEATABLE READ */

/* If the server has ended the transaction by itself, the next statements would autocommit; the
 * answer is then UNSURE. */
enum answer connection_begin(struct connection *c);
enum answer connection_run(struct connection *c, size_t statement, const int64_t *args,
                           size_t arg_count);

/* For drivers: stores the error, and returns the answer. code may be NULL. */
enum answer connection_problem(struct connection *c, enum answer answer, const char *code,
                               const char *problem);
size_t message_length(const char *message);    /* without libpq's newlines at its end */
void connection_release(struct connection *c); /* frees the members above */
const char *statement_sql(const struct statement *s, enum dialect dialect);

#endif
