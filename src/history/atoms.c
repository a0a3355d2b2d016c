/* atoms: see atoms.h. */
#include "history/atoms.h"

#include "base/guard.h"

#include <assert.h>
#include <endian.h>
#include <string.h>
#include <unistd.h>

enum {
	FIRST_SLOTS = 256,
	DIRECT_FIRST = 1024, /* integers, before there are any */
	DIRECT_SHARE = 8,    /* array entries an integer */
	LINE_BITS = 3,       /* 8 slots of 8 bytes: a cache line */
};

static uint64_t mix(uint64_t x)
{
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/* A hash: the low half says where to look first, the high half is the tag. */
static uint64_t hash_integer(const struct atoms *a, uint64_t word)
{
	uint64_t in_line = word & ((1u << LINE_BITS) - 1);
	return (mix(word >> LINE_BITS ^ a->seed) & ~(uint64_t)0 << LINE_BITS) + (in_line << 61) +
	       in_line;
}

static uint64_t hash_word(const struct atoms *a, uint64_t word)
{
	return mix(word ^ a->seed);
}

static uint64_t hash_bytes(const struct atoms *a, uint8_t kind, const void *data, size_t length)
{
	const unsigned char *p = data;
	uint64_t h = mix(a->seed ^ kind ^ length << 8), w;
	for (; length >= 8; p += 8, length -= 8) {
		memcpy(&w, p, 8);
		h = mix(h ^ w);
	}
	if (length) {
		w = 0;
		memcpy(&w, p, length);
		h = mix(h ^ w);
	}
	return h;
}

static uint64_t tagged(uint64_t hash, uint32_t number)
{
	return (hash & ~(uint64_t)UINT32_MAX) | ((uint64_t)number + 1);
}

static bool tag_matches(uint64_t slot, uint64_t hash)
{
	return (slot ^ hash) >> 32 == 0;
}

static uint32_t number_in(uint64_t slot)
{
	return (uint32_t)slot - 1;
}

static void slots_init(struct atoms *a, struct atom_slots *s)
{
	s->slot = pool_zarray(a->pool, FIRST_SLOTS, sizeof *s->slot);
	s->mask = FIRST_SLOTS - 1;
	s->used = 0;
}

void atoms_init(struct atoms *a, struct pool *pool, bool with_null)
{
	*a = (struct atoms){.pool = pool};
	if (getentropy(&a->seed, sizeof a->seed))
		a->seed = monotonic_ns();
	slots_init(a, &a->integers);
	slots_init(a, &a->shorts);
	slots_init(a, &a->others);
	if (with_null) {
		vec_push(pool, &a->word, 0);
		vec_push(pool, &a->kind, ALIBI_NULL);
	}
}

size_t atoms_count(const struct atoms *a)
{
	return a->word.count;
}

/* The bytes of an atom in the heap, and how many. */
static const void *heap_bytes(const struct atoms *a, uint32_t number, size_t *length)
{
	const uint32_t *at = a->heap.items + a->word.items[number];
	*length = a->kind.items[number] == ALIBI_LIST ? *at * sizeof *at : *at;
	return at + 1;
}

static uint64_t hash_of(const struct atoms *a, const struct atom_slots *s, uint32_t number)
{
	if (s == &a->integers)
		return hash_integer(a, a->word.items[number]);
	if (s == &a->shorts)
		return hash_word(a, a->word.items[number]);
	if (a->kind.items[number] == ALIBI_BOOL)
		return hash_word(a, a->word.items[number]);
	size_t length;
	const void *bytes = heap_bytes(a, number, &length);
	return hash_bytes(a, a->kind.items[number], bytes, length);
}

static void slots_double(struct atoms *a, struct atom_slots *s)
{
	size_t size = (s->mask + 1) * 2, mask = size - 1;
	uint64_t *slot = pool_zarray(a->pool, size, sizeof *slot);
	for (size_t i = 0; i <= s->mask; i++) {
		if (!s->slot[i])
			continue;
		size_t at = hash_of(a, s, number_in(s->slot[i])) & mask;
		while (slot[at])
			at = (at + 1) & mask;
		slot[at] = s->slot[i];
	}
	pool_free(a->pool, s->slot);
	s->slot = slot;
	s->mask = mask;
}

static uint32_t add(struct atoms *a, uint8_t kind, uint64_t word)
{
	size_t number = a->word.count;
	if (number >= ID_NONE - 1)
		guard_fail(pool_guard(a->pool), ALIBI_INPUT, NULL,
		           "more than four billion distinct keys, values or names");
	vec_reserve(a->pool, &a->kind, number + 1); /* both or none */
	vec_push(a->pool, &a->word, word);
	vec_push(a->pool, &a->kind, kind);
	return (uint32_t)number;
}

/* Adds an atom and puts its number where the search for it ended. */
static uint32_t enter(struct atoms *a, struct atom_slots *s, size_t at, uint64_t hash, uint8_t kind,
                      uint64_t word)
{
	uint32_t number = add(a, kind, word);
	s->slot[at] = tagged(hash, number);
	if (++s->used * 3 > s->mask * 2)
		slots_double(a, s);
	return number;
}

/* Where word is, or the free slot where it would be. */
static inline size_t find_word(const struct atoms *a, const struct atom_slots *s, uint64_t hash,
                               uint64_t word)
{
	size_t at = hash & s->mask;
	for (; s->slot[at]; at = (at + 1) & s->mask)
		if (tag_matches(s->slot[at], hash) && a->word.items[number_in(s->slot[at])] == word)
			break;
	return at;
}

/* Makes the array reach n, if that many integers are worth it; it grows by half
 * at least, so that growing costs linear time. */
static bool reach(struct atoms *a, uint64_t n)
{
	size_t worth = DIRECT_SHARE * (a->integer_count + DIRECT_FIRST), old = a->direct.count;
	if (n >= worth || worth < old + old / 2)
		return false;
	size_t count = n + n / 2 + DIRECT_FIRST;
	if (count > worth)
		count = worth;
	uint32_t *number = pool_zarray(a->pool, count, sizeof *number);
	if (old)
		memcpy(number, a->direct.number, old * sizeof *number);
	for (size_t i = 0; i <= a->integers.mask; i++) {
		uint64_t slot = a->integers.slot[i];
		uint64_t word = slot ? a->word.items[number_in(slot)] : UINT64_MAX;
		if (word >= old && word < count)
			number[word] = number_in(slot) + 1;
	}
	pool_free(a->pool, a->direct.number);
	a->direct = (struct atom_direct){.number = number, .count = count};
	return true;
}

uint32_t atoms_integer(struct atoms *a, int64_t n)
{
	uint64_t word = (uint64_t)n;
	if (word < a->direct.count || reach(a, word)) {
		if (!a->direct.number[word]) {
			a->direct.number[word] = add(a, ALIBI_INT, word) + 1;
			a->integer_count++;
		}
		return a->direct.number[word] - 1;
	}
	uint64_t hash = hash_integer(a, word);
	size_t at = find_word(a, &a->integers, hash, word);
	if (a->integers.slot[at])
		return number_in(a->integers.slot[at]);
	a->integer_count++;
	return enter(a, &a->integers, at, hash, ALIBI_INT, word);
}

static uint32_t in_heap(struct atoms *a, uint8_t kind, const void *bytes, size_t length)
{
	uint64_t hash = hash_bytes(a, kind, bytes, length);
	size_t at = hash & a->others.mask, have;
	for (; a->others.slot[at]; at = (at + 1) & a->others.mask) {
		uint32_t number = number_in(a->others.slot[at]);
		if (!tag_matches(a->others.slot[at], hash) || a->kind.items[number] != kind)
			continue;
		const void *there = heap_bytes(a, number, &have);
		if (have == length && (!length || !memcmp(there, bytes, length)))
			return number;
	}
	if (length > UINT32_MAX - 8)
		guard_fail(pool_guard(a->pool), ALIBI_INPUT, NULL, "a text of more than 4 GiB");
	uint64_t offset = a->heap.count;
	size_t words = (length + 3) / 4 + 1;
	vec_reserve(a->pool, &a->heap, offset + words);
	uint32_t *to = a->heap.items + offset;
	to[words - 1] = 0;
	to[0] = (uint32_t)(kind == ALIBI_LIST ? length / sizeof(uint32_t) : length);
	if (length)
		memcpy(to + 1, bytes, length);
	a->heap.count += words;
	return enter(a, &a->others, at, hash, kind, offset);
}

static uint64_t four_bytes(const char *p)
{
	uint32_t w;
	memcpy(&w, p, sizeof w);
	return le32toh(w);
}

/* The bytes in a word as memory has them, the length in its last byte. Loads
 * overlap, so there is no loop and nothing is read beyond the string. */
static uint64_t packed(const char *bytes, size_t length)
{
	const unsigned char *b = (const unsigned char *)bytes;
	uint64_t word = (uint64_t)length << 56;
	if (length >= 4)
		word |= four_bytes(bytes) | four_bytes(bytes + length - 4) << 8 * (length - 4);
	else if (length)
		word |= b[0] | (uint64_t)b[length / 2] << 8 * (length / 2) |
		        (uint64_t)b[length - 1] << 8 * (length - 1);
	return htole64(word);
}

uint32_t atoms_string(struct atoms *a, const char *bytes, size_t length)
{
	if (length > ATOM_SHORT_MAX)
		return in_heap(a, ALIBI_STRING, bytes, length);
	uint64_t word = packed(bytes, length);
	uint64_t hash = hash_word(a, word);
	size_t at = find_word(a, &a->shorts, hash, word);
	if (a->shorts.slot[at])
		return number_in(a->shorts.slot[at]);
	return enter(a, &a->shorts, at, hash, ALIBI_STRING | ATOM_SHORT, word);
}

uint32_t atoms_bool(struct atoms *a, bool b)
{
	uint64_t hash = hash_word(a, b);
	size_t at = hash & a->others.mask;
	for (; a->others.slot[at]; at = (at + 1) & a->others.mask) {
		uint32_t number = number_in(a->others.slot[at]);
		if (a->kind.items[number] == ALIBI_BOOL && a->word.items[number] == b)
			return number;
	}
	return enter(a, &a->others, at, hash, ALIBI_BOOL, b);
}

uint32_t atoms_decimal(struct atoms *a, const char *canonical, size_t length)
{
	return in_heap(a, ALIBI_DECIMAL, canonical, length);
}

uint32_t atoms_row(struct atoms *a, const char *canonical, size_t length)
{
	return in_heap(a, ALIBI_ROW, canonical, length);
}

uint32_t atoms_list(struct atoms *a, const uint32_t *items, size_t count)
{
	return in_heap(a, ALIBI_LIST, items, count * sizeof *items);
}

enum alibi_kind atoms_kind(const struct atoms *a, uint32_t number)
{
	assert(number < a->word.count);
	return (enum alibi_kind)(a->kind.items[number] & ATOM_KIND);
}

alibi_value atoms_value(const struct atoms *a, uint32_t number)
{
	alibi_value v = {.kind = atoms_kind(a, number)};
	if (v.kind == ALIBI_INT || v.kind == ALIBI_BOOL) {
		v.integer = (int64_t)a->word.items[number];
	} else if (a->kind.items[number] & ATOM_SHORT) {
		v.text = (const char *)&a->word.items[number];
		v.length = (unsigned char)v.text[ATOM_SHORT_MAX];
	} else if (v.kind == ALIBI_LIST) {
		atoms_items(a, number, &v.length);
	} else if (v.kind != ALIBI_NULL) {
		v.text = heap_bytes(a, number, &v.length);
	}
	return v;
}

const uint32_t *atoms_items(const struct atoms *a, uint32_t number, size_t *count)
{
	assert(a->kind.items[number] == ALIBI_LIST);
	const uint32_t *at = a->heap.items + a->word.items[number];
	*count = *at;
	return at + 1;
}

static void slots_clear(struct atom_slots *s)
{
	if (s->used)
		memset(s->slot, 0, (s->mask + 1) * sizeof *s->slot);
	s->used = 0;
}

void atoms_clear(struct atoms *a)
{
	bool with_null = a->kind.count && a->kind.items[0] == ALIBI_NULL;
	for (size_t i = 0; i < a->kind.count; i++)
		if (a->kind.items[i] == ALIBI_INT && a->word.items[i] < a->direct.count)
			a->direct.number[a->word.items[i]] = 0;
	a->word.count = a->kind.count = with_null;
	a->heap.count = 0;
	a->integer_count = 0;
	slots_clear(&a->integers);
	slots_clear(&a->shorts);
	slots_clear(&a->others);
}

void atoms_seal(struct atoms *a)
{
	pool_free(a->pool, a->direct.number);
	a->direct = (struct atom_direct){0};
	pool_free(a->pool, a->integers.slot);
	pool_free(a->pool, a->shorts.slot);
	pool_free(a->pool, a->others.slot);
	a->integers.slot = a->shorts.slot = a->others.slot = NULL;
	vec_trim(a->pool, &a->word);
	vec_trim(a->pool, &a->kind);
	vec_trim(a->pool, &a->heap);
}

uint32_t atoms_add(struct atoms *a, alibi_value v)
{
	switch (v.kind) {
	case ALIBI_BOOL:
		return atoms_bool(a, v.integer != 0);
	case ALIBI_INT:
		return atoms_integer(a, v.integer);
	case ALIBI_STRING:
		return atoms_string(a, v.text, v.length);
	case ALIBI_DECIMAL:
		return atoms_decimal(a, v.text, v.length);
	case ALIBI_ROW:
		return atoms_row(a, v.text, v.length);
	default:
		assert(v.kind == ALIBI_NULL);
		return ATOM_NULL;
	}
}
