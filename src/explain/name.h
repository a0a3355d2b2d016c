/*
 * name: anomalies by the names of Adya and Elle (docs/anomalies.md).
 *
 * A row has the name, titles of one and of several for people, and Adya's name, if it has one.
 * Cycles through session order and real time are variants: -process and -realtime, as in Elle.
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
	ANOMALY_UNWRITTEN_READ,
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
	const char *name, *title;
	const char *many; /* the title of several */
	const char *adya; /* NULL: none */
};

struct name name_of(enum anomaly anomaly);
struct name name_of_fault(enum fault fault);
/* By the mildest case, since it is unknown which of them happened. */
struct name name_of_cases(struct pool *pool, const struct reads *r, const struct cases *c);
/* Of a violation in a replay by timestamps. */
struct name name_of_mismatch(const char *kind);

/* The level must forbid the mildest case. If any case has a phantom, that case is the
 * headline. */
const struct leaf *mildest_case(const struct reads *r, const struct cases *c);
const struct leaf *headline_case(const struct reads *r, const struct cases *c);

#endif
