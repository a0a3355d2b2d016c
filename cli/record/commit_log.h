/*
 * commit_log: the transactions in the database's own log: those that committed, in commit order.
 */
#ifndef ALIBI_RECORD_COMMIT_LOG_H
#define ALIBI_RECORD_COMMIT_LOG_H

#include "text.h"

#include <stdbool.h>

struct commit_entry {
	uint64_t txn;      /* its number in the history */
	uint64_t xid;      /* the database's own id of it */
	uint64_t position; /* in the order of commits, from 1 */
	size_t snapshot;   /* in commit_log.texts */
};

struct commit_log {
	struct commit_entry *entries;
	size_t count, room;
	struct text texts;
	bool complete; /* transactions that are not in it have not committed, and will not */
};

void commit_log_add(struct commit_log *log, uint64_t txn, uint64_t xid, const char *snapshot);
/* After the last entry, before the first look-up. */
void commit_log_sort(struct commit_log *log);
/* NULL: not in the log. */
const struct commit_entry *commit_log_find(const struct commit_log *log, uint64_t txn);
void commit_log_release(struct commit_log *log);

#endif
