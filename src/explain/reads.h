/*
 * reads: the candidate writers of each read of a small history.
 *
 * A read that no order can explain is a fault: its value was written by no transaction, or
 * only by an aborted one, or it contradicts an operation of its own transaction. Any other
 * read has candidates: the writer it may have read from (none for the initial version), or,
 * for a list, the appenders of all its elements in order. Usually there is one candidate;
 * equal values make more.
 *
 * Made for histories of a few dozen operations: every search is linear.
 */
#ifndef ALIBI_EXPLAIN_READS_H
#define ALIBI_EXPLAIN_READS_H

#include "base/ids.h"
#include "order/origins.h"

enum fault {
	NO_FAULT,
	FAULT_INTERNAL,       /* contradicts an earlier write of the transaction */
	FAULT_UNREPEATABLE,   /* contradicts an earlier read of the transaction */
	FAULT_FUTURE,         /* the transaction wrote the value later */
	FAULT_GARBAGE,        /* no transaction wrote the value */
	FAULT_ABORTED,        /* only aborted transactions wrote the value */
	FAULT_DIRTY_UPDATE,   /* … and another transaction appended to it */
	FAULT_INTERMEDIATE,   /* its writer overwrote it, or appended more */
	FAULT_DUPLICATE,      /* a list has an element more often than it was appended */
	FAULT_MIXED,          /* a list has an append between those of one transaction */
	FAULT_REORDERED,      /* a list has appends of one transaction in another order */
	FAULT_NAMED,          /* the named writer did not write the value */
	FAULT_NO_MATCH,       /* a row that a query returned does not match it */
	FAULT_OWN_ROW,        /* a query result contradicts the transaction's own write */
	FAULT_MISSED,         /* no version of the key explains a query result */
	FAULT_MISSED_ABORTED, /* … except one by an aborted transaction */
};

/* A read that no order explains, and why. */
struct faulty_read {
	enum fault fault;
	uint32_t txn, op;
	uint32_t key;     /* of a query: the key whose result is wrong */
	uint32_t other;   /* the writer, or ID_NONE */
	uint32_t earlier; /* the operation of its own transaction, or ID_NONE */
	uint32_t element; /* of a list: the value, or ID_NONE */
};

/* A read of another transaction's version; or the result of a query at a key, unless every
 * version explains it. */
struct read_candidates {
	uint32_t txn, op, key;
	uint32_t first, count; /* in candidates */
};

/* In writers: for a register none or one, for a list all appenders in order. */
struct candidate {
	uint32_t first, count;
};

struct reads {
	struct pool *pool;
	const struct history *h;
	struct origins origins;
	struct faulty_read faulty; /* the first, or NO_FAULT */
	VEC(struct read_candidates) external;
	VEC(struct candidate) candidates;
	VEC(uint32_t) writers;
	bool truncated; /* some candidates are not listed */
};

/* NULL: there are none. */
static inline const uint32_t *candidate_writers(const struct reads *r, struct candidate c)
{
	return c.count ? r->writers.items + c.first : NULL;
}

/* The query that this read belongs to, or NULL. */
static inline const struct query *external_query(const struct reads *r, uint32_t read)
{
	return query_at(r->h, r->external.items[read].op);
}

/* The last value that txn wrote to key. */
uint32_t reads_final(const struct history *h, uint32_t txn, uint32_t key);

struct reads reads_of(struct pool *pool, const struct history *h);

#endif
