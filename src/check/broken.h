/*
 * broken: which rules does the present order break?
 *
 * One walk along the order, as a replay would go: what each key holds is known at
 * each event, so each read, and each commit of a key that another transaction
 * commits too, is judged at once. Each broken rule becomes a clause, false in the
 * present order, and a step of the proof.
 *
 * A query says something of every key of its relation. These rules are never written
 * down unless an order breaks them: the walk knows what each key holds where the query
 * stands, and asks whether that explains what the query tells of it.
 *
 * Cost. Linear in reads and writes; for lists whose elements repeat, in the
 * elements; for each query, in its rows, and with a quick look at the keys of its relation.
 */
#ifndef ALIBI_CHECK_BROKEN_H
#define ALIBI_CHECK_BROKEN_H

#include "base/map.h"
#include "check/search.h"
#include "history/rows.h"
#include "order/topology.h"
#include "sat/solver.h"

struct saturation;

typedef VEC(uint32_t) slot_vec;

struct list_reader {
	uint32_t slot, read; /* + 1; 0: nobody did */
};

struct search {
	struct pool *pool;
	struct guard *guard;
	struct problem problem;
	struct topology topology;
	struct solver *solver;
	struct proof proof;
	struct map variables; /* by pair of nodes */
	VEC(uint64_t) ends;   /* by variable: its pair */
	VEC(lit) objection;
	struct search_log *log;
	uint64_t earlier_conflicts; /* in the log, of searches before */

	/* of the walk: */
	uint32_t *writer, *value;    /* by key: who wrote it last (slot + 1; 0: nobody), and what */
	slot_vec *appenders;         /* by key: who appended, in order */
	slot_vec *all_appenders;     /* by key, where elements repeat: everybody who does */
	struct list_reader *readers; /* by key, likewise: who read it last */
	uint32_t *marked, mark;      /* by slot */
	VEC(lit) clause;
	size_t added;
	bool only_count; /* do not make clauses */

	/* of queries: */
	struct rows initially, rows;       /* what keys hold: at first, and now */
	uint32_t *writers_first, *writers; /* by key: its writers, in problem.writes … */
	uint32_t *writer_slot;             /* … and whose write that is */
	uint32_t *own, own_now;            /* by key: the transaction at hand wrote it */
	uint32_t *told, told_now;          /* by key: the query at hand has said all of it */
	struct saturation *saturation;     /* while looking for what follows: told.h */
	size_t followed;
	const struct saturation *known; /* what follows without guessing; NULL: not looked for */
	struct map settled;             /* pairs of nodes of which the solver was told that */
	const uint64_t *hint;

	/* of open updates (outcome.h): */
	uint32_t *outcome;   /* by place: what was left in the latest walk */
	bool *perhaps;       /* by place: only that makes it a writer of the key */
	struct map believed; /* by literal: does the solver believe it? */

	uint32_t
	        *lemmas; /* by derived edge: its unit clause in the proof, + 1; 0: not proven yet */
};

/* Its event in proofs: 2 t for the start of transaction t, 2 t + 1 for its commit. */
uint32_t search_event(const struct search *s, uint32_t node);
uint32_t search_learnt(struct search *s, const lit *literals, size_t count, const uint32_t *hints,
                       size_t hint_count);

/* "node a before node b" */
lit search_literal(struct search *s, uint32_t a, uint32_t b);

/* A rule in the making: a literal of its clause, and its end. */
void broken_literal(struct search *s, uint32_t a, uint32_t b);
void broken_close(struct search *s, enum step_kind kind);
/* No rule need be made, only counted, which this does. */
bool broken_only_counted(struct search *s);
/* What a transaction read of lists: broken_list.c. */
void broken_lists(struct search *s, uint32_t slot);
/* For rules, see outcome.h: the transaction that was met (ID_NONE: nobody), and a candidate
 * that stands elsewhere. */
void broken_blocker(struct search *s, uint32_t reader, uint32_t key, uint32_t blocker);
void broken_candidate(struct search *s, uint32_t c, uint32_t r, uint32_t v, bool blocked);

/* Adds a clause for each rule that is broken; how many. */
size_t broken_rules(struct search *s);
/* Tells told.h of each rule about a query that an order of the nodes breaks. */
void broken_queries(struct search *s, const uint32_t *node_at);
/* How many are broken, without adding anything. */
size_t broken_count(struct search *s);

#endif
