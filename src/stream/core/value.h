/*
 * value: values, key names and ids that outlive their batch.
 *
 * Problem. A history numbers each distinct value for good (atoms.h). A stream has no end, and
 * its values hardly ever repeat: a value must be freed with the last version that holds it.
 *
 * Idea. A value is a word and a kind, as an atom is: integers and strings of up to seven bytes
 * are the word itself. Longer texts and lists are blocks of a store, with one owner each. They
 * are compared byte by byte; nothing is decided by a hash.
 *
 * A store is a size-class allocator: blocks of powers of two, and a free list for each size.
 * Freed blocks are reused; the system gets them back with the pool.
 */
#ifndef ALIBI_STREAM_CORE_VALUE_H
#define ALIBI_STREAM_CORE_VALUE_H

#include "history/atoms.h"

enum { STORE_CLASSES = 12, STORE_SMALLEST = 32 };

struct store {
	struct pool *pool;
	void *free[STORE_CLASSES];
	char *fresh; /* the rest of the chunk that blocks are cut from */
	size_t fresh_bytes;
};

void store_init(struct store *s, struct pool *pool);
void *store_take(struct store *s, size_t bytes);
void store_give(struct store *s, void *block, size_t bytes);

struct value {
	uint64_t word; /* a pointer, if it is not in the word */
	uint8_t kind;  /* enum alibi_kind, and ATOM_SHORT */
};

struct value_text {
	size_t length;
	char bytes[];
};

struct value_list {
	size_t count;
	struct value items[];
};

static inline bool value_in_word(struct value v)
{
	return v.kind <= ALIBI_INT || v.kind & ATOM_SHORT;
}

static inline const struct value_text *value_text(struct value v)
{
	return (const struct value_text *)(uintptr_t)v.word;
}

/* The items of a list; null has none. */
static inline const struct value *value_items(struct value v, size_t *count)
{
	const struct value_list *list = (const struct value_list *)(uintptr_t)v.word;
	*count = v.kind == ALIBI_LIST ? list->count : 0;
	return v.kind == ALIBI_LIST ? list->items : NULL;
}

bool value_same_text(struct value a, struct value b);

/* Not for lists. */
static inline bool value_same(struct value a, struct value b)
{
	return a.kind == b.kind &&
	       (a.word == b.word || (!value_in_word(a) && value_same_text(a, b)));
}

uint64_t value_hash(struct value v, uint64_t seed);
/* An atom as a value: its hash, and whether it equals v. Not for lists. */
uint64_t value_hash_atom(const struct atoms *atoms, uint32_t atom, uint64_t seed);
bool value_is_atom(struct value v, const struct atoms *atoms, uint32_t atom);

/* The caller owns the block: of an atom, of another value. */
struct value value_take_block(struct store *s, const struct atoms *atoms, uint32_t atom);
struct value value_copy_block(struct store *s, struct value v);
void value_drop_block(struct store *s, struct value v);

static inline struct value value_take(struct store *s, const struct atoms *atoms, uint32_t atom)
{
	struct value v = {.word = atoms->word.items[atom], .kind = atoms->kind.items[atom]};
	return value_in_word(v) ? v : value_take_block(s, atoms, atom);
}

static inline struct value value_copy(struct store *s, struct value v)
{
	return value_in_word(v) ? v : value_copy_block(s, v);
}

static inline void value_drop(struct store *s, struct value v)
{
	if (!value_in_word(v))
		value_drop_block(s, v);
}

/* A string of more than ATOM_SHORT_MAX bytes. */
struct value value_string(struct store *s, const char *bytes, size_t length);

static inline struct value value_integer(int64_t n)
{
	return (struct value){.word = (uint64_t)n, .kind = ALIBI_INT};
}

/* For rendering; anything but a list. It points into *v. */
alibi_value value_public(const struct value *v);

#endif
