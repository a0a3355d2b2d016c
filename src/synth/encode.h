/*
 * encode: histories, witnesses and definitions as a circuit.
 *
 * history_vars has a literal for each fact about a history of n transactions: the keys that
 * each writes, the writers that it reads them from, and the transactions of its session.
 * witness_vars has literals for a witness: the order, and visibility. Each literal may be an
 * input, a gate or a constant, so the same code encodes a level
 * - for an open history and an open witness: a candidate;
 * - for an open history and a given witness: a counterexample to rule out;
 * - for a given history (by assumptions) and an open witness: is it allowed?
 *
 * Symmetry. There are no values. A session is a class of transactions, in the order of their
 * numbers. Keys are interchangeable, so equally treated keys have one order only
 * (history_vars_sort_keys()). Transactions are numbered by the order of the first level
 * that is to allow the history.
 *
 * Quantifiers are unrolled; closures are computed by Warshall's algorithm.
 * Cost. (n + 1)^q gates for q nested quantifiers, times the keys.
 */
#ifndef ALIBI_SYNTH_ENCODE_H
#define ALIBI_SYNTH_ENCODE_H

#include "synth/circuit.h"
#include "synth/definition.h"
#include "synth/skeleton.h"

typedef int literals[SKELETON_TXNS + 1][SKELETON_TXNS + 1];

struct history_vars {
	struct circuit *c;
	uint32_t txns, keys;
	literals so;
	literals wr; /* of any key */
	int used[SKELETON_KEYS];
	int writes[SKELETON_TXNS + 1][SKELETON_KEYS];
	int reads[SKELETON_TXNS + 1][SKELETON_KEYS];
	int from[SKELETON_TXNS + 1][SKELETON_KEYS][SKELETON_TXNS + 1]; /* reader, key, writer */
	int before[SKELETON_TXNS + 1][SKELETON_KEYS][SKELETON_KEYS];
};

struct witness_vars {
	literals order, vis;
};

/* All facts are open, with the constraints of every history: a read has exactly one writer,
 * and the reads of a transaction are ordered (if ordered_reads). forward: transactions read
 * from smaller numbers only. */
void history_vars_open(struct history_vars *w, struct circuit *c, uint32_t txns, uint32_t keys,
                       bool forward, bool ordered_reads);
/* Every transaction has an operation, and no key has more than `most` writers. apart: no two
 * transactions share a session. */
void history_vars_limit(struct history_vars *w, uint32_t most, bool apart);
void history_vars_sort_keys(struct history_vars *w);

/* The literals of a skeleton: to assume it or, negated, to rule it out. */
typedef VEC(int) literal_vec;
void history_vars_facts(struct history_vars *w, const struct skeleton *s, literal_vec *facts);
struct skeleton history_vars_skeleton(const struct history_vars *w); /* of the model */

/* An order by the numbers, an open one, or a given one. has_vis: vis is open, too. */
void witness_vars_by_number(struct witness_vars *s, struct circuit *c, uint32_t txns, bool has_vis);
void witness_vars_open(struct witness_vars *s, struct circuit *c, uint32_t txns, bool has_vis);
void witness_vars_given(struct witness_vars *s, const struct witness *w, uint32_t txns);
struct witness witness_vars_value(const struct witness_vars *s, const struct circuit *c,
                                  uint32_t txns, bool has_vis); /* of the model */

/* The literal that history and witness are an execution of the level. */
int encode_level(struct history_vars *w, const struct definition *d, const struct witness_vars *s);

/* Definitions of `vis` by order and history, as known levels have them. A level that forbids
 * a history has no execution with any of them. */
enum { VIS_GUESSES = 7 };
void witness_vars_guess_vis(struct history_vars *w, struct witness_vars *s, unsigned which);

#endif
