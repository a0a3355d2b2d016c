/*
 * steps: what the steps of a refutation claim.
 *
 * A certificate of a violation is a list of steps. Each derives a clause over
 * order literals (a, b), "event a before event b"; the last one derives the empty
 * clause, so no order of events explains the history. The negation of (a, b) is
 * (b, a). Event 2 t is the start of transaction t, event 2 t + 1 its commit; a
 * transaction reads at its start and writes at its commit. On levels without
 * snapshots both are one event, 2 t + 1.
 *
 * Below, R is the event at which the reader of operation `op` reads, V, W, U are
 * the events at which v, w, u write. Aborted transactions take no part; unknown
 * ones do (who did not commit might as well stand behind everything), but what
 * they read binds nobody. A candidate of a read is a transaction other than the
 * reader whose final write of the key is the value read (and whom the database
 * named, if it named one); the initial version is one if it has that value.
 *
 *   READ op v choices…   v wrote the key and is no candidate. If V is before R,
 *       a candidate between them must have overwritten it: (R, V), and for each
 *       candidate w, in the order of the history, (V, W) if its choice is 0, (W, R)
 *       if it is 1. v NOBODY: the initial version is no candidate: all (W, R).
 *   CONFLICT u v key     both wrote key: (U, start v), (V, start u).
 *   LIST_AFTER op u      on a list whose elements are unique, u is not among the
 *       appenders of what was read: (R, U).
 *   LIST_PREFIX op v1…   the elements of v1, v2, … vk, one after another, are not
 *       how the list that was read begins. So these are not its first appenders:
 *       (V2, V1), (V3, V2), … (R, Vk), and (U, Vk) for every other appender u.
 *   LIST_WHOLE op v1…    the elements of v1, … vk are not the list that was read
 *       (or the named writer is not vk): (V2, V1), … (R, Vk), and (U, R) for every
 *       other appender u.
 *   CYCLE e1 why1 …      not all of e1 before e2 before … before e1 can hold: (e2, e1),
 *       … without the edges that hold anyhow: by the history (why 0: session order,
 *       a start before its commit, real time) or by a read (why op + 2: the
 *       one candidate writes before the reader reads; consecutive appenders of a
 *       list read, and the last of them before the reader). why 1: an edge that
 *       does not, whose literal is in the clause.
 *   LEARNT n literals… hints…   if its literals are false, the clauses of the
 *       hinted steps, in that order, each leave one literal, until one leaves
 *       none. Literals are pairs of events.
 *   INT op               a committed read contradicts what its transaction wrote or
 *       read before: the empty clause.
 *   WRITER op            a committed read has no candidate: the empty clause.
 */
#ifndef ALIBI_VERIFY_STEPS_H
#define ALIBI_VERIFY_STEPS_H

#include <stdint.h>

enum step_kind {
	STEP_READ,
	STEP_CONFLICT,
	STEP_LIST_AFTER,
	STEP_LIST_PREFIX,
	STEP_LIST_WHOLE,
	STEP_CYCLE,
	STEP_LEARNT,
	STEP_INT,
	STEP_WRITER,
	STEP_KINDS
};

enum { WHY_BY_HISTORY = 0, WHY_LITERAL = 1, WHY_READ = 2 };
#define STEP_NOBODY UINT32_MAX

#endif
