/*
 * live: the database's order as timestamps, while the recording runs, for a stream.
 *
 * The problem: PostgreSQL returns the snapshot of a transaction when the transaction ends. A commit
 * belongs right before the first snapshot that sees it (snapshots.h), and that snapshot may belong
 * to a transaction that is still running.
 *
 * The idea: a transaction is held back until all transactions that were in flight when it ended
 * are over, too. Later ones see its commit, and it sees none of theirs, so its place is then
 * final. Transactions go to the journal with start_ts and commit_ts, in commit order, so that none
 * is late. Clients do not wait for this; a line is delayed by about the time of two transactions.
 *
 * A transaction that did not commit has no timestamps and is not held back. So one of unknown
 * outcome precedes those that may have read from it, because these wait for its end.
 *
 * A snapshot that does not see what was over before it began (as behind a load balancer) has no
 * place in the order; its transaction is written without timestamps, and counted.
 *
 * Memory: while a transaction runs, all that have ended since are held back; when there are too
 * many, no more transactions should begin.
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
/* After its last answer. length 0: there is no line. */
void live_end(struct live *l, uint64_t client, const char *line, size_t length);
void live_tick(struct live *l); /* writes what can be written */
bool live_is_full(struct live *l);
/* After the last transaction: writes the rest. Returns how many had no place in the order. */
uint64_t live_close(struct live *l);

#endif
