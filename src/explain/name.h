/*
 * name: anomalies by the names that Adya and Elle gave them (docs/anomalies.md).
 *
 * A row has the name, a title for people, and Adya's name, if it has one. Cycles
 * through session order and real time are variants: -process and -realtime, as Elle
 * says.
 */
#ifndef ALIBI_EXPLAIN_NAME_H
#define ALIBI_EXPLAIN_NAME_H

#include "explain/cases.h"
#include "replay/replay.h"

enum anomaly {
	ANOMALY_G0,
	ANOMALY_G1A,
	ANOMALY_G1B,
	ANOMALY_G1C,
	ANOMALY_G_SINGLE,
	ANOMALY_G_NONADJACENT,
	ANOMALY_G2_ITEM,
	ANOMALY_PHANTOM,
	ANOMALY_PHANTOM_READ,
	ANOMALY_MISSED_ROW,
	ANOMALY_LOST_UPDATE,
	ANOMALY_WRITE_SKEW,
	ANOMALY_LONG_FORK,
	ANOMALY_FRACTURED_READ,
	ANOMALY_CAUSALITY,
	ANOMALY_UNREPEATABLE,
	ANOMALY_INTERNAL,
	ANOMALY_FUTURE_READ,
	ANOMALY_DIRTY_UPDATE,
	ANOMALY_INCOMPATIBLE_ORDER,
	ANOMALY_DUPLICATE_ELEMENTS,
	ANOMALY_GARBAGE_READ,
	ANOMALY_WRONG_WRITER,
	ANOMALY_CLOCK,
	ANOMALY_WRITE_CONFLICT,
	ANOMALY_WRONG_SNAPSHOT,
	ANOMALY_SESSION_ORDER,
	ANOMALY_UNNAMED,
	ANOMALIES
};

struct name {
	enum anomaly anomaly;
	const char *name, *title, *adya; /* adya: NULL: none */
};

struct name name_of_fault(enum fault fault);
/* Of the contradiction: the mildest of its cases, since which of them happened is not
 * known. */
struct name name_of_cases(struct pool *pool, const struct reads *r, const struct cases *c);
/* Of what timestamps contradict. */
struct name name_of_mismatch(const char *kind);

/* Because of the mildest case a level forbids the whole. A phantom in any case names it, and
 * that case is told of first. */
const struct leaf *mildest_case(const struct reads *r, const struct cases *c);
const struct leaf *telling_case(const struct reads *r, const struct cases *c);

#endif
