/*
 * commit_log: what the database's own log says of the transactions that were named in
 * it. It has those that committed, in the order in which they did.
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
	bool complete; /* who is not in it has not committed, and will not */
};

void commit_log_add(struct commit_log *log, uint64_t txn, uint64_t xid, const char *snapshot);
/* From now on it can be asked, and nothing is added. */
void commit_log_sort(struct commit_log *log);
/* NULL: it is not there. */
const struct commit_entry *commit_log_find(const struct commit_log *log, uint64_t txn);
void commit_log_release(struct commit_log *log);

#endif
