/* commit_log: see commit_log.h. */
#include "commit_log.h"

#include <stdlib.h>
#include <string.h>

void commit_log_add(struct commit_log *log, uint64_t txn, uint64_t xid, const char *snapshot)
{
	log->entries = items_grown(log->entries, log->count, &log->room, sizeof *log->entries);
	log->entries[log->count] =
	        (struct commit_entry){txn, xid, log->count + 1, log->texts.length};
	log->count++;
	text_add(&log->texts, snapshot, strlen(snapshot) + 1);
}

static int by_txn(const void *a, const void *b)
{
	uint64_t x = ((const struct commit_entry *)a)->txn,
	         y = ((const struct commit_entry *)b)->txn;
	return x < y ? -1 : x > y;
}

void commit_log_sort(struct commit_log *log)
{
	if (log->count)
		qsort(log->entries, log->count, sizeof *log->entries, by_txn);
}

const struct commit_entry *commit_log_find(const struct commit_log *log, uint64_t txn)
{
	struct commit_entry like = {.txn = txn};
	return log->count ? bsearch(&like, log->entries, log->count, sizeof like, by_txn) : NULL;
}

void commit_log_release(struct commit_log *log)
{
	free(log->entries);
	text_release(&log->texts);
}
