/*
 * reads: what each read of a small history tells.
 *
 * A read that no order can explain is a fault: of a value that nobody wrote, that only
 * an aborted transaction wrote, that contradicts what its own transaction did. Any
 * other read has explanations: the writer it may have read from (none: it read the
 * initial version), and for a list the appenders of all of its elements, in order.
 * Mostly there is just one; equal values make more.
 *
 * Made for histories of a few dozen operations: everything is found by looking at all
 * of them.
 */
#ifndef ALIBI_EXPLAIN_READS_H
#define ALIBI_EXPLAIN_READS_H

#include "history/origins.h"

enum fault {
	NO_FAULT,
	FAULT_INTERNAL,       /* its own write says otherwise */
	FAULT_UNREPEATABLE,   /* its own earlier read says otherwise */
	FAULT_FUTURE,         /* it wrote that later itself */
	FAULT_GARBAGE,        /* nobody wrote that */
	FAULT_ABORTED,        /* only who aborted wrote that */
	FAULT_DIRTY_UPDATE,   /* … and a transaction that did not appended to it */
	FAULT_INTERMEDIATE,   /* its writer overwrote it, or appended more */
	FAULT_DUPLICATE,      /* a list has an element more often than it was appended */
	FAULT_MIXED,          /* a list has an append between those of one transaction */
	FAULT_REORDERED,      /* a list has appends of one transaction in another order */
	FAULT_NAMED,          /* the named writer did not write that */
	FAULT_NO_MATCH,       /* a row that a query found does not match it */
	FAULT_OWN_ROW,        /* what a query tells of a key contradicts its own write */
	FAULT_MISSED,         /* … and nobody left there what explains it */
	FAULT_MISSED_ABORTED, /* … but for one who aborted */
};

/* A read and why nothing explains it. */
struct faulty_read {
	enum fault fault;
	uint32_t txn, op;
	uint32_t key;     /* of a query: what it tells of this one */
	uint32_t other;   /* the writer, or NO_TXN */
	uint32_t earlier; /* the own operation that it contradicts, or NO_READ */
	uint32_t element; /* of a list: which one, a value; else ATOM_NONE */
};

#define NO_READ UINT32_MAX

/* A read of what others left; or what a query tells of a key, unless that follows from any
 * version there is. */
struct seen {
	uint32_t txn, op, key;
	uint32_t first, count; /* its explanations, in choices */
};

/* Writers, in writers: of a register none or one, of a list all, the first first. */
struct choice {
	uint32_t first, count;
};

struct reads {
	struct pool *pool;
	const struct history *h;
	struct origins origins;
	struct faulty_read faulty; /* the first, or NO_FAULT */
	VEC(struct seen) seen;
	VEC(struct choice) choices;
	VEC(uint32_t) writers;
	bool too_many; /* explanations: some are not listed */
};

/* The writers of a choice; NULL: there are none. */
static inline const uint32_t *choice_writers(const struct reads *r, struct choice c)
{
	return c.count ? r->writers.items + c.first : NULL;
}

/* The query by which that was seen, or NULL. */
static inline const struct query *seen_query(const struct reads *r, uint32_t read)
{
	return query_at(r->h, r->seen.items[read].op);
}

/* The value that txn finally wrote to key, which it did. */
uint32_t reads_final(const struct history *h, uint32_t txn, uint32_t key);

struct reads reads_of(struct pool *pool, const struct history *h);

#endif
