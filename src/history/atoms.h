/*
 * atoms: keys, values, session names and transaction ids as dense numbers.
 *
 * Problem. Ten million transactions name the same keys and values again and
 * again; everything behind the reader wants to compare them in one instruction
 * and to index arrays by them.
 *
 * Idea. A table gives each distinct atom the next number, 0, 1, 2, … An atom is
 * a 64-bit word and a kind. Integers are the word itself, strings of up to
 * seven bytes are packed into it; longer texts and lists lie in a heap and the
 * word is their offset. Words and texts have hash tables of their own, so that
 * a look-up never has to compare kinds.
 *
 * Integer values of histories mostly come from counters, and are read soon
 * after they are written. A hash that scatters them costs a cache miss for each
 * operation. So small integers (below a few times the number of integers there
 * are) have no hash at all: a plain array has their numbers. Of the others,
 * eight consecutive ones share a cache line of the hash table, and only the
 * lines are scattered. Half of a slot is a tag, so that neighbours differ
 * without a look at their words.
 *
 * Invariants.
 * 1. Numbers are dense, in order of first appearance; the null atom, where the
 *    table has one, is number 0.
 * 2. Equal numbers mean equal JSON: rows are stored with sorted members and
 *    without nulls, decimals in one notation, lists as the numbers of their items.
 * 3. What atoms_value() returns points into the table and stays until the next
 *    atom is added.
 *
 * Cost. 9 bytes an atom, and until the history is sealed 12 to 24 for the hash
 * table or at most 32 for the array; and the heap.
 */
#ifndef ALIBI_HISTORY_ATOMS_H
#define ALIBI_HISTORY_ATOMS_H

#include "alibi.h"
#include "base/ids.h"
#include "base/vec.h"

enum {
	ATOM_NULL = 0,
	ATOM_SHORT_MAX = 7, /* bytes of a string that fit a word, with its length as the last */
	ATOM_SHORT = 0x80,  /* in `kind`: the string is in the word itself */
	ATOM_KIND = 0x7f,   /* the rest of `kind`: enum alibi_kind */
};

struct atom_slots {
	uint64_t *slot; /* a tag in the upper half, number + 1 in the lower; 0: free */
	size_t mask, used;
};

/* Integers from 0 up to count; those of the hash table that it has overtaken
 * stay there, unused. */
struct atom_direct {
	uint32_t *number; /* number + 1; 0: not there */
	size_t count;
};

struct atoms {
	struct pool *pool;
	uint64_t seed;
	VEC(uint64_t) word;
	VEC(uint8_t) kind;
	VEC(uint32_t) heap; /* a text: length, bytes; a list: count, items */
	struct atom_direct direct;
	struct atom_slots integers, shorts, others;
	size_t integer_count; /* in both */
};

/* with_null: number 0 is null, as for values; else null is no atom. */
void atoms_init(struct atoms *a, struct pool *pool, bool with_null);

uint32_t atoms_integer(struct atoms *a, int64_t n);
uint32_t atoms_string(struct atoms *a, const char *bytes, size_t length);
uint32_t atoms_bool(struct atoms *a, bool b);
/* canonical: not an integer of 64 bits, and without zeros that do not count; decimal.h. */
uint32_t atoms_decimal(struct atoms *a, const char *canonical, size_t length);
/* canonical: members sorted by name, none of them null, no spaces; row.h. */
uint32_t atoms_row(struct atoms *a, const char *canonical, size_t length);
uint32_t atoms_list(struct atoms *a, const uint32_t *items, size_t count);
/* Any of these but a list; a row or decimal must be canonical. */
uint32_t atoms_add(struct atoms *a, alibi_value v);

size_t atoms_count(const struct atoms *a);
enum alibi_kind atoms_kind(const struct atoms *a, uint32_t number);
/* What values of a kind are compared as: integers and decimals are both numbers. */
static inline enum alibi_kind value_type(enum alibi_kind kind)
{
	return kind == ALIBI_DECIMAL ? ALIBI_INT : kind;
}

/* Everything but the items of a list, which are numbers: atoms_items(). */
alibi_value atoms_value(const struct atoms *a, uint32_t number);
const uint32_t *atoms_items(const struct atoms *a, uint32_t number, size_t *count);

/* Forgets all atoms but null, and keeps the room for others. */
void atoms_clear(struct atoms *a);
/* Frees the hash tables: nothing can be added or found any more. */
void atoms_seal(struct atoms *a);

#endif
