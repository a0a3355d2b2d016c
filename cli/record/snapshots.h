/*
 * snapshots: the order in which commits became visible in PostgreSQL, as numbers.
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
 * This can be done in steps while more transactions end. A transaction is settled when
 * all snapshots that are not known yet were taken after its end. Events of settled ones
 * get their numbers, and so does what comes before these; everything else waits.
 *
 * Invariants: 1. a snapshot that does not see all commits which have a number breaks the
 * order. 2. A start gets a number that is not below any commit which it sees, and below all
 * others; a commit gets one that no other has, and what only reads commits right after
 * its start. Whether these numbers explain the history is for the replay to say.
 *
 * Cost: a sort of the snapshots, and for each a look at those that are running.
 */
#ifndef ALIBI_RECORD_SNAPSHOTS_H
#define ALIBI_RECORD_SNAPSHOTS_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One committed transaction. */
struct seen {
	uint64_t id;       /* in the history */
	uint64_t xid;      /* 0: it wrote nothing */
	uint64_t xmax;     /* of its snapshot … */
	size_t first;      /* … and the running ones, in snapshots.running, … */
	uint32_t running;  /* … so many */
	bool settled;      /* see above */
	bool started;      /* start_ts is there */
	bool broken;       /* it has no place in the order */
	bool written;      /* nobody needs it any more */
	uint64_t visible;  /* how many writers it sees */
	uint64_t position; /* in the log or the binlog; 0: none */
	uint64_t start_ts, commit_ts;
};

struct snapshots {
	struct seen *txns;
	size_t count, room;
	uint64_t *running;
	size_t running_count, running_room;
	uint64_t clock; /* the last number that was given */
};

/* The snapshot is "731:735:731,733". */
void snapshots_parse(struct snapshots *s, struct seen *t, const char *text);
/* From a line of the history; false: it has none. */
bool snapshots_take(struct snapshots *s, struct seen *t, const char *line);
void snapshots_add(struct snapshots *s, const struct seen *t);
/* Numbers for all that are settled. False: memory ran out. */
bool snapshots_place(struct snapshots *s);
void snapshots_drop_written(struct snapshots *s);
void snapshots_release(struct snapshots *s);

/* How its line begins, up to the numbers; has_start: not only the commit has one. */
void seen_print(const struct seen *t, bool has_start, struct text *to);

#endif
