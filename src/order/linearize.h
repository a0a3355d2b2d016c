/*
 * linearize: a first order for transactions of one key each, by the clients' clocks.
 *
 * Problem. Histories of single registers (Jepsen's register and cas-register) have few values,
 * which are written again and again, so that a read has candidates all over the history. A search
 * that decides reads one by one drowns in them, although the clients' clocks leave each
 * transaction only a few places.
 *
 * Idea. Wing and Gong's search for a linearization, with Lowe's memo. Linearizability is local
 * (Herlihy and Wing): each key is searched alone. Along the clock, the next transaction is one of
 * those that began before the first of all others ended. What failed from one set of done
 * transactions and one value of the key fails again, and is not tried twice. The points of all
 * keys, in the order of time, are an order of the whole.
 *
 *   - A transaction that writes nothing and finds what it reports comes at once: it can only be
 *     in the way of others later.
 *   - Then the one that ended first, or what lets it find what it reports; then the others by
 *     their ends.
 *   - Those of unknown outcome come last, one of several equal ones, and only if they change
 *     something.
 *
 * Where nothing fits, the transaction that ended first takes its place regardless, and the search
 * goes on behind it: the order then violates few rules, all of them there. So it is a good place
 * to look for a proof, too.
 *
 * It is only a hint. It decides nothing, and it may give up.
 *
 * Invariants. Transactions of a key are numbered by their begin. The memo has only hashes: a
 * collision costs time, never a verdict.
 *
 * Cost. For each step, those that overlap; about 100 bytes a transaction. The number of steps is
 * bounded.
 */
#ifndef ALIBI_ORDER_LINEARIZE_H
#define ALIBI_ORDER_LINEARIZE_H

#include "order/problem.h"

/* Sets the hints of all events. False: a transaction has several keys or a list, or has no times;
 * then the hints are as before. */
bool linearize(struct pool *pool, const struct problem *p, uint64_t *hint);

#endif
