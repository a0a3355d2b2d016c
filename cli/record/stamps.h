/*
 * stamps: the order in which the database itself ran the transactions, as start_ts and
 * commit_ts, and the fate of those whose outcome was not known.
 *
 * PostgreSQL tells a snapshot for each transaction; snapshots.h says what follows from
 * them. If one of them breaks the order, no stamps are given at all.
 *
 * The log (commit_log.h) also has the transactions that committed without our hearing of
 * it, with their snapshots. If it is complete, those that it does not have did not commit.
 *
 * MariaDB tells a position in its binlog for each transaction that writes, and no
 * snapshots: the positions are the commit_ts, and there are no start_ts.
 */
#ifndef ALIBI_RECORD_STAMPS_H
#define ALIBI_RECORD_STAMPS_H

#include "commit_log.h"

#include <stdbool.h>
#include <stdint.h>

struct journal;

/* Transactions of unknown outcome of which the log knew more. */
struct fates {
	uint64_t committed, aborted;
};

/* Copies the history that was recorded with the order, of this program's own making,
 * and adds the stamps and fates. False: it could not be read; it was complained. If the
 * transactions have no order, the copy has no stamps, and that was said. */
bool stamps_add(const char *from, struct journal *to, const struct commit_log *log,
                struct fates *fates);

#endif
