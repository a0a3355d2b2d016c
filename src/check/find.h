/*
 * find: an order for a level, or a refutation.
 *
 * Components that cannot influence each other (parts.h) are searched apart, on several
 * threads (team.h). Their orders, one after the other, are the order; the refutation of
 * one, the first of those that have one, is the refutation.
 *
 * Levels with snapshots have two events a transaction. Where the first order of
 * these is far off, or leads to many conflicts, a serial order (stronger.h) is found much
 * faster, so it is tried first, with limited effort. Where that much is open and the clients have
 * clocks, an order by these is tried before, at every level: it mostly is the right one, and clocks
 * leave few choices. Levels without a common state have a search of their own
 * (weak.h), which takes all components at once; a serial order, and one with snapshots, are
 * tried there, too.
 *
 * What it took and what is proven is logged part by part, so that it can be told when a
 * limit ends it all.
 */
#ifndef ALIBI_CHECK_FIND_H
#define ALIBI_CHECK_FIND_H

#include "check/search.h"

struct part_log;

struct find_log {
	enum { FOUND_NOTHING, FOUND_ORDER, FOUND_REFUTATION } found;
	alibi_work work; /* what was not done part by part, or is done */
	/* While it is looking: */
	struct parts *parts;
	struct part_log *logs; /* by part */
};

/* What it finds is in the pool. */
struct search_result find(struct pool *pool, const struct history *h, struct replay_rules rules,
                          unsigned threads, struct find_log *log);

/* What all parts took together. */
alibi_work find_work(const struct find_log *log);

/* What is proven so far, as the end of a sentence; "" if it was not asked for. */
void find_say(const struct find_log *log, char *text, size_t room);

#endif
