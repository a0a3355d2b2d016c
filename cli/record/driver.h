/*
 * driver: one database, as the recorder sees it; a row of the table `drivers`.
 *
 * The problem: a recorder that is wrong about the end of one transaction makes
 * a false history. Clients' libraries do not make that easy: a COMMIT may be
 * answered by a rollback, an error may come after the first row, a server may
 * end a transaction and run what follows by itself.
 *
 * The idea: every request has one of four answers, and a driver may say DONE or
 * REFUSED only if it is certain. What is not certain is LOST or UNSURE, and
 * then the connection is given up. A driver never repeats a request, and never
 * connects again by itself.
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
	ANSWER_LOST,    /* there is no connection any more; the request may have been done */
	ANSWER_UNSURE,  /* there was an answer from which one cannot tell what was done */
};

enum isolation { READ_UNCOMMITTED, READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE };

enum dialect { POSTGRES, MARIADB, SQLITE, DIALECTS };

/* SQL with ? for integers. Where a dialect has none of its own, `all` is meant. */
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
	double answer_seconds; /* a later answer is none */
	bool server_order;     /* ask for the order, too; only if the driver tells_order */
	bool logs;             /* the log is open: name each transaction in it */
};

/* What a driver's own connection begins with. */
struct connection {
	const struct driver *driver;
	char begin[64];    /* the statement that begins a transaction */
	size_t rows;       /* of the last answer */
	uint64_t affected; /* rows found and changed, by the last answer */
	char code[16];     /* of the last problem, as the database names it: 40001 */
	char problem[256]; /* in words */
	/* Of the transaction at hand, told by the session: */
	uint64_t txn; /* its number in the history */
	bool wrote;   /* something was changed */
	/* With server_order, told by commit(): */
	bool logged;          /* COMMIT was sent, and has its number in the log with it */
	struct text snapshot; /* that it read, xmin:xmax:running,… */
	struct text xid;      /* its id; empty: it wrote nothing */
	struct text position; /* in the order of commits; empty: that is not told */
};

struct commit_log;

struct driver {
	const char *scheme, *title;
	enum dialect dialect;
	const char *setting;  /* the only one of its URLs, or ""; NULL: its client knows them */
	bool tells_order;     /* see stamps.h */
	bool tells_snapshots; /* then the order is known while it happens; see live.h */

	/* host: which of the URL's. NULL: *why says what is wrong. */
	struct connection *(*connect)(const struct connect_options *o, size_t host,
	                              struct text *why);
	void (*close)(struct connection *c);
	/* For the history's header: its name, version, and what changes its isolation. */
	void (*describe)(struct connection *c, struct text *to);
	/* The level of Alibi that it promises at its isolation level; NULL: none. */
	const char *(*promise)(struct connection *c);

	/* Makes these statements known. The numbers of run() are indices. */
	enum answer (*prepare)(struct connection *c, const struct statement *s, size_t count);
	/* One statement outside of transactions. */
	enum answer (*execute)(struct connection *c, const char *sql);

	enum answer (*run)(struct connection *c, size_t statement, const int64_t *args,
	                   size_t arg_count);
	/* Is the transaction still open, as it must be after this answer, DONE or REFUSED? */
	bool (*inside)(struct connection *c, enum answer answer);
	enum answer (*commit)(struct connection *c);
	enum answer (*rollback)(struct connection *c); /* nothing to roll back: DONE */

	/* The log of commits; NULL: there is none. It is opened before the first transaction,
	 * and read, and closed, after the last. tables: what they may have changed. */
	enum answer (*log_open)(struct connection *c);
	enum answer (*log_read)(struct connection *c, const char *const *tables,
	                        struct commit_log *log);

	/* Of the last answer, valid until the next request. NULL: null, or no such row. */
	const char *(*cell)(struct connection *c, size_t row, size_t column);
};

/* What every driver has, under these names. */
#define DRIVER_CALLS                                                                               \
	.connect = open_connection, .close = close_connection, .describe = describe,               \
	.promise = promise, .prepare = prepare, .execute = execute, .run = run, .inside = inside,  \
	.commit = commit, .rollback = rollback, .cell = cell

extern const struct driver driver_postgres, driver_mariadb, driver_sqlite;

/* The driver for URLs of this scheme. NULL: *why says why there is none. */
const struct driver *driver_for(const char *scheme, struct text *why);

/* False: *why says which setting of the URL it would ignore. */
bool driver_knows_settings(const struct driver *d, const struct url *u, struct text *why);

const char *isolation_sql(enum isolation isolation); /* REPEATABLE READ */

/* A server that ends a transaction by itself would run what follows statement by statement; the
 * answer is then UNSURE. */
enum answer connection_begin(struct connection *c);
enum answer connection_run(struct connection *c, size_t statement, const int64_t *args,
                           size_t arg_count);

/* For drivers: keeps what went wrong, and returns the answer. code may be NULL. */
enum answer connection_problem(struct connection *c, enum answer answer, const char *code,
                               const char *problem);
size_t message_length(const char *message);    /* without libpq's newlines at its end */
void connection_release(struct connection *c); /* what it has of its own */
const char *statement_sql(const struct statement *s, enum dialect dialect);

#endif
