/*
 * registers: what a history must be to be written in the plain formats of other
 * checkers (dbcop, Plume, AWDIT), where keys and values are whole numbers from 0
 * on and a key is a register.
 *
 * What no verdict depends on is left out and noted at the sink; what would make
 * it another history is refused. The one thing translated is the version of a
 * key that nobody wrote: Alibi reads it as the key's initial value, mostly null;
 * these formats spell it 0, or null, or not at all. Where a key's initial value
 * is null or 0, and no other version of the key is spelled alike, the two
 * spellings mean the same, and the one is written for the other.
 */
#ifndef ALIBI_FORMAT_REGISTERS_H
#define ALIBI_FORMAT_REGISTERS_H

#include "format/sink.h"
#include "history/history.h"

enum initial_spelling {
	INITIAL_IS_ZERO,   /* 0 is always there, others may write it again */
	INITIAL_IS_NULL,   /* null, and 0 where nobody writes 0 to the key */
	INITIAL_IS_SILENT, /* every value that is read was written */
};

struct register_format {
	enum initial_spelling initial;
	bool has_aborts;     /* else aborted transactions are left out */
	bool has_names;      /* of sessions and transactions; else they are places */
	bool has_empty_txns; /* else transactions without operations are left out */
	bool has_envelope;   /* the source can be said; annotations are the writer's care */
	bool has_initial;    /* initial values of single keys, whole numbers, can be said */
};

void registers_check(const struct history *h, struct sink *s, const struct register_format *f);

/* The value of an operation of a history that passed; null is 0. */
static inline int64_t registers_value(const struct history *h, struct op o)
{
	return atoms_value(&h->values, o.value).integer;
}

static inline int64_t registers_key(const struct history *h, struct op o)
{
	return atoms_value(&h->keys, op_key(o)).integer;
}

/* A whole number from 0 on. */
static inline bool is_whole(alibi_value v)
{
	return v.kind == ALIBI_INT && v.integer >= 0;
}

#endif
