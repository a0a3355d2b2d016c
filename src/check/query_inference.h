/*
 * query_inference: edges that follow from queries.
 *
 * A query of R did not see the version that u left at a key. So R is before u, or a writer whose
 * version explains the result (a candidate) is between u and R. Candidates known to be
 * before u, or after R, do not count. If none is left, R is before u. If u is known to be
 * before R, and one candidate m is known to come first of those that are left, m is before R;
 * and if it is the only one, u is before m.
 *
 * There are too many queries, keys and writers to look at all of them. So an order that follows
 * the known edges is walked along (rules.h), and only the rules that it violates are looked at.
 */
#ifndef ALIBI_CHECK_QUERY_INFERENCE_H
#define ALIBI_CHECK_QUERY_INFERENCE_H

#include "order/saturate.h"
#include "order/writers.h"

/* A rule about a query that an order violates: the query at q finds the version that `blocker`
 * (ID_NONE: the initial one) left at a key, which does not explain its row. */
struct query_violation {
	uint32_t reader;
	const struct query *q;
	uint32_t key, row; /* row: ID_NONE, or the operation */
	uint32_t blocker;
};

/* Derives an edge if one follows. */
bool query_infer(struct saturation *s, struct writers *writers, const struct query_violation *v);

#endif
