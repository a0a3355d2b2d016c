/*
 * level_names: what other people call isolation levels.
 *
 * Problem. Papers, standards and tools use the same words for different levels,
 * and different words for the same one. A verdict about the wrong level is worse
 * than none.
 *
 * Idea. A table of the names in use. A row says whose name it is, and which of
 * our levels is the same or, if none is, which is nearest and what is different.
 * A row is `the same` only if both definitions allow the same histories of reads,
 * writes and appends of single keys; our levels count session order, most others
 * do not, so many are the same only with session order left out. In doubt it is
 * not the same. A few that are not are taken for the nearest level, with the
 * difference said: SQL's READ COMMITTED, and what a database calls its levels.
 *
 * Where definitions are compared:
 * - Serializable, PL-3: some serial order explains every read. With an order of
 *   versions that was not recorded, that is what an acyclic graph of dependencies
 *   means (Bernstein, Goodman).
 * - PL-SI, generalized snapshot isolation: the scheduler is free to choose a start
 *   before the first read, so that a sequence of starts and commits is all there is.
 * - Read atomic, causal, prefix of Cerone, Bernardi and Gotsman: histories without
 *   sessions; the same as Biswas and Enea's without session order.
 * - Strong session levels (Daudjee, Salem): these, and a session's earlier
 *   transactions come first.
 * - A database's own levels are what its manual promises to the clients of one server.
 * - Strict serializable: a client that runs one transaction after the other makes
 *   its session order a part of real time.
 *
 * Invariants.
 * 1. Rows of one name stand together; the first is what the plain name means.
 * 2. `level` is a name of alibi_level_at().
 *
 * Cost. A look-up walks the table.
 */
#ifndef ALIBI_CLI_LEVEL_NAMES_H
#define ALIBI_CLI_LEVEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct level_name {
	const char *name;       /* "PL-3" */
	const char *whose;      /* "Adya"; NULL: Alibi's own */
	const char *level;      /* Alibi's: the same, or else the nearest, … */
	bool ignore_sessions;   /* … with session order left out */
	bool taken;             /* for `level`, in spite of the difference */
	const char *difference; /* NULL: it is the same; else a sentence about `name` */
};

extern const struct level_name level_name_table[];
extern const size_t level_name_count;

/* The level of that name: Alibi's, one of the table's, or, as in AWDIT:causal and
 * postgres:serializable, one tool's.
 * Case does not count, and "-", "_" and a space are the same. */
bool level_name_find(const char *name, struct level_name *found);

#endif
