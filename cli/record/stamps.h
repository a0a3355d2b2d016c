/*
 * stamps: adds the database's own order to a recorded history, as start_ts and commit_ts, and
 * resolves unknown outcomes.
 *
 * PostgreSQL gives a snapshot for each transaction (snapshots.h). If one of them is misplaced, no
 * timestamps are added at all.
 *
 * The log (commit_log.h) also has the transactions whose commit was not acknowledged, with their
 * snapshots. If it is complete, transactions that are not in it did not commit.
 *
 * MariaDB gives the binlog position of each transaction that writes, and no snapshots: the position
 * is commit_ts, and there is no start_ts.
 */
#ifndef ALIBI_RECORD_STAMPS_H
#define ALIBI_RECORD_STAMPS_H

#include "commit_log.h"

#include <stdbool.h>
#include <stdint.h>

struct journal;

/* How many unknown outcomes the log resolved. */
struct resolved {
	uint64_t committed, aborted;
};

/* Copies a history that this program has recorded, with timestamps and resolved outcomes. False: it
 * could not be read; the error has been reported. If there is no order, the copy has no timestamps,
 * and a message says so. */
bool stamps_add(const char *from, struct journal *to, const struct commit_log *log,
                struct resolved *resolved);

#endif
