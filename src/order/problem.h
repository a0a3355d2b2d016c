/*
 * problem: what an order of events has to explain, without the history's detail.
 *
 * Who takes part (parts.h) is a slot; an unknown one that does not commit is one that
 * stands behind everything else. A slot has an event at which it reads and one at which it
 * writes: the same one (levels without snapshots), or its start and its commit.
 * All events are nodes of one graph.
 *
 * Of a transaction only what others can see matters: its external reads (no own
 * write or equal read of the key before) and its final writes. Each read has its
 * candidates: the slots whose final write of that key is the value that was read,
 * and perhaps the initial version. No candidate at all is already a violation.
 *
 * Who writes a key perhaps, by an update that does not tell its rows (open.h), is among
 * neither: that is a question for the search.
 *
 * Known edges come before any search: session order, start before commit, real
 * time (as a chain of time points, so that edges stay linear in number), reads
 * with one candidate, and the order in which lists show their appenders.
 *
 * Invariants.
 * 1. Slots are numbered in the order of the history.
 * 2. Every known edge can be justified on its own: by the history (session, start
 *    before commit, time), or by one read, whose operation is its reason.
 *
 * Cost. Linear but for sorting (radix) and a binary search for each list element.
 */
#ifndef ALIBI_ORDER_PROBLEM_H
#define ALIBI_ORDER_PROBLEM_H

#include "order/components.h"

struct problem_rules {
	bool snapshot;      /* two events a transaction */
	bool noconflict;    /* with snapshot: overlapping transactions write different keys */
	bool realtime;      /* what ended before another began comes first, … */
	uint64_t skew;      /* … if that is more than the clients' clocks may differ */
	bool session;       /* transactions of a session come in its order */
	bool unrepeatable;  /* a key read twice may have two values */
	bool without_edges; /* the caller finds them: they depend on choices */
};

#define WHY_HISTORY UINT32_MAX

/* An external read of a register. */
struct external_read {
	uint32_t op, key, value;
	uint32_t first, count; /* its candidate writers, in problem.candidates */
	bool includes_reader;  /* the reader is in that range, but is no candidate */
	bool initial;          /* the initial version is a candidate */
	bool open_writer;      /* an open update (open.h) may have written the value */
	bool named;            /* the database named the writer */
};

struct final_write {
	uint32_t key, value; /* value: ATOM_NONE on list keys */
};

/* An external read of a list: its first count elements, the own ones taken off. */
struct external_list_read {
	uint32_t op, key, count;
	uint32_t first_writer, writers; /* in list_writers, if the key's elements are unique */
};

/* An edge that follows, by the read at op, for the other writer (a slot), from the
 * known edges and the first `earlier` derived ones. */
struct derived {
	uint32_t from, to, op, other, earlier;
	uint32_t key; /* op is a query, and this the key; else ATOM_NONE */
};

enum impossible_kind {
	POSSIBLE,
	IMPOSSIBLE_INT,    /* own writes, or an earlier read, say otherwise */
	IMPOSSIBLE_WRITER, /* nobody can have written what was read */
	IMPOSSIBLE_COUNT,  /* others did not append an element as often as it was read */
};

struct problem {
	struct pool *pool;
	const struct history *h;
	struct problem_rules rules;

	enum impossible_kind impossible; /* found on the way: nothing else is filled then */
	uint32_t impossible_op;
	uint32_t impossible_key; /* of a query; the element of a list; else ATOM_NONE */

	uint32_t slots, nodes;
	const uint32_t *txn_of;  /* by slot */
	const uint32_t *slot_of; /* by transaction, of all components: see problem_slot() */
	uint32_t keys;           /* those of this component, by its own numbers … */
	const uint32_t *key_of, *number_of; /* … from and to the history's: see problem_key() */
	uint32_t session_count;
	const uint32_t *sessions;

	uint32_t *read_first, *write_first, *list_read_first; /* by slot, one more at the end */
	VEC(struct external_read) reads;
	VEC(struct final_write) writes;
	VEC(struct external_list_read) list_reads;
	uint32_t *candidates;       /* slots, by key and value; rising for one value */
	VEC(uint32_t) list_writers; /* slots, in the order that a read shows */
	bool *repeats;              /* by key: a list whose elements are not unique */
	uint32_t *append_first;     /* by slot: its appends, in `appends` */
	VEC(struct final_write) appends;

	VEC(struct derived) derived; /* by saturation, in the order in which they follow */
	uint32_t *place;             /* by node: an order that follows all but the last round's */

	/* Known edges: successors of a node, and why (WHY_HISTORY; an operation; or
	 * op_count + the place of a derived edge); predecessors. */
	uint32_t *after_first, *after, *after_why;
	uint32_t *before_first, *before;
};

/* ID_NONE: it is not in this problem. */
static inline uint32_t problem_slot(const struct problem *p, uint32_t txn)
{
	uint32_t slot = txn == NO_TXN ? ID_NONE : p->slot_of[txn];
	return slot < p->slots && p->txn_of[slot] == txn ? slot : ID_NONE;
}

static inline uint32_t problem_key(const struct problem *p, uint32_t op)
{
	return p->number_of[op_key(p->h->ops[op])];
}

static inline uint32_t read_node(const struct problem *p, uint32_t slot)
{
	return p->rules.snapshot ? 2 * slot : slot;
}

static inline uint32_t write_node(const struct problem *p, uint32_t slot)
{
	return p->rules.snapshot ? 2 * slot + 1 : slot;
}

/* Nodes beyond these are time points. */
static inline uint32_t event_nodes(const struct problem *p)
{
	return p->rules.snapshot ? 2 * p->slots : p->slots;
}

static inline uint32_t slot_of_node(const struct problem *p, uint32_t node)
{
	return p->rules.snapshot ? node / 2 : node;
}

void problem_build(struct problem *p, struct pool *pool, struct component component,
                   struct problem_rules rules);

#endif
