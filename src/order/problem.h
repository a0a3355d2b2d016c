/*
 * problem: what an order of events has to explain, without the history's detail.
 *
 * A slot is a transaction's number in its component (components.h); an unknown one that does not
 * commit is ordered behind everything else. A slot has an event at which it reads and one at
 * which it writes: the same one (levels without snapshots), or its start and its commit.
 * Events are nodes of one graph, and so are points in time.
 *
 * Of a transaction only what others can see matters: its external reads (no own
 * write or equal read of the key before) and its final writes. Each read has
 * candidate writers: the slots whose final write of that key is the value that was read,
 * and perhaps the initial version. A read without candidates is already a violation.
 *
 * A transaction that only may write a key, by an update whose rows were not recorded
 * (opaque_update.h), is not among the writers: the search decides whether it is one.
 *
 * Known edges come before any search: session order, start before commit, real
 * time (as a chain of time points, so that edges stay linear in number), reads
 * with one candidate, and the order in which lists show their appenders.
 *
 * Types. Without snapshots a slot and its node have the same number, so that one taken for the
 * other goes unnoticed until a level has snapshots: nodes are a type of their own, which
 * only read_node() and write_node() make of slots. Slots, operations and keys index arrays
 * everywhere and stay plain numbers; a key of the component is called `key`, or `number`
 * where the history's key is there, too.
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

/* An event, or a point in time. */
typedef struct {
	uint32_t index;
} node_id;

#define NODE_NONE ((node_id){ID_NONE})

static inline bool same_node(node_id a, node_id b)
{
	return a.index == b.index;
}

#define WHY_HISTORY UINT32_MAX

/* In builds with asserts, structures of at most so many nodes are validated. */
enum { VALIDATE_NODES = 64 };

/* An external read of a register. */
struct external_read {
	uint32_t op, key, value;
	uint32_t first, count; /* its candidate writers, in problem.candidates */
	bool includes_reader;  /* the reader is in that range, but is no candidate */
	bool initial;          /* the initial version is a candidate */
	bool opaque_writer;    /* an opaque update (opaque_update.h) may have written the value */
	bool named;            /* the database named the writer */
};

struct final_write {
	uint32_t key, value; /* value: ID_NONE on list keys */
};

/* An external read of a list: its first count elements, the own ones taken off. */
struct external_list_read {
	uint32_t op, key, count;
	uint32_t first_writer, writers; /* in list_writers, if the key's elements are unique */
};

/* An edge that follows, by the read or query at op, for the other writer (a slot), from the
 * known edges and the first `earlier` derived ones. */
struct derived {
	node_id from, to;
	uint32_t op, other, earlier;
	uint32_t key; /* the key that the query at op is about; a read: ID_NONE */
};

enum impossible_kind {
	POSSIBLE,
	IMPOSSIBLE_INT,    /* contradicts own writes or an earlier read */
	IMPOSSIBLE_WRITER, /* no transaction wrote the value */
	IMPOSSIBLE_COUNT,  /* an element was read more often than others appended it */
};

struct problem {
	struct pool *pool;
	const struct history *h;
	struct problem_rules rules;

	enum impossible_kind impossible; /* found on the way: nothing else is filled then */
	uint32_t impossible_op;
	uint32_t impossible_key; /* of a query; the element of a list; else ID_NONE */

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

	/* Known edges: successors of a node, and why (see why_derived()); predecessors. */
	uint32_t *after_first, *before_first; /* by node, one more at the end */
	node_id *after, *before;
	uint32_t *after_why;
};

/* Why a known edge holds: WHY_HISTORY, the operation of a read, or, beyond all operations, a
 * derived edge. Its index in p->derived, or ID_NONE. */
static inline uint32_t why_derived(const struct problem *p, uint32_t why)
{
	return why == WHY_HISTORY || why < p->h->op_count ? ID_NONE : why - p->h->op_count;
}

/* ID_NONE: it is not in this problem. */
static inline uint32_t problem_slot(const struct problem *p, uint32_t txn)
{
	uint32_t slot = txn == ID_NONE ? ID_NONE : p->slot_of[txn];
	return slot < p->slots && p->txn_of[slot] == txn ? slot : ID_NONE;
}

static inline uint32_t problem_key(const struct problem *p, uint32_t op)
{
	return p->number_of[op_key(p->h->ops[op])];
}

/* Notes the first reason why no order explains the history; returns false. */
static inline bool problem_impossible(struct problem *p, enum impossible_kind kind, uint32_t op,
                                      uint32_t key)
{
	if (p->impossible == POSSIBLE) {
		p->impossible = kind;
		p->impossible_op = op;
		p->impossible_key = key;
	}
	return false;
}

/* How many candidates of a read are transactions, and the first of these, or ID_NONE. */
static inline uint32_t candidate_count(const struct external_read *r)
{
	return r->count - r->includes_reader;
}

static inline uint32_t first_candidate(const struct problem *p, uint32_t reader,
                                       const struct external_read *r)
{
	if (!candidate_count(r))
		return ID_NONE;
	uint32_t first = p->candidates[r->first];
	return first == reader ? p->candidates[r->first + 1] : first;
}

static inline node_id read_node(const struct problem *p, uint32_t slot)
{
	return (node_id){p->rules.snapshot ? 2 * slot : slot};
}

static inline node_id write_node(const struct problem *p, uint32_t slot)
{
	return (node_id){p->rules.snapshot ? 2 * slot + 1 : slot};
}

/* Of the writer of a version; ID_NONE, the initial one, has NODE_NONE. */
static inline node_id version_node(const struct problem *p, uint32_t slot)
{
	return slot == ID_NONE ? NODE_NONE : write_node(p, slot);
}

/* Nodes beyond these are time points. */
static inline uint32_t event_nodes(const struct problem *p)
{
	return p->rules.snapshot ? 2 * p->slots : p->slots;
}

static inline bool is_event(const struct problem *p, node_id node)
{
	return node.index < event_nodes(p);
}

static inline uint32_t slot_of_node(const struct problem *p, node_id node)
{
	return p->rules.snapshot ? node.index / 2 : node.index;
}

/* Is it the event at which its slot reads, or writes? */
static inline bool reads_at(const struct problem *p, node_id node)
{
	return is_event(p, node) && (!p->rules.snapshot || node.index % 2 == 0);
}

static inline bool writes_at(const struct problem *p, node_id node)
{
	return is_event(p, node) && (!p->rules.snapshot || node.index % 2 == 1);
}

void problem_build(struct problem *p, struct pool *pool, struct component component,
                   struct problem_rules rules);

/* Do the invariants of its ranges and edges hold? Looks at everything. */
bool problem_validate(const struct problem *p);

#endif
