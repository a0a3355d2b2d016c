/*
 * definition: an isolation level as formulas, from text.
 *
 * Problem. Papers define levels by formulas: for all transactions and keys, if a version
 * was read, then another one was committed first. Comparing two levels takes both as data.
 *
 * Idea. A small language, first-order logic over transactions and keys; its grammar is in
 * docs/synth.md. A level states what must hold in some execution of a history. An execution
 * is the history and a witness, which clients cannot observe, of one of two kinds:
 *   over co        a commit order that contains so and wr (Biswas and Enea)
 *   over vis, ar   an arbitration order `ar`, and a visibility relation `vis` within it; so is
 *                  within vis, and each read returns the last visible writer by ar
 *                  (Cerone, Bernardi and Gotsman)
 * Both orders begin with transaction 0, which wrote the initial version of each key. There
 * are no values: each version of a key has one writer, which identifies it.
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
	NODE_READS,    /* slot[0] reads key slot[1] from another transaction */
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
	RELATION_UNION,        /* a | b */
	RELATION_INTERSECTION, /* a & b */
	RELATION_COMPOSITION,  /* a ; b */
	RELATION_PLUS,         /* a+, transitive closure */
	RELATION_STAR,         /* a*, reflexive transitive closure */
	RELATION_FORMULA,      /* slots 0 and 1 of body */
};

struct relation {
	const char *name; /* NULL: a subexpression */
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
	bool has_vis;             /* over vis, ar; else over co */
	bool ordered_reads;       /* it uses `before` */
	VEC(struct relation) relations;
	VEC(struct axiom) axioms;
};

/* file: for messages. */
const struct definition *definition_parse(struct pool *pool, const char *file, const char *text,
                                          size_t length);
/* Is it the name of a file? A path has a / or ends in .level. */
bool definition_is_file(const char *name);
/* A level of the library by name, or from a file. Fails the job if there is none. */
const struct definition *definition_find(struct pool *pool, const char *name);

/* Does an execution stay one if transactions and reads are left out? Known of axioms in which
 * what may become false (reads, and relations through transactions that are left out) stands
 * only before =>, and `all` only in front. */
bool definition_is_hereditary(const struct definition *d);

/* ---- the library: the files of levels/ ---- */

struct library_level {
	const char *name, *text;
};

extern const struct library_level library_levels[]; /* made by tools/levels.py */
extern const size_t library_level_count;

#endif
