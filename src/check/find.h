/*
 * find: an order for a level, or a refutation.
 *
 * Components that cannot influence each other (components.h) are searched apart, on several
 * threads (team.h). Their orders, one after the other, are the order. The refutation of
 * the first component that has one is the refutation.
 *
 * Levels with snapshots have two events a transaction. Where the first order of these violates
 * many rules, or leads to many conflicts, a serial order (stronger.h) is found much faster, so
 * it is tried first, with limited effort. Before that, at every level, an order by the clients'
 * clocks is tried if there are any: it is mostly the right one, and clocks leave few choices.
 * Levels without a common state have a search of their own (weak.h), which takes all
 * components at once; a serial order, and one with snapshots, are tried there, too.
 *
 * Effort and progress are logged by component, so that they can be reported when a limit ends
 * the search.
 */
#ifndef ALIBI_CHECK_FIND_H
#define ALIBI_CHECK_FIND_H

#include "check/search.h"

struct component_log;

struct find_log {
	enum { FOUND_NOTHING, FOUND_ORDER, FOUND_REFUTATION } found;
	alibi_work work; /* of what is done, or does not belong to a component */
	/* While it is searching: */
	struct components *components;
	struct component_log *logs; /* by component */
};

/* The result is in the pool. */
struct search_result find(struct pool *pool, const struct history *h, struct replay_rules rules,
                          unsigned threads, struct find_log *log);

/* The work of all components together. */
alibi_work find_work(const struct find_log *log);

/* What is proven so far, as the end of a sentence; "" if nothing was searched for. */
void find_say(const struct find_log *log, char *text, size_t room);

/* What makes the history hard and what its author can do; NULL if values do not repeat. */
const char *find_advise(const alibi_result *undecided, char *text, size_t room);

#endif
