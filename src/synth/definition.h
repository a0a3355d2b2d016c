/*
 * definition: an isolation level as formulas, from text.
 *
 * Problem. People who define levels write formulas: for all transactions and keys,
 * if this was read there, then that was committed first. To compare two levels one
 * needs both as data.
 *
 * Idea. A small language, first-order logic over transactions and keys; its grammar
 * is in docs/synth.md. A level says what must hold in some execution of a history.
 * An execution is the history and a witness that nobody saw, of one of two kinds:
 *   over co        an order of all commits, with so and wr in it (Biswas and Enea)
 *   over vis, ar   an order `ar`, and who sees whom, `vis`, within it; so is within
 *                  vis, and each read gives the last writer, by ar, that its reader
 *                  sees (Cerone, Bernardi and Gotsman)
 * Both orders begin with transaction 0, which wrote the initial version of each key.
 * There are no values: each version of a key has one writer, so that who wrote it
 * says which one it is.
 *
 * Invariants.
 * 1. A node names variables by slots; those of a formula are numbered from 0 in the
 *    order in which they were bound, outermost first.
 * 2. A relation refers only to earlier ones.
 *
 * Cost. One pass over the text, no backtracking.
 */
#ifndef ALIBI_SYNTH_DEFINITION_H
#define ALIBI_SYNTH_DEFINITION_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { SLOTS_MAX = 16 };

enum node_kind {
	NODE_TRUE,
	NODE_NOT,      /* left */
	NODE_AND,      /* left, right */
	NODE_OR,       /* left, right */
	NODE_ALL,      /* slot[0], left */
	NODE_SOME,     /* slot[0], left */
	NODE_SAME,     /* slot[0] and slot[1], of one sort */
	NODE_WRITES,   /* slot[0] writes key slot[1] */
	NODE_READS,    /* slot[0] reads key slot[1] from another */
	NODE_WR,       /* slot[1] reads key slot[2] from slot[0] */
	NODE_BEFORE,   /* slot[0] reads key slot[1] before it reads key slot[2] */
	NODE_RELATION, /* slot[0] and slot[1] are in relation */
};

struct node {
	enum node_kind kind;
	const struct node *left, *right;
	uint8_t slot[3];
	bool of_key; /* NODE_ALL, NODE_SOME: the variable is a key … */
	bool narrow; /* … and only keys that are read or written can matter */
	uint32_t relation;
};

enum relation_kind {
	RELATION_SO,
	RELATION_WR,    /* of any key */
	RELATION_ORDER, /* co or ar */
	RELATION_VIS,
	RELATION_EITHER,  /* a or b */
	RELATION_BOTH,    /* a and b */
	RELATION_THEN,    /* a, then b */
	RELATION_STEPS,   /* one or more steps of a */
	RELATION_PERHAPS, /* none or more steps of a */
	RELATION_FORMULA, /* slots 0 and 1 of body */
};

struct relation {
	const char *name; /* NULL: a part of another */
	enum relation_kind kind;
	uint32_t a, b;
	const struct node *body;
};

struct axiom {
	const char *name;
	const struct node *formula;
};

struct definition {
	const char *name, *title; /* title may be NULL */
	const char *same_as;      /* the level of `alibi check` that it must agree with, or NULL */
	bool sees;                /* over vis, ar; else over co */
	bool ordered_reads;       /* it asks which key was read first */
	VEC(struct relation) relations;
	VEC(struct axiom) axioms;
};

/* A definition from its text; file names it in messages. */
const struct definition *definition_parse(struct pool *pool, const char *file, const char *text,
                                          size_t length);
/* A level of the library by its name, or one from a file: a path has a / or ends in
 * .level. Fails the job, with what to do, if there is no such. */
const struct definition *definition_find(struct pool *pool, const char *name);

/* ---- the library: the files of levels/ ---- */

struct library_level {
	const char *name, *text;
};

extern const struct library_level library_levels[]; /* made by tools/levels.py */
extern const size_t library_level_count;

#endif
