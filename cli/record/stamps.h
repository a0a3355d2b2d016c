/*
 * stamps: the order in which the database itself ran the transactions, as start_ts and
 * commit_ts, and the fate of those whose outcome was not known.
 *
 * The problem: PostgreSQL gives out ids when a transaction first writes, so their order
 * is not that of the commits; and a transaction's commit record may stand in the log
 * before another's that became visible earlier.
 *
 * The idea: what counts is when a commit became visible, and snapshots tell just
 * that. A snapshot xmin:xmax:running sees the ids below xmax that are not among the
 * running ones. Commits become visible one after another, under one lock, so that
 * all snapshots see prefixes of one order: the more a snapshot sees, the later it is.
 * Sort the snapshots by how many commits they see. A commit then belongs right
 * before the first snapshot that sees it. Commits between two neighbouring
 * snapshots stand in the order of the log, or, without a log, in any: nobody saw one
 * without the other, and no two of them wrote one key, because the later writer of a
 * key must have seen the earlier one, or it would have been refused.
 *
 * The log (commit_log.h) also has the transactions that committed without our hearing of
 * it, with their snapshots. If it is complete, those that it does not have did not commit.
 *
 * MariaDB tells a position in its binlog for each transaction that writes, and no
 * snapshots: the positions are the commit_ts, and there are no start_ts.
 *
 * Invariants: 1. a snapshot that sees less than one before it breaks the order, and
 * then no stamps are given at all. 2. A start gets the stamp of the last commit that
 * it sees; a commit gets one that no other has; what only reads commits as it
 * starts. Whether the stamps explain the history is for the replay to say.
 *
 * Cost: a sort of the snapshots, and for each a look at those that are running.
 */
#ifndef ALIBI_RECORD_STAMPS_H
#define ALIBI_RECORD_STAMPS_H

#include "commit_log.h"

#include <stdbool.h>
#include <stdint.h>

/* Transactions of unknown outcome of which the log knew more. */
struct fates {
	uint64_t committed, aborted;
};

/* Copies the history that was recorded with the order, of this program's own making,
 * and adds the stamps and fates. False: it could not be read or written; it was
 * complained. If the transactions have no order, the copy has no stamps, and that was
 * said. */
bool stamps_add(const char *from, const char *to, const struct commit_log *log,
                struct fates *fates);

#endif
