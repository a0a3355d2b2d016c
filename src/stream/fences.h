/*
 * fences: what comes before what is still to come, in a stream without timestamps and clocks.
 *
 * Problem. The rounds (rounds.h) need to know who comes before all that is still to come.
 * Without timestamps and clocks nothing says so but the transactions themselves.
 *
 * Idea (after Cobra). One key is for fences. A fence is a committed transaction that reads
 * and writes that key, and leaves a value there that nobody else ever wrote. So each fence
 * tells whose version it replaced, they form a chain, and each has a number: that of the one
 * it read from + 1. A session makes a fence now and then. All of it before its fence number b
 * comes before all that stands behind fences from number b on, in whichever session: by the
 * order of sessions, and along the chain. That holds at ser anyway, so nothing is assumed.
 *
 * A transaction begins at 2a, if a is the number of the last fence before it in its session
 * (0: there is none), and ends at 2b - 1, if b is the number of the next one after it; fence i
 * itself is at 2i. It is held back here until b is known. When all sessions have come to
 * fence m, nothing that is still to come begins before 2m: that is the watermark. The round
 * is then a search at plain ser: the numbers say who is frozen, and nothing else.
 *
 * The chain may break: two fences read one version (which violates ser), one in between was
 * lost, is of unknown outcome, or somebody wrote the key without reading it. Only the
 * fence that reads what the last numbered one wrote gets the next number. Others are loose:
 * they separate nothing, and what stands before and behind them waits together. Once every
 * session has made a loose fence that goes back to one and the same, all that is still to
 * come comes after that one; and it comes after all numbered ones, because between those
 * there is no room at the key. So it gets the next number, and the chain goes on.
 *
 * Who are "all sessions"? The user says how many there are at least; more may join, with a
 * fence first. A session that falls silent holds up everything; with a horizon, one that
 * made no fence while the others made so many has ended. What comes too early for its
 * number is late, is told, and not guessed about.
 *
 * Invariants.
 * 1. All that is held of a session came after its last numbered fence, in its order.
 * 2. What is held, and is still to come, of a session begins at or after that fence.
 * 3. A loose fence is in both tables, by what it read and by what it wrote; nothing else is.
 * 4. What happens depends on the order of arrival alone.
 *
 * docs/rounds.md has the argument. Values that are not new are told, if they are among the
 * latest: the chain cannot be trusted then.
 *
 * Cost. A block of some 200 bytes a transaction that is held, and a look at each operation's
 * key; for each fence a look into a table; for each fence that all sessions have passed, a
 * look at all sessions.
 */
#ifndef ALIBI_STREAM_FENCES_H
#define ALIBI_STREAM_FENCES_H

#include "stream/rounds.h"

struct fences;

struct fences *fences_new(struct rounds *r);
void fences_tape(struct fences *f, struct tape *t);
void fences_arrive(struct fences *f, struct waiting *t, const struct txn *txn);
/* Something was lost: what those that are held read is not used any more. */
void fences_gap(struct fences *f);
/* Nothing comes any more: all that is held goes to the rounds. */
void fences_finish(struct fences *f);

/* A transaction leaves the window; should it come again, it is known for a while, with its
 * status. */
void fences_forget(struct fences *f, const struct waiting *t);
bool fences_saw(const struct fences *f, struct value id, enum alibi_status *status);
const struct waiting *fences_held(const struct fences *f, struct value id); /* or NULL */

void fences_stats(const struct fences *f, alibi_watch_stats *stats);

#endif
