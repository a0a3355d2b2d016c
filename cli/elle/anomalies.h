/*
 * anomalies: Elle's names of anomalies, and which of Alibi's findings are one.
 *
 * Problem. Elle looks for anomalies by name, and a model forbids some. Alibi decides levels. A
 * level that holds excludes anomalies; one that does not hold leaves an explanation with a name.
 *
 * Idea. A row says which other anomalies an anomaly is a case of, as in Elle (G0 is a G1c), and
 * from which level on none can be there. So a level that holds shows that there is none, and a
 * finding whose name is a case of it shows that there is one. In between nothing is known.
 *
 * A cycle may need session order or real time; then its name ends in -process or -realtime. What
 * is there without session order is there with it, too.
 *
 * Invariant. A name means what it means in Elle: where Alibi's finding is wider, it counts only
 * as what it surely is. A lost update is Elle's only if both transactions read what they
 * overwrote.
 */
#ifndef ALIBI_CLI_ELLE_ANOMALIES_H
#define ALIBI_CLI_ELLE_ANOMALIES_H

#include <alibi.h>
#include <stdbool.h>

enum elle_scope { ELLE_DATA, ELLE_PROCESS, ELLE_REALTIME };

struct elle_anomaly {
	const char *name;    /* without -process and -realtime */
	const char *case_of; /* other rows, with a space between them; NULL: none */
	const char *level;   /* where this holds, there is none */
	bool cycle;          /* it has the variants */
};

extern const struct elle_anomaly elle_anomalies[]; /* ends in a row without a name */

/* An anomaly with its variant; anomaly NULL: none. */
struct elle_found {
	const struct elle_anomaly *anomaly;
	enum elle_scope scope;
};

struct elle_found elle_anomaly_named(const char *name, size_t length);
/* As Elle has it: "G2-item-process". */
void elle_anomaly_text(struct elle_found found, char text[static 64]);
/* What a finding of Alibi's is by Elle's names: the one that Elle would report, and another one
 * that it is, too. Either may be none. */
struct elle_names {
	struct elle_found label, also;
};
struct elle_names elle_names_of(alibi *job, const alibi_anomaly *m);
/* Is the first a case of the other: where it is, the other is, too? */
bool elle_is_case_of(struct elle_found found, struct elle_found other);

#endif
