/*
 * walk: what each key holds at a point of an order.
 *
 * The search replays an order of events and enters each write here. Reads and queries in between
 * are compared with what the keys hold.
 *
 * Cost. 8 bytes a key; with queries, the rows of all keys twice (rows.h).
 */
#ifndef ALIBI_CHECK_WALK_H
#define ALIBI_CHECK_WALK_H

#include "order/problem.h"
#include "order/rows.h"

struct walk {
	const struct problem *p;
	uint32_t *writer, *value; /* by key: its last writer (ID_NONE: none yet), and its value */
	struct rows initially;    /* with queries: what the keys hold at first, … */
	struct rows rows;         /* … and now */
};

void walk_init(struct walk *w, struct pool *pool, const struct problem *p);
/* Back to the beginning. */
void walk_restart(struct walk *w);
void walk_write(struct walk *w, uint32_t slot, uint32_t key, uint32_t value);

#endif
