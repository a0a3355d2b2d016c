/*
 * session: one client of the database, one transaction at a time.
 *
 * The problem: what is written down must be what happened. A write counts from
 * the moment it was asked for, because it may take effect even if no answer
 * comes; a read counts when its answer is there. The outcome is `commit` only
 * if COMMIT was answered by a commit, `abort` if COMMIT was never sent or the
 * server said that it rolled back, and `unknown` in all other cases. After an
 * unknown outcome the session's number is retired, because the transaction may
 * still take effect while later ones run.
 *
 * The requests of a client's n-th transaction depend on the seed, the client and
 * n, and on what it reads itself, but not on how earlier ones ended.
 *
 * A workload's function makes the requests of one transaction. Each request
 * returns false when the transaction is over; the function then returns, too.
 */
#ifndef ALIBI_RECORD_SESSION_H
#define ALIBI_RECORD_SESSION_H

#include "clock.h"
#include "draw.h"
#include "driver.h"
#include "text.h"

struct schedule;
struct workload;

/* What the command line says about the requests. */
struct shape {
	uint64_t sessions, keys, ops, values; /* values: how many differ; 0: all */
	double reads, aborts;
	struct skew skew;          /* of the keys */
	struct schedule *schedule; /* that is played; NULL: none */
};

enum { KEY_PARTS = 4 };

/* A key of the history: a number, or a row such as stock:1:22. */
struct key {
	const char *table; /* NULL: only the first part counts */
	size_t count;
	int64_t part[KEY_PARTS];
	bool in_relation; /* then it is stock/1, and queries speak of all keys of stock */
};

#define COUNT_OF(...) (sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define ROW(relation, k) ((struct key){relation, 1, {k}, true})
#define KEY(table, ...) ((struct key){table, COUNT_OF(__VA_ARGS__), {__VA_ARGS__}, false})
#define ARGS(...) (const int64_t[]){__VA_ARGS__}, COUNT_OF(__VA_ARGS__)

void key_print(struct text *to, struct key key); /* as JSON */

struct session {
	const struct workload *workload;
	const struct shape *shape;
	uint64_t seed;
	uint64_t slot;     /* which of the clients it is, from 0 */
	uint64_t number;   /* in the history */
	uint64_t turn;     /* transactions so far; seed, slot and turn decide the requests */
	uint64_t written;  /* values, in this transaction */
	uint64_t round;    /* for workloads that have rounds */
	unsigned settings; /* that the workload gave the connection; 0: none yet */
	struct draw draw;
	struct connection *c; /* NULL: there is none */
	enum answer answer;   /* of the last request */
	char code[16];        /* of the problem that ended the last transaction, or "" */
	char problem[96];     /* … in words */
	bool gives_up;        /* it will roll back instead of committing */
	bool recording;
	struct text ops; /* of this transaction, as JSON */
};

enum outcome { COMMITTED, ABORTED, UNKNOWN, NOT_BEGUN, OUTCOMES };

/* Runs one transaction. The line for the history goes to *line, with times since
 * origin_ns. NOT_BEGUN: nothing was asked for; there is no line. Afterwards the
 * connection is fit for another one, or closed. */
enum outcome session_transact(struct session *s, uint64_t origin_ns, struct text *line);

/* ---- for workloads ---- */

/* A request of which nothing is written down. */
bool session_ask(struct session *s, size_t statement, const int64_t *args, size_t count);
size_t session_rows(const struct session *s); /* of its answer */
/* What it answered; a null or missing one is 0. */
int64_t session_integer(struct session *s, size_t row, size_t column);

/* One statement about one row (struct statement), written down as what it does. A SELECT has as
 * its arguments the key; so has a DELETE. An UPDATE has the key last, after the value that is
 * written; an INSERT has the key first and the value last. */
bool session_do(struct session *s, size_t statement, const int64_t *args, size_t count);
#define DO(s, statement, ...) session_do(s, statement, ARGS(__VA_ARGS__))

/* Reads the first column of the first row; no row: the key is absent. */
bool session_read(struct session *s, struct key key, size_t statement, const int64_t *args,
                  size_t count);
bool session_read_list(struct session *s, struct key key, size_t statement, const int64_t *args,
                       size_t count);
/* Writes. If no row was there to be changed, this is a read of an absent key. */
bool session_write(struct session *s, struct key key, int64_t value, size_t statement,
                   const int64_t *args, size_t count);
bool session_append(struct session *s, struct key key, int64_t element, size_t statement,
                    const int64_t *args, size_t count);
bool session_delete(struct session *s, struct key key, size_t statement, const int64_t *args,
                    size_t count);
/* Looks for all rows of the relation that match the predicate, which is JSON. The first
 * column of the answer is the number of the row's key, the others have these names. */
bool session_query(struct session *s, const char *relation, const char *predicate,
                   const char *const *columns, size_t statement, const int64_t *args, size_t count);
/* Changes or deletes all rows that match. Which they are, and what they became, is told by
 * the answer, or, if it has none, by that of the second statement, with its one argument.
 * columns NULL: they were deleted. */
struct rows_change {
	const char *relation, *predicate, *change; /* the latter two are JSON */
	const char *const *columns;
	size_t statement;
	bool tells_rows; /* the answer to the statement does, in this dialect */
	size_t statement_after;
	int64_t arg_after;
};
bool session_change_rows(struct session *s, const struct rows_change *c, const int64_t *args,
                         size_t count);
void row_print(struct text *to, const char *const *columns, const int64_t *values); /* JSON */
/* Writes a row with these columns. */
bool session_write_row(struct session *s, struct key key, const char *const *columns,
                       const int64_t *values, size_t statement, const int64_t *args, size_t count);
/* Outside of transactions, and nothing is written down. False: the connection is gone. */
bool session_execute(struct session *s, const char *sql);
/* Notes that the last answer has this key's value in this place. */
void session_note(struct session *s, struct key key, size_t row, size_t column);

/* So many operations as the command line says, each on a key that is drawn; reads: drawn, too.
 * It ends when an operation returns false. */
typedef bool key_op(struct session *s, int64_t k, bool reads);
void session_each_op(struct session *s, key_op *op);

void session_give_up(struct session *s);      /* rolls back when the workload's function returns */
int64_t session_new_value(struct session *s); /* not written before, unless shape.values */
int64_t session_draw_key(struct session *s);
bool session_chance(struct session *s, double share);
int64_t session_below(struct session *s, int64_t n); /* 0 … n - 1 */

#endif
