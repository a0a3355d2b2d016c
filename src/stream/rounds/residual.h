/*
 * residual: what stays of removable transactions where the last writer of a key is not certain.
 *
 * Problem. Two transactions wrote a key concurrently, and nothing has read it since. Either may
 * have been the last writer. If both stayed until the key is used again, all that followed them
 * would have to stay, too, and some keys are never used again.
 *
 * Idea. Of such transactions only these writes stay, as residual writes that precede everything
 * else. Residual writes that share a key are a group, and may come in any order. That is sound if
 * the removable transactions allow each order of them. They do, under two conditions.
 * 1. Each read of a removable transaction is ordered against all writers of its key. Where it is
 *    not, it is ordered now as in the order that was found: edges are added. Then every order that
 *    follows the edges explains the reads: each other writer of the key comes after the read, or
 *    before the writer that was read.
 * 2. The edges and any order of each group have no cycle. It suffices that the graph in which each
 *    group is one node has none.
 * The second condition is tried by sorting that graph topologically. Groups on a cycle stay live,
 * with all that can be reached from them.
 *
 * Cost. Linear in the edges, and for each read of a removable transaction a binary search a chain.
 */
#ifndef ALIBI_STREAM_ROUNDS_RESIDUAL_H
#define ALIBI_STREAM_ROUNDS_RESIDUAL_H

#include "stream/rounds/marking.h"

/* Finishes the marking, and fills g->last, residuals and group_ends. */
void residual_find(struct marking *m, struct gc *g);

#endif
