/*
 * fences: the engine that searches in rounds, without timestamps and clocks.
 *
 * Problem. The rounds (rounds.h) need to know which transactions precede all future ones. Without
 * timestamps and clocks only the transactions themselves can say so.
 *
 * Idea (after Cobra). One key is for fences. A fence is a committed transaction that reads and
 * writes that key, and writes a value that no other transaction writes. So each fence shows whose
 * version it replaced: fences form a chain, and each has a number, that of the fence it read from
 * plus 1. A session makes a fence now and then. What comes before fence b in its session precedes
 * what comes after fence b, or a later fence, in any session: by session order, and along the
 * chain. That holds at ser anyway, so nothing is assumed.
 *
 * A transaction begins at 2a, if a is the number of the last fence before it in its session (0:
 * none), and ends at 2b - 1, if b is the number of the next fence after it; fence i itself is at
 * 2i. A transaction is held here until b is known. When all sessions have passed fence m, no
 * future transaction begins before 2m: that is the watermark. The round is then a search at plain
 * ser: the numbers only say which transactions are behind the watermark.
 *
 * The chain may break: two fences read one version (which violates ser), a fence was lost or is
 * of unknown outcome, or a transaction wrote the key without reading it. Only the fence that reads
 * the tip of the chain gets the next number. Others are orphans (orphans.h): they separate
 * nothing, and what comes before and after them waits together. Once the latest orphan of every
 * session goes back to one root, all future transactions follow that root; and the root follows
 * all numbered fences, because no write of the key fits between those. So it gets the next
 * number, and the chain goes on.
 *
 * The user says how many sessions there are at least; more may join, with a fence first. A session
 * that falls silent holds up the watermark; with a horizon, a session that made no fence while the
 * others made that many has ended. A transaction that begins before the watermark is late, and
 * reported.
 *
 * Invariants.
 * 1. The held transactions of a session came after its last numbered fence, in session order.
 * 2. What is held, or is still to come, of a session begins at or after that fence.
 * 3. A held fence without a number is an orphan; nothing else is.
 * 4. What happens depends on the order of arrival alone.
 *
 * docs/rounds.md has the proof. A value that was written at the key before is reported, if it is
 * among the latest: the chain cannot be trusted then.
 *
 * Cost. A block of some 200 bytes for a held transaction, and a look at the key of each operation;
 * for each fence a table lookup; for each fence that all sessions have passed, a look at all
 * sessions.
 */
#ifndef ALIBI_STREAM_FENCES_FENCES_H
#define ALIBI_STREAM_FENCES_FENCES_H

#include "stream/core/core.h"

extern const struct engine fences_engine;

#endif
