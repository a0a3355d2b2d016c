/*
 * workload: what the clients do; a row of the table `workloads`.
 *
 * A workload has its own tables, all named alibi_…, which are created for each run. Its initial
 * rows go into the history's header.
 */
#ifndef ALIBI_RECORD_WORKLOAD_H
#define ALIBI_RECORD_WORKLOAD_H

#include "session.h"

struct fill;

struct workload {
	const char *name;
	const char *const *tables; /* "alibi_x (k BIGINT PRIMARY KEY, …)"; ends in NULL */
	const char *index;         /* "alibi_i ON alibi_x (…)"; NULL: none but the keys */
	const struct statement *statements;
	size_t statement_count;
	void (*fill)(struct fill *f, const struct shape *shape); /* may be NULL */
	void (*transact)(struct session *s);
	/* With a barrier before each transaction: what each client does before it, and what one
	 * of them does when all have arrived. False: the connection is closed. */
	bool (*before_round)(struct session *s, uint64_t round);
	bool (*prepare_round)(struct session *s);
	/* Called after each transaction, while the connection is open; may be NULL. */
	void (*ended)(struct session *s, enum outcome outcome);
	uint64_t keys;   /* the default number */
	bool may_repeat; /* values need not be unique */
};

extern const struct workload workload_rw, workload_rmw, workload_blindw, workload_append,
        workload_bank, workload_predicate, workload_phantom, workload_tpcc, workload_rubis,
        workload_twitter;
extern const char *const workload_names[]; /* ends in NULL */

/* A workload's statements about rows are one list of X(name, table, parts of its key, SQL). */
#define STATEMENT_NAME(name, table, key_parts, sql) name,
#define STATEMENT_ROW(name, table, key_parts, sql) {sql, {0}, table, key_parts},
#define STATEMENTS_ARE(list) .statements = (list), .statement_count = sizeof(list) / sizeof *(list)

/* Rows of a key and a value: the table of rw, rmw and blindw, and of schedules. */
enum { REGISTER_READ, REGISTER_WRITE, REGISTER_STATEMENTS };
extern const char *const register_tables[];
extern const struct statement register_statements[];

const struct workload *workload_named(const char *name);

/* A row of a table, `(1, 0)`, and the initial value of its key in the history. key NULL: none, as
 * for lists, which begin empty. */
void fill_row(struct fill *f, const char *table, const struct key *key, int64_t value,
              const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A row of a relation: its key is its first column, the others have these names. */
void fill_relation(struct fill *f, const char *table, struct key key, const char *const *columns,
                   const int64_t *values);

#endif
