/* stats: statistics and events of a watch, as values. */
#ifndef ALIBI_TESTS_STREAM_STATS_H
#define ALIBI_TESTS_STREAM_STATS_H

#include "alibi.h"

static inline alibi_watch_stats watch_stats(const alibi_watch *w)
{
	alibi_watch_stats stats = {ALIBI_INIT(alibi_watch_stats)};
	alibi_watch_statistics(w, &stats);
	return stats;
}

static inline alibi_violation event_about(const alibi_watch_event *e)
{
	alibi_violation v = {ALIBI_INIT(alibi_violation)};
	alibi_watch_event_violation(e, &v);
	return v;
}

#endif
