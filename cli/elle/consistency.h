/*
 * consistency: Elle's consistency models of transactions, and which imply which.
 *
 * Some are one of Alibi's levels (level_names.h says which). For each of the others there is a
 * level that implies it, and a list of anomalies that it forbids: what is valid at the level is
 * valid at the model, and a history with such an anomaly is not.
 *
 * What implies what is Elle's own hierarchy (elle.consistency-model), without the models of single
 * objects, and without those by which Elle forbids nothing (view-serializable, 1SR,
 * session-serializable).
 */
#ifndef ALIBI_CLI_ELLE_CONSISTENCY_H
#define ALIBI_CLI_ELLE_CONSISTENCY_H

#include "anomalies.h"

struct elle_consistency {
	const char *name;      /* Elle's */
	const char *aliases;   /* Adya's and others of Elle's, with a space between them, or NULL */
	const char *implies;   /* other rows, with a space between them; NULL: none */
	const char *level;     /* of Alibi's, implies it; NULL: level_names has it */
	enum elle_scope scope; /* what counts besides data */
	const char *forbids;   /* NULL: the level is the model, in histories without predicates */
};

extern const struct elle_consistency elle_consistencies[]; /* ends in a row without a name */

const struct elle_consistency *elle_consistency_named(const char *name); /* NULL: no such */
/* The same, with its level and scope in any case. */
struct elle_consistency elle_consistency_as_level(const struct elle_consistency *c);
/* Does the first imply the other, or is it the same? */
bool elle_consistency_implies(const struct elle_consistency *c,
                              const struct elle_consistency *other);

#endif
