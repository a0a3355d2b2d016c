/* value: see value.h. */
#include "stream/core/value.h"

#include <assert.h>
#include <string.h>

enum { FRESH_BYTES = 1 << 16 };

void store_init(struct store *s, struct pool *pool)
{
	*s = (struct store){.pool = pool};
}

/* The size class of a block; STORE_CLASSES: too large for any. */
static unsigned class_of(size_t bytes)
{
	unsigned c = 0;
	while (c < STORE_CLASSES && (size_t)STORE_SMALLEST << c < bytes)
		c++;
	return c;
}

void *store_take(struct store *s, size_t bytes)
{
	unsigned c = class_of(bytes);
	if (c == STORE_CLASSES)
		return pool_alloc(s->pool, bytes);
	void *block = s->free[c];
	size_t whole = (size_t)STORE_SMALLEST << c;
	if (block) {
		memcpy(&s->free[c], block, sizeof s->free[c]);
		return block;
	}
	if (whole > s->fresh_bytes) { /* the rest of the last chunk is lost */
		s->fresh = pool_alloc(s->pool, FRESH_BYTES);
		s->fresh_bytes = FRESH_BYTES;
	}
	block = s->fresh;
	s->fresh += whole;
	s->fresh_bytes -= whole;
	return block;
}

void store_give(struct store *s, void *block, size_t bytes)
{
	unsigned c = class_of(bytes);
	if (c == STORE_CLASSES) {
		pool_free(s->pool, block);
		return;
	}
	memcpy(block, &s->free[c], sizeof s->free[c]);
	s->free[c] = block;
}

bool value_same_text(struct value a, struct value b)
{
	const struct value_text *s = value_text(a), *t = value_text(b);
	assert(a.kind != ALIBI_LIST);
	return s->length == t->length && !memcmp(s->bytes, t->bytes, s->length);
}

static uint64_t mix(uint64_t x)
{
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

static uint64_t hash_text(uint8_t kind, const char *bytes, size_t length, uint64_t seed)
{
	uint64_t h = mix(seed ^ kind ^ length << 8);
	for (size_t at = 0; at < length; at += 8) {
		uint64_t w = 0;
		memcpy(&w, bytes + at, length - at < 8 ? length - at : 8);
		h = mix(h ^ w);
	}
	return h;
}

uint64_t value_hash(struct value v, uint64_t seed)
{
	if (value_in_word(v))
		return mix(v.word ^ seed ^ v.kind);
	return hash_text(v.kind, value_text(v)->bytes, value_text(v)->length, seed);
}

static struct value word_of(const struct atoms *atoms, uint32_t atom)
{
	return (struct value){.word = atoms->word.items[atom], .kind = atoms->kind.items[atom]};
}

uint64_t value_hash_atom(const struct atoms *atoms, uint32_t atom, uint64_t seed)
{
	struct value v = word_of(atoms, atom);
	if (value_in_word(v))
		return value_hash(v, seed);
	alibi_value text = atoms_value(atoms, atom);
	return hash_text(v.kind, text.text, text.length, seed);
}

bool value_is_atom(struct value v, const struct atoms *atoms, uint32_t atom)
{
	struct value w = word_of(atoms, atom);
	if (v.kind != w.kind || value_in_word(v))
		return v.kind == w.kind && v.word == w.word;
	alibi_value text = atoms_value(atoms, atom);
	return value_text(v)->length == text.length &&
	       !memcmp(value_text(v)->bytes, text.text, text.length);
}

static struct value text_in(struct store *s, uint8_t kind, const char *bytes, size_t length)
{
	struct value_text *t = store_take(s, sizeof *t + length);
	t->length = length;
	if (length)
		memcpy(t->bytes, bytes, length);
	return (struct value){.word = (uintptr_t)t, .kind = kind};
}

struct value value_string(struct store *s, const char *bytes, size_t length)
{
	assert(length > ATOM_SHORT_MAX);
	return text_in(s, ALIBI_STRING, bytes, length);
}

static struct value_list *list_in(struct store *s, size_t count)
{
	struct value_list *list = store_take(s, sizeof *list + count * sizeof *list->items);
	list->count = count;
	return list;
}

struct value value_take_block(struct store *s, const struct atoms *atoms, uint32_t atom)
{
	uint8_t kind = atoms->kind.items[atom];
	if (kind != ALIBI_LIST) {
		alibi_value text = atoms_value(atoms, atom);
		return text_in(s, kind, text.text, text.length);
	}
	size_t count;
	const uint32_t *items = atoms_items(atoms, atom, &count);
	struct value_list *list = list_in(s, count);
	for (size_t i = 0; i < count; i++)
		list->items[i] = value_take(s, atoms, items[i]); /* an item is no list */
	return (struct value){.word = (uintptr_t)list, .kind = ALIBI_LIST};
}

struct value value_copy_block(struct store *s, struct value v)
{
	assert(v.kind != ALIBI_LIST);
	const struct value_text *t = value_text(v);
	return text_in(s, v.kind, t->bytes, t->length);
}

void value_drop_block(struct store *s, struct value v)
{
	if (v.kind != ALIBI_LIST) {
		store_give(s, (void *)(uintptr_t)v.word,
		           sizeof(struct value_text) + value_text(v)->length);
		return;
	}
	struct value_list *list = (struct value_list *)(uintptr_t)v.word;
	for (size_t i = 0; i < list->count; i++)
		value_drop(s, list->items[i]); /* an item is no list */
	store_give(s, list, sizeof *list + list->count * sizeof *list->items);
}

alibi_value value_public(const struct value *v)
{
	alibi_value p = {.kind = (enum alibi_kind)(v->kind & ATOM_KIND)};
	assert(p.kind != ALIBI_LIST);
	if (v->kind & ATOM_SHORT) {
		p.text = (const char *)&v->word;
		p.length = (unsigned char)p.text[ATOM_SHORT_MAX];
	} else if (value_in_word(*v)) {
		p.integer = (int64_t)v->word;
	} else {
		p.text = value_text(*v)->bytes;
		p.length = value_text(*v)->length;
	}
	return p;
}
