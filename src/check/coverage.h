/*
 * coverage: how much a verdict could have caught.
 *
 * Problem. `valid` of a history in which no transaction reads what others write says
 * nothing about the database, and looks like any other `valid`.
 *
 * Idea. Count what gives a level something to go wrong, and find the weakest level
 * that says as much about this history as the one that was checked: whatever value
 * the reads had returned, the history would have held at both or at neither. The
 * values in question are the initial one and those that other transactions wrote,
 * aborted ones too; a read after an own write returns that. Each step down is proven.
 *
 * In what follows a session is a client's; a transaction of unknown outcome, or any
 * if session order does not count, is a session of its own. Reads are those of
 * committed transactions, without an own write before them (on lists, all).
 *
 * sser, ser    No transaction ended before another began. (Or a linear order of
 *              session order and real time exists, and no two sessions conflict: any
 *              such order will do.)
 *
 * ser, si      No pivot: no transaction reads what another session writes and writes
 *              what another session reads. A history that holds at si has a dependency
 *              graph in which each cycle has two anti-dependencies in a row (Cerone,
 *              Gotsman); those within a session can be replaced by session order, so
 *              that the transaction between two that are left is a pivot.
 *
 * si, pc       No key has writers in two sessions, so that no two of them overlap.
 *
 * pc, cc       Clocks do not bind, and only one session writes: W1, W2, … At cc a
 *              transaction t that sees W1 … Wm reads of each key the last version among
 *              them; put t behind Wm. (Or no two sessions conflict, and a linear order
 *              exists: see the next step, for each session.)
 *
 * cc, ra       No two sessions conflict. At ra a session sees its own writes, and cannot
 *              read from later ones; its own order explains all it read.
 *
 * ra, nothing  No transaction reads a key that another one wrote: all reads return the
 *              initial value, and any order will do.
 *
 * A query reads all keys of its relation. What it could have found is not gone into: if another
 * transaction writes one of them, a level is taken to say more than the weaker ones. Else it
 * finds what was there in the beginning, or its own transaction wrote, in every order. An
 * update whose rows are not recorded may write all keys that it asks for.
 *
 * Where client times count (at sser, or at ser, si and pc if they are assumed to), what
 * they order is ordered at both levels of a step, as session order is. Real time may
 * contradict itself or session order if clocks go back. A linear order exists if no
 * transaction ends before it, or an earlier one of its session, began: along a cycle
 * these times would have to grow. `Before` is by more than clocks may differ.
 *
 * Cost. Linear: a pass over the operations, and one in the order of client times if
 * there are any. 32 bytes a key, and 32 more then.
 */
#ifndef ALIBI_CHECK_COVERAGE_H
#define ALIBI_CHECK_COVERAGE_H

#include "check/check.h"

/* What the history has, whatever the level. */
struct coverage {
	alibi_coverage counts; /* without what depends on the level */
	bool foreign_reads;    /* a transaction reads a key that another one wrote */
	bool pivots, common_writers, several_write;
	bool queries;    /* others write what they ask for: no step down is proven then */
	bool times_bind; /* a transaction ended before another began, by more than the skew */
	bool times_hold; /* a linear order of session order and real time exists */
	/* Two transactions of a session ran at the same time, so that its order is the input's
	 * mistake; NULL: none did, or session order does not count. */
	const char *overlap;
};

struct coverage coverage_of(struct pool *pool, const struct history *h,
                            const struct check_options *options);
/* A part of it, after conflicts are counted: what client times say. */
void coverage_times(struct coverage *c, struct pool *pool, const struct history *h,
                    const struct check_options *options);

/* The overlap, as a warning. */
const char *coverage_overlap(struct pool *pool, const struct history *h,
                             const struct check_options *options);

/* Adds it to the result at a level; `valid` may get a warning, and `violates` that of an overlap. A
 * replay of timestamps can always go wrong: no other level says as much, and only reads are asked
 * for. */
void coverage_at(struct pool *pool, const struct coverage *c, const struct check_options *options,
                 alibi_result *result);

#endif
