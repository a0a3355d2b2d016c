/*
 * anomaly: what can be planted into a generated history, as data.
 *
 * Transactions are a, b, c, d. The schedule says who takes their snapshot (a
 * small letter) and who commits (a capital) in which order; it becomes the
 * timestamps. An operation is three characters: r or w, the key x or y, and a
 * version of that key: 0 is the absence that the history starts with, 1 and 2
 * are values written. On lists a write appends, and version n has n elements.
 *
 * The keys are fresh, so no other transaction can explain or violate what happens on them:
 * the verdict of the history is the anomaly's, and its transactions are all
 * that a report may name.
 */
#ifndef ALIBI_CLI_ANOMALY_H
#define ALIBI_CLI_ANOMALY_H

#include <stdbool.h>
#include <stddef.h>

enum { ANOMALY_TXNS_MAX = 4, ANOMALY_OPS_MAX = 3, ANOMALY_KEYS = 2, ANOMALY_VERSIONS = 3 };

struct anomaly {
	const char *name;
	const char *schedule;
	const char *txns[ANOMALY_TXNS_MAX]; /* operations, separated by spaces */
	bool first_aborts;
	bool si_holds;         /* else it violates snapshot isolation too */
	unsigned sessions_min; /* with fewer it cannot happen; odd and even ones take turns */
};

/* "none" and the names of all anomalies; ends in NULL. */
extern const char *const anomaly_choices[];

const struct anomaly *anomaly_named(const char *name); /* NULL: "none" */
size_t anomaly_txns(const struct anomaly *a);          /* how many; 0 for NULL */

/* How many sessions it is spread over, if there are that many. */
unsigned anomaly_sessions(const struct anomaly *a, unsigned long long available);

#endif
