/*
 * snapshots: the order in which commits became visible in PostgreSQL, as numbers.
 *
 * The problem: PostgreSQL assigns xids at the first write of a transaction, so xid order is not
 * commit order. The order of commit records in the WAL is not the order of visibility either.
 *
 * The idea: snapshots show when a commit became visible. A snapshot xmin:xmax:running sees the xids
 * below xmax that are not running. Commits become visible one at a time, under one lock, so all
 * snapshots see prefixes of one order: the more a snapshot sees, the later it is. Sort the
 * snapshots by how many commits they see; a commit then belongs right before the first snapshot
 * that sees it. Commits between two adjacent snapshots are in the order of the log, or, without a
 * log, in any order: no snapshot sees one without the other, and no two of them wrote the same
 * key, because the later writer must have seen the earlier one or been refused.
 *
 * This works incrementally while more transactions end. A transaction is final when all snapshots
 * that are still unknown were taken after its end. Events of final transactions get their numbers,
 * and so do those before them; the others wait.
 *
 * Invariants: 1. A snapshot that does not see all commits with a number is misplaced. 2. The number
 * of a start is at least that of any commit it sees, and below all others; the number of a commit
 * is unique, and a read-only transaction commits right after its start. Whether these numbers
 * explain the history is decided by the replay.
 *
 * Cost: a sort of the snapshots, and a look at the running xids of each.
 */
#ifndef ALIBI_RECORD_SNAPSHOTS_H
#define ALIBI_RECORD_SNAPSHOTS_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One committed transaction. */
struct snapshot_txn {
	uint64_t id;       /* in the history */
	uint64_t xid;      /* 0: it wrote nothing */
	uint64_t xmax;     /* of its snapshot … */
	size_t first;      /* … and the running ones, in snapshots.running, … */
	uint32_t running;  /* … so many */
	bool final;        /* see above */
	bool started;      /* start_ts is there */
	bool misplaced;    /* it has no place in the order */
	bool written;      /* it can be dropped */
	uint64_t visible;  /* how many writers it sees */
	uint64_t position; /* in the log or the binlog; 0: none */
	uint64_t start_ts, commit_ts;
};

struct snapshots {
	struct snapshot_txn *txns;
	size_t count, room;
	uint64_t *running;
	size_t running_count, running_room;
	uint64_t clock; /* the last number assigned */
};

/* The snapshot is "731:735:731,733". */
void snapshots_parse(struct snapshots *s, struct snapshot_txn *t, const char *text);
/* From a line of the history; false: it has no snapshot. */
bool snapshots_take(struct snapshots *s, struct snapshot_txn *t, const char *line);
void snapshots_add(struct snapshots *s, const struct snapshot_txn *t);
/* Assigns numbers to all final ones. False: no memory. */
bool snapshots_place(struct snapshots *s);
void snapshots_drop_written(struct snapshots *s);
void snapshots_release(struct snapshots *s);

/* Prints the beginning of its line, up to the timestamps; has_start: start_ts, too. */
void snapshot_txn_print(const struct snapshot_txn *t, bool has_start, struct text *to);

#endif
