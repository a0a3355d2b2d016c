/*
 * candidates: which transactions can have written what a read found.
 *
 * Written from the definitions of docs/certificates.md, for one operation at a time. A read of a
 * register, what a query reports of a key, and what an opaque update met are three kinds of one
 * question: would it be explained if this writer had left this value there? The candidates are
 * the writers of the key of which that is true. A read of a list has sequences of transactions
 * as candidates, whose appends, one after another, are the list.
 *
 * Invariants.
 * 1. Candidates stand in the order of the history; sequences in the order in which a depth-first
 *    search finds them that tries the appenders of each element in the order of the history.
 *
 * Cost. A binary search a question, and the writers of the key where a query asks; for a list,
 * its elements.
 */
#ifndef ALIBI_VERIFY_CANDIDATES_H
#define ALIBI_VERIFY_CANDIDATES_H

#include "replay/final_writes.h"

struct question {
	uint32_t reader, key;
	uint32_t read;         /* the read, or ID_NONE: */
	const struct query *q; /* the query, and its row of the key; NULL: */
	uint32_t row;
	uint32_t outcome; /* does not leave that where it meets what the writer left */
};

/* What a read of a list found that others appended. */
struct list_read {
	uint32_t op, key, reader;
	uint32_t own; /* the reader appended so many before */
	const uint32_t *items;
	size_t count;
};

/* A transaction in a sequence that is being tried: its appends are the elements from `at` on. */
struct tried_block {
	size_t at;
	const struct keyed *append; /* of the first of these elements: the one that is tried */
	bool entered;
};

struct candidates {
	struct pool *pool;
	struct guard *guard;
	const struct history *h;
	struct opaque opaque;
	struct final_writes final_writes;

	struct question asked; /* last */
	VEC(uint32_t) found;   /* the candidates, or all sequences, one after another, … */
	VEC(size_t) ends;      /* … each up to here */
	uint32_t choices_of;   /* the read whose choices these are, + 1; 0: of none */
	VEC(uint32_t) perhaps; /* candidates that may have written it by an opaque update */
	bool initial;          /* the initial version is a candidate, too */

	VEC(struct tried_block) tried;
	bool *in_sequence; /* by transaction */
};

void candidates_init(struct candidates *c, struct pool *pool, const struct history *h);

/* Does txn, which is not aborted, write the key? */
bool candidates_writes(const struct candidates *c, uint32_t txn, uint32_t key);
/* Is it a read of a committed transaction? *own: how often that wrote the key before. */
bool candidates_is_read(const struct candidates *c, uint32_t op, uint32_t *own);

/* These fill found, perhaps and initial. False: it is no such question. */
/* What a register read of a key found that its transaction had not written before. */
bool candidates_of_read(struct candidates *c, uint32_t op);
/* What a query reported of such a key, if it is not one of the rows that it read. */
bool candidates_of_query(struct candidates *c, uint32_t op, uint32_t key);
/* What makes txn, which reaches the key, leave anything but `outcome` there. */
void candidates_of_update(struct candidates *c, uint32_t txn, uint32_t key, uint32_t outcome);
/* Would it explain what was asked last, if this value were what writer (ID_NONE: the initial
 * version) left? */
bool candidates_explain(struct candidates *c, uint32_t writer, uint32_t value);

bool candidates_list(const struct candidates *c, uint32_t op, struct list_read *l);
/* How many of the list's elements from `at` on are txn's appends; *all: all of these. */
size_t candidates_block(const struct candidates *c, const struct list_read *l, size_t at,
                        uint32_t txn, bool *all);
/* Fills found and ends with all sequences that make up the list. */
void candidates_sequences(struct candidates *c, const struct list_read *l);

/* Fills found and ends with all candidates of a read, as sequences; the empty one is the initial
 * version. False: it has no choice, because its transaction wrote the key or read it before. */
bool candidates_choices(struct candidates *c, uint32_t op);

#endif
