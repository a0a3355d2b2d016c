/*
 * session: one client of the database, one transaction at a time.
 *
 * The problem: the history must be what happened. A write is recorded when it is sent, because it
 * may take effect even without an answer; a read is recorded when its answer arrives. The outcome
 * is `commit` only if COMMIT was answered by a commit, `abort` if COMMIT was never sent or the
 * server said that it rolled back, and `unknown` otherwise. After an unknown outcome the session's
 * number is not used again, because the transaction may still take effect while later ones run.
 *
 * The requests of a client's n-th transaction depend on the seed, the client, n, and its own reads,
 * but not on how earlier transactions ended.
 *
 * A workload's function sends the requests of one transaction. Each request returns false when the
 * transaction is over; the function then returns, too.
 */
#ifndef ALIBI_RECORD_SESSION_H
#define ALIBI_RECORD_SESSION_H

#include "clock.h"
#include "draw.h"
#include "driver.h"
#include "text.h"

struct schedule;
struct workload;

/* The parameters of the workload, from the command line. */
struct shape {
	uint64_t sessions, keys, ops, values; /* values: how many distinct; 0: all */
	double reads, aborts;
	struct skew skew;          /* of the keys */
	struct schedule *schedule; /* NULL: none */
};

enum { KEY_PARTS = 4 };

/* A key of the history: a number, or a row such as stock:1:22. */
struct key {
	const char *table; /* NULL: only the first part counts */
	size_t count;
	int64_t part[KEY_PARTS];
	bool in_relation; /* stock/1: a row of the relation that queries of stock read */
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
	unsigned settings; /* which ones the workload has made; 0: none yet */
	struct draw draw;
	struct connection *c; /* NULL: there is none */
	enum answer answer;   /* of the last request */
	char code[16];        /* of the error that ended the last transaction, or "" */
	char problem[96];     /* … in words */
	bool rolls_back;      /* it will roll back instead of committing */
	bool recording;
	struct text ops; /* of this transaction, as JSON */
};

enum outcome { COMMITTED, ABORTED, UNKNOWN, NOT_BEGUN, OUTCOMES };

/* Runs one transaction. *line: the line for the history, with times since origin_ns. NOT_BEGUN: no
 * request was sent; there is no line. Afterwards the connection is ready for the next transaction,
 * or closed. */
enum outcome session_transact(struct session *s, uint64_t origin_ns, struct text *line);

/* ---- for workloads ---- */

/* A request that is not recorded. */
bool session_request(struct session *s, size_t statement, const int64_t *args, size_t count);
size_t session_rows(const struct session *s); /* of its answer */
/* A cell of its answer; null or missing: 0. */
int64_t session_integer(struct session *s, size_t row, size_t column);

/* One statement about one row (struct statement), recorded as what it does. A SELECT has as
 * its arguments the key; so has a DELETE. An UPDATE has the key last, after the value that is
 * written; an INSERT has the key first and the value last. */
bool session_do(struct session *s, size_t statement, const int64_t *args, size_t count);
#define DO(s, statement, ...) session_do(s, statement, ARGS(__VA_ARGS__))

/* Reads the first column of the first row; no row: the key is absent. */
bool session_read(struct session *s, struct key key, size_t statement, const int64_t *args,
                  size_t count);
bool session_read_list(struct session *s, struct key key, size_t statement, const int64_t *args,
                       size_t count);
/* Writes. If no row was changed, it is recorded as a read of an absent key. */
bool session_write(struct session *s, struct key key, int64_t value, size_t statement,
                   const int64_t *args, size_t count);
bool session_append(struct session *s, struct key key, int64_t element, size_t statement,
                    const int64_t *args, size_t count);
bool session_delete(struct session *s, struct key key, size_t statement, const int64_t *args,
                    size_t count);
/* Reads all rows of the relation that match the predicate, JSON. The first column of the answer is
 * the number of the row's key, the others have these names. */
bool session_query(struct session *s, const char *relation, const char *predicate,
                   const char *const *columns, size_t statement, const int64_t *args, size_t count);
/* Updates or deletes all rows that match. The rows and their new values are in the answer or, if
 * that has none, in the answer to a second statement with one argument. columns NULL: a delete. */
struct rows_change {
	const char *relation, *predicate, *change; /* the latter two are JSON */
	const char *const *columns;
	size_t statement;
	bool returns_rows; /* the statement returns them, in this dialect */
	size_t statement_after;
	int64_t arg_after;
};
bool session_change_rows(struct session *s, const struct rows_change *c, const int64_t *args,
                         size_t count);
void row_print(struct text *to, const char *const *columns, const int64_t *values); /* JSON */
/* Writes a row with these columns. */
bool session_write_row(struct session *s, struct key key, const char *const *columns,
                       const int64_t *values, size_t statement, const int64_t *args, size_t count);
/* Outside of transactions, not recorded. False: the connection is closed. */
bool session_execute(struct session *s, const char *sql);
/* Records a read: the last answer has this key's value in this cell. */
void session_record_read(struct session *s, struct key key, size_t row, size_t column);

/* As many operations as the command line says, each on a random key; reads: random, too. It ends
 * when an operation returns false. */
typedef bool key_op(struct session *s, int64_t k, bool reads);
void session_each_op(struct session *s, key_op *op);

void session_roll_back(struct session *s);    /* when the workload's function returns */
int64_t session_new_value(struct session *s); /* not written before, unless shape.values */
int64_t session_draw_key(struct session *s);
bool session_chance(struct session *s, double share);
int64_t session_below(struct session *s, int64_t n); /* 0 … n - 1 */

#endif
