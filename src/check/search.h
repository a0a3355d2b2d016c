/*
 * search: finds an order that explains a component of a history (components.h), or proves that
 * there is none.
 *
 * The known edges (problem.h) have a first order (first_order.h), which is repaired where that
 * takes no search (repair.h). Walking along it as a replay
 * would, each read that finds another value than it should, and each pair of writers that overlap
 * where they may not, is a rule that this order violates (rules.h). The violated rules, and only
 * these, become clauses for the solver (solver.h) over literals "a before b", whose theory is
 * that the edges it decided have no cycle (topology.h). Decisions follow the present order, so
 * that no more of it changes than must. Then one walks again, until no rule is violated or the
 * clauses contradict each other. Where the solver has many conflicts, orders that are built from
 * their beginning (beam.h) take turns with it.
 *
 * The result is not trusted: an order goes to the kernel, a refutation to the verifier.
 *
 * Effort and progress are logged as it goes, so that they can be reported when a limit ends the
 * search.
 */
#ifndef ALIBI_CHECK_SEARCH_H
#define ALIBI_CHECK_SEARCH_H

#include "check/proof.h"
#include "order/problem.h"
#include "replay/replay.h"

struct search_result {
	bool found;    /* an order; else the proof refutes all, … */
	bool given_up; /* … or the effort allowed was used up */
	replay_event *events;
	size_t event_count;
	const struct read_from *chosen; /* at levels where it matters: the writer of each read */
	size_t chosen_count;
	struct proof proof;
};

struct search_effort {
	uint64_t max_conflicts; /* 0: as many as it takes */
	bool near_only;         /* give up if the first order violates many rules */
};

enum search_proven {
	PROVEN_NOTHING,
	PROVEN_READS, /* each read has a candidate */
	PROVEN_KNOWN, /* and the known edges have no cycle */
};

struct search_log {
	alibi_work work;           /* the guard's clock is there */
	enum search_proven proven; /* never less than before */
	uint64_t violated;         /* rules that the latest order violates */
};

struct search_result search(struct pool *pool, struct component component,
                            struct problem_rules rules, struct search_effort effort,
                            struct search_log *log);

#endif
