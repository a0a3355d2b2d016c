/*
 * components: transactions that cannot influence each other, apart.
 *
 * Problem. Tenants of one database, or tests that ran side by side, have histories that
 * have nothing to do with each other. One problem for all of them has more chains
 * (clocks.h) than each needs, and keeps only one thread busy.
 *
 * Idea. Two transactions are connected if they share a session or a key; if both have a
 * client's time, where real time counts; or if one queries a relation of which the other writes
 * a key. Union and find over sessions, keys and relations gives the connected components. Orders
 * of components, one after the other, are an order of the whole; a component that has none
 * refutes the whole. Small connected components are gathered into one, since a problem for each
 * would cost more than it saves.
 *
 * Included are all committed transactions, and unknown ones that wrote what a committed one
 * read, or a key that a query is about, or that may have (opaque_update.h). The other unknown
 * ones explain nothing and are left out.
 *
 * Invariants.
 * 1. An included transaction, a session and a key belong to one component.
 * 2. In a component, transactions, keys and sessions have the order of the history.
 * 3. Components come in the order of their sizes, the largest first. If there is only one,
 *    keys have their own numbers in it.
 *
 * Cost. Linear; 8 bytes a transaction, 12 a key.
 */
#ifndef ALIBI_ORDER_COMPONENTS_H
#define ALIBI_ORDER_COMPONENTS_H

#include "base/ids.h"
#include "history/opaque_update.h"

/* The items of each component, in their order. */
struct component_items {
	uint32_t *first; /* by component, one more at the end: its range in items */
	uint32_t *items;
};

struct components {
	const struct history *h;
	uint32_t count;
	uint32_t slots;         /* included transactions */
	uint32_t connected;     /* connected components */
	uint32_t largest;       /* transactions in the largest connected component */
	uint32_t *connected_in; /* by component: connected ones in it */

	struct component_items txns, keys, sessions;
	uint32_t *slot_of;   /* by transaction: its number in its component; ID_NONE: left out */
	uint32_t *number_of; /* by key: its number in its component */
};

struct component {
	const struct components *all;
	uint32_t number;
};

/* realtime: the clients' clocks count. */
struct components *components_find(struct pool *pool, const struct history *h, bool realtime);
/* The whole history as one component. */
struct components *components_whole(struct pool *pool, const struct history *h);

#endif
