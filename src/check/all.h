/*
 * all: every level in one run, and which is the strongest that holds.
 *
 * Problem. One level may take for ever while another is decided at once, and which it is cannot be
 * known beforehand. What is known must not wait for what is not.
 *
 * Idea. The levels form a chain: what holds at one holds at all weaker ones, and what violates one
 * violates all stronger ones, by the definitions. They take turns, the strongest first: clocks and
 * sessions leave few choices there, and if it holds, all others follow. A turn is short at first,
 * and each round has longer ones. So levels are decided in the order of what they cost, within a
 * factor, and what follows from them is never searched for. Where time is limited, each level that
 * is not decided has its share of what is left.
 *
 * Invariants.
 * 1. A limit ends a turn and nothing else: what was decided before stays, and the verdict of a
 * level that has no more turns is `unknown`, with the reason of its last one.
 * 2. A turn that ended for lack of memory is not repeated.
 * 3. A level that was searched and does not hold has evidence of its own.
 *
 * Without client times strict serializability is serializability.
 *
 * Cost. That of the levels that do not hold, and of one that does; up to twice as much where a
 * search is longer than its first turn.
 */
#ifndef ALIBI_CHECK_ALL_H
#define ALIBI_CHECK_ALL_H

#include "check/check.h"

/* options->level is not looked at. */
const alibi_levels *check_all(struct pool *pool, const struct history *h,
                              const struct check_options *options);

#endif
