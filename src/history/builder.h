/*
 * builder: makes a history, one operation at a time.
 *
 * Readers and other programs feed operations in program order and close each
 * transaction with what is known about it as a whole. Keys and values are
 * interned by the caller's call (atoms.h); what can only be judged with all of
 * the history at hand is judged by builder_finish(): which keys are lists, who
 * the named writers are, that ids are unique.
 *
 * Errors end the job (guard.h) with the place that was set last:
 * readers keep `place` up to date, at least for each transaction.
 */
#ifndef ALIBI_HISTORY_BUILDER_H
#define ALIBI_HISTORY_BUILDER_H

#include "base/guard.h"
#include "history/query.h"

/* What was done to a key. */
enum key_flag {
	KEY_REGISTER = 1, /* written or deleted */
	KEY_LIST = 2,     /* appended to, or read as a list */
	KEY_INITIAL = 4,  /* has an initial value */
	KEY_MENTION = 8,  /* builder_mention() */
};

/* What closes a transaction. */
struct txn_head {
	uint32_t session; /* in names; ID_NONE: a session of its own */
	uint32_t id;      /* in names; ID_NONE: its number */
	uint32_t number;  /* line, or place in the file */
	enum alibi_status status;
	unsigned has; /* enum alibi_has */
	struct client_times times;
	struct stamps stamps;
	const char *info; /* NULL: none; copied */
	size_t info_length;
};

struct pending_from {
	uint32_t op, id; /* id in names; ID_NONE: the initial version */
};

struct builder {
	struct pool *pool;
	struct guard *guard;
	struct place place; /* where the reader is; readers write it */
	bool initial_given; /* an initial value of all keys, which holds if there is no other */
	const char *model;  /* what the operations are, for formats with models; NULL: its own */
	struct history *h;
	struct atoms *keys, *values, *names; /* of h */

	VEC(struct op) ops;
	VEC(struct txn) txns;
	VEC(uint32_t) txn_id;
	VEC(struct client_times) times;
	VEC(struct stamps) stamps;
	VEC(struct pending_from) from;
	VEC(uint32_t) session_name;    /* by session */
	VEC(uint32_t) session_of_name; /* by name: session + 1; 0: none */
	VEC(uint8_t) key_flags;        /* by key: enum key_flag */
	bool any_id, any_list;
	bool numbered_by_line; /* a transaction's number is its line in the file */
};

struct builder *builder_new(struct pool *pool);

/* The next operation of the open transaction. kind and value as in struct op. */
void builder_op(struct builder *b, enum alibi_op_kind kind, uint32_t key, uint32_t value);
/* The database named the writer of the read just added. */
void builder_from(struct builder *b, uint32_t id);
/* The history has this key, whatever is done to it. */
void builder_mention(struct builder *b, uint32_t key);
/* Begins a query, without rows. The caller fills in what it asks for, and counts the rows:
 * the operations added next. It stays where it is until the next one begins. read_row: how rows
 * are read, when the history is finished. */
struct query *builder_query(struct builder *b, enum query_kind kind, row_reader *read_row);
/* Closes the transaction; returns its number from 0. */
uint32_t builder_end(struct builder *b, const struct txn_head *head);

/* "at" NULL: no time. json is copied. */
void builder_annotation(struct builder *b, const char *json, size_t length, const int64_t *at);
void builder_initial(struct builder *b, uint32_t key, uint32_t value);

/* By key, as a history has them. */
void builder_sort_initial(struct history *h);

/* b->h->initial_default, claimed_level, source, stamp_meaning, skew may be set any time before. */
struct history *builder_finish(struct builder *b);

/* Forgets all: for streams, of which the transactions are taken out batch by batch, and
 * that never finish. */
void builder_clear(struct builder *b);

/* Forgets the operations from this one on, of a transaction that is not closed. */
void builder_drop(struct builder *b, size_t first);

/* Ends the job with ALIBI_INPUT at b->place. */
_Noreturn void builder_reject(struct builder *b, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

#endif
