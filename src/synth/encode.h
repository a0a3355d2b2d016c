/*
 * encode: histories and what definitions say of them, as a circuit.
 *
 * A world has a literal for each fact about a history of n transactions: who writes
 * which key, who reads it from whom, which transactions share a session. A scene has
 * literals for a witness: the order, and who sees whom. All of them may be inputs,
 * gates or constants, so that the same code says what a level means
 * - for a history and a witness, both open: a candidate;
 * - for an open history and a given witness: what a counterexample teaches;
 * - for a given history (by assumptions) and an open witness: is it allowed?
 *
 * There is nothing to break for values and sessions: values are left out, and a
 * session is a class of transactions, in the order of their numbers. Keys are
 * interchangeable, so those that are treated alike stand in one order only
 * (world_sort_keys()). Transactions are numbered by the order of the first level
 * that is to allow the history, so that this order is no choice either.
 *
 * Quantifiers are unrolled; closures are computed by Warshall's way.
 * Cost. n + 1 to the power of the nested quantifiers, times the keys.
 */
#ifndef ALIBI_SYNTH_ENCODE_H
#define ALIBI_SYNTH_ENCODE_H

#include "synth/circuit.h"
#include "synth/definition.h"
#include "synth/shape.h"

typedef int literals[SHAPE_TXNS + 1][SHAPE_TXNS + 1];

struct world {
	struct circuit *c;
	uint32_t txns, keys;
	literals so;
	literals wr; /* of any key */
	int used[SHAPE_KEYS];
	int writes[SHAPE_TXNS + 1][SHAPE_KEYS];
	int reads[SHAPE_TXNS + 1][SHAPE_KEYS];
	int from[SHAPE_TXNS + 1][SHAPE_KEYS][SHAPE_TXNS + 1]; /* reader, key, writer */
	int before[SHAPE_TXNS + 1][SHAPE_KEYS][SHAPE_KEYS];
};

struct scene {
	literals order, vis;
};

/* All facts are open but those that contradict: a read has a writer, at most one; the
 * order of reads (if that is wanted) is one. forward: reads are of smaller numbers. */
void world_open(struct world *w, struct circuit *c, uint32_t txns, uint32_t keys, bool forward,
                bool ordered_reads);
/* Every transaction does something, and no key has more than `most` writers; apart: no
 * two transactions share a session. */
void world_limit(struct world *w, uint32_t most, bool apart);
void world_sort_keys(struct world *w);

/* The open facts, as they are in a shape: to assume it, or, negated, to rule it out. */
typedef VEC(int) literal_vec;
void world_facts(struct world *w, const struct shape *s, literal_vec *facts);
struct shape world_shape(const struct world *w); /* of the model */

/* An order by the numbers, an open one, or a given one. vis is filled in if `sees`. */
void scene_by_number(struct scene *s, struct circuit *c, uint32_t txns, bool sees);
void scene_open(struct scene *s, struct circuit *c, uint32_t txns, bool sees);
void scene_given(struct scene *s, const struct witness *w, uint32_t txns);
struct witness scene_witness(const struct scene *s, const struct circuit *c, uint32_t txns,
                             bool sees); /* of the model */

/* That the scene is an execution of the level. */
int encode_level(struct world *w, const struct definition *d, const struct scene *s);

/* Relations that known levels have for `vis`, made of the order and the history: any
 * of them is worth a try where a level must be shown to have no execution. */
enum { SIGHTS = 7 };
void scene_guess_vis(struct world *w, struct scene *s, unsigned which);

#endif
