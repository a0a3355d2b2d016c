/*
 * lattice: which levels imply which, and histories that show where they do not.
 *
 * For each ordered pair of levels, alibi_synth() looks for a history that the first allows and the
 * second forbids. If there is none either way, the levels are equivalent, up to the bounds.
 * Equivalent levels form a class. The output is the Hasse diagram of the classes: a class is above
 * another if it implies it and no class is in between. For each such pair the smallest history is
 * found: with the fewest transactions, and, if possible, no two of them in one session.
 *
 * Cost. A search for each ordered pair of levels, and one or two more for each
 * pair of neighbours.
 */
#ifndef ALIBI_CLI_LATTICE_H
#define ALIBI_CLI_LATTICE_H

#include <alibi.h>
#include <stdio.h>

enum { LATTICE_MAX = 32 };

enum pair { PAIR_NONE, PAIR_FOUND, PAIR_UNKNOWN };

struct lattice {
	size_t count;
	const char *asked[LATTICE_MAX];            /* by the user's names */
	const char *titles[LATTICE_MAX];           /* "snapshot isolation"; NULL: none */
	enum pair cells[LATTICE_MAX][LATTICE_MAX]; /* allowed by row, forbidden by column */
	const alibi_synth_history *histories[LATTICE_MAX][LATTICE_MAX]; /* NULL: none */
	size_t class_of[LATTICE_MAX];         /* the first level that it is equivalent to */
	bool above[LATTICE_MAX][LATTICE_MAX]; /* the class of the row covers that of the column */
	const char *reason;                   /* something is unknown: why */
	unsigned txns, keys, values;
};

/* asked, count and bounds are set; the rest is filled in. False: a definition is wrong,
 * the job's last error says how. */
bool lattice_fill(struct lattice *l, alibi *a, const alibi_solver *solver);

bool lattice_is_class(const struct lattice *l, size_t i);     /* the first of its class */
size_t lattice_height(const struct lattice *l, size_t class); /* steps down to the lowest */

void lattice_print_text(const struct lattice *l);
void lattice_print_json(const struct lattice *l);
/* False: memory, or a limit; the job's last error says which. */
bool lattice_write_html(const struct lattice *l, alibi *a, FILE *out);

#endif
