/*
 * live: the database's own order as timestamps, while the recording runs, for those who
 * watch it.
 *
 * The problem: PostgreSQL tells the snapshot of a transaction when that ends. A commit has
 * its place right before the first snapshot that sees it (snapshots.h), and that snapshot
 * may belong to a transaction that is still running.
 *
 * The idea: a transaction waits until all that were running when it ended are over, too.
 * What begins later sees its commit, and it sees no commit of those. So its place is certain
 * then. They go on to the journal with start_ts and commit_ts, in the order of their
 * commits, so that none comes late. Nobody stops for that; a line is late by about two
 * transactions' time.
 *
 * A transaction that did not commit has no timestamps, and does not wait. One of unknown
 * outcome so stands before those that can have read from it, because these wait for its end.
 *
 * A snapshot that does not see what was over before it began (a server behind an address
 * that is not the same each time) has no place; its transaction goes without timestamps,
 * and is counted.
 *
 * Memory: as long as a transaction runs, all that ended since wait; when they are too many,
 * no more transactions should begin.
 */
#ifndef ALIBI_RECORD_LIVE_H
#define ALIBI_RECORD_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct journal;
struct live;

/* NULL: no memory. */
struct live *live_new(struct journal *to, uint64_t clients);
void live_begin(struct live *l, uint64_t client); /* before its first request */
/* After its last answer. length 0: nothing is to be written. */
void live_end(struct live *l, uint64_t client, const char *line, size_t length);
void live_tick(struct live *l); /* writes what can be written */
bool live_is_full(struct live *l);
/* Nothing runs any more: writes the rest. How many had no place. */
uint64_t live_close(struct live *l);

#endif
