/*
 * group: the anomalies of one name, together. Ten lost updates are one finding with ten instances:
 * a count, keys and transactions say enough about nine of them.
 */
#ifndef ALIBI_REPORT_GROUP_H
#define ALIBI_REPORT_GROUP_H

#include "findings/findings.h"

struct pool;

struct group {
	size_t count;
	const alibi_anomaly **members; /* in the order of the explanation */
};

/* In the order of their first members. */
const struct group *groups_of(struct pool *pool, const alibi_explanation *e, size_t *count);

/* Of several: "10 lost updates on stock/5 (T1592, T1597; …)", or, if they are of several keys, "10
 * lost updates: key 4 (T1, T14), key 5 (T4, T10), …". */
const char *group_heading(struct pool *pool, const struct group *g);

#endif
