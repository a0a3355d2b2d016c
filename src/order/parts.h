/*
 * parts: transactions that cannot influence each other, apart.
 *
 * Problem. Tenants of one database, or tests that ran side by side, have histories that
 * have nothing to do with each other. One problem for all of them has more chains
 * (clocks.h) than each needs, and keeps one thread busy only.
 *
 * Idea. Transactions have to do with each other if they share a session or a key, or,
 * where real time counts, if both have a client's time; if one asks for a relation of which
 * the other writes a key; and if they are linked by others that do. Sets that are merged
 * (union and find, over sessions, keys and relations) give the components. Orders of components,
 * one after the other, are an order of the whole; and a component that has none refutes the whole.
 * Many small components are one part: a problem for each would cost more than it saves.
 *
 * Who takes part: all committed transactions, and those unknown ones that wrote something
 * a committed one read, or to a key that a query speaks of, or may have (open.h). The others
 * explain nothing and are left out.
 *
 * Invariants.
 * 1. Whoever takes part is in one part; a session and a key belong to one part.
 * 2. In a part, slots, keys and sessions have the order of the history.
 * 3. Parts come in the order of their sizes, the largest first. If there is only one,
 *    keys have their own numbers in it.
 *
 * Cost. Linear; 8 bytes a transaction, 12 a key.
 */
#ifndef ALIBI_ORDER_PARTS_H
#define ALIBI_ORDER_PARTS_H

#include "base/ids.h"
#include "history/open.h"

struct parts {
	const struct history *h;
	uint32_t count;          /* of parts */
	uint32_t components;     /* of which they consist */
	uint32_t slots;          /* transactions in all … */
	uint32_t largest;        /* … and in the largest component */
	uint32_t *components_in; /* by part */

	/* Ranges by part, one more first at the end: transactions, keys, sessions. */
	uint32_t *txn_first, *txns;
	uint32_t *key_first, *keys;
	uint32_t *session_first, *sessions;

	uint32_t *slot_of;   /* by transaction: its number in its part, or ID_NONE: takes no part */
	uint32_t *number_of; /* by key: its number in its part */
};

struct part {
	const struct parts *all;
	uint32_t number;
};

/* realtime: the clients' clocks count. */
struct parts *parts_apart(struct pool *pool, const struct history *h, bool realtime);
/* All of it as one part. */
struct parts *parts_whole(struct pool *pool, const struct history *h);

#endif
