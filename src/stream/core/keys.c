/* keys: see keys.h. */
#include "stream/core/keys.h"

#include "base/guard.h"
#include "history/history.h"

#include <assert.h>

enum { LINE = 64, FIRST_SLOTS = 256 };

static_assert(sizeof(struct key) == LINE, "a key is a cache line");

static void set_slots(struct keys *ks, size_t size)
{
	ks->slots = pool_zarray(ks->store->pool, size, sizeof *ks->slots);
	ks->mask = size - 1;
}

void keys_init(struct keys *ks, struct store *store, struct shard shard, uint64_t seed)
{
	*ks = (struct keys){.store = store, .shard = shard, .seed = seed, .free = ID_NONE};
	set_slots(ks, FIRST_SLOTS);
}

bool shard_has(struct shard s, struct value v)
{
	return s.count <= 1 || (value_hash(v, 0) >> 16) % s.count == s.number;
}

static bool shard_has_atom(struct shard s, const struct atoms *names, uint32_t atom)
{
	return s.count <= 1 || (value_hash_atom(names, atom, 0) >> 16) % s.count == s.number;
}

/* ---- the table ---- */

static bool tag_matches(uint64_t slot, uint64_t hash)
{
	return (slot ^ hash) >> 32 == 0;
}

static uint32_t number_in(uint64_t slot)
{
	return (uint32_t)slot - 1;
}

static void put(struct keys *ks, uint64_t hash, uint32_t number)
{
	size_t at = hash & ks->mask;
	while (ks->slots[at])
		at = (at + 1) & ks->mask;
	ks->slots[at] = (hash & ~(uint64_t)UINT32_MAX) | ((uint64_t)number + 1);
}

static void grow_table(struct keys *ks)
{
	uint64_t *old = ks->slots;
	size_t size = ks->mask + 1;
	set_slots(ks, 2 * size);
	for (size_t i = 0; i < size; i++)
		if (old[i])
			put(ks, value_hash(key_name(keys_at(ks, number_in(old[i]))), ks->seed),
			    number_in(old[i]));
	pool_free(ks->store->pool, old);
}

static uint32_t new_number(struct keys *ks)
{
	struct pool *pool = ks->store->pool;
	if (ks->free_count) {
		uint32_t number = ks->free;
		ks->free = keys_at(ks, number)->seen_op;
		ks->free_count--;
		return number;
	}
	if (ks->count >> KEY_CHUNK_BITS == ks->chunks.count) {
		size_t bytes = sizeof(struct key) << KEY_CHUNK_BITS;
		char *block = pool_alloc(pool, bytes + LINE);
		block += LINE - ((uintptr_t)block & (LINE - 1));
		vec_push(pool, &ks->chunks, (struct key *)(void *)block);
	}
	if (ks->count >= KEY_LIMIT)
		guard_fail(pool_guard(pool), ALIBI_INPUT, NULL, "more than %d distinct keys",
		           KEY_LIMIT);
	return ks->count++;
}

static uint32_t add(struct keys *ks, uint64_t hash, struct value name)
{
	uint32_t number = new_number(ks);
	*keys_at(ks, number) = (struct key){.name = name.word, .name_kind = name.kind};
	if (((size_t)ks->count - ks->free_count) * 3 > ks->mask * 2)
		grow_table(ks);
	put(ks, hash, number);
	return number;
}

uint32_t keys_add(struct keys *ks, struct value name)
{
	return add(ks, value_hash(name, ks->seed), name);
}

uint32_t keys_find(const struct keys *ks, struct value name)
{
	uint64_t hash = value_hash(name, ks->seed);
	for (size_t at = hash & ks->mask; ks->slots[at]; at = (at + 1) & ks->mask) {
		uint32_t number = number_in(ks->slots[at]);
		if (tag_matches(ks->slots[at], hash) &&
		    value_same(key_name(keys_at(ks, number)), name))
			return number;
	}
	return ID_NONE;
}

static uint64_t hash_at(const struct keys *ks, size_t slot)
{
	return value_hash(key_name(keys_at(ks, number_in(ks->slots[slot]))), ks->seed);
}

void keys_remove(struct keys *ks, uint32_t number)
{
	struct key *k = keys_at(ks, number);
	size_t gap = value_hash(key_name(k), ks->seed) & ks->mask;
	while (number_in(ks->slots[gap]) != number) {
		assert(ks->slots[gap]);
		gap = (gap + 1) & ks->mask;
	}
	for (size_t at = (gap + 1) & ks->mask; ks->slots[at]; at = (at + 1) & ks->mask) {
		size_t home = hash_at(ks, at) & ks->mask;
		if (((at - home) & ks->mask) < ((at - gap) & ks->mask))
			continue; /* it would stand before its home slot */
		ks->slots[gap] = ks->slots[at];
		gap = at;
	}
	ks->slots[gap] = 0;
	value_drop(ks->store, key_name(k));
	*k = (struct key){.use = KEY_FREE, .seen_op = ks->free};
	ks->free = number;
	ks->free_count++;
}

/* ---- batches ---- */

static uint32_t find(const struct keys *ks, uint64_t hash, const struct atoms *names, uint32_t atom)
{
	for (size_t at = hash & ks->mask; ks->slots[at]; at = (at + 1) & ks->mask) {
		uint32_t number = number_in(ks->slots[at]);
		if (tag_matches(ks->slots[at], hash) &&
		    value_is_atom(key_name(keys_at(ks, number)), names, atom))
			return number;
	}
	return ID_NONE;
}

/* Prefetches the key whose tag matches. */
static void prefetch(const struct keys *ks, uint64_t hash)
{
	for (size_t at = hash & ks->mask; ks->slots[at]; at = (at + 1) & ks->mask)
		if (tag_matches(ks->slots[at], hash)) {
			__builtin_prefetch(keys_at(ks, number_in(ks->slots[at])), 1);
			return;
		}
}

void keys_of_batch(struct keys *ks, const struct atoms *names, uint32_t from, uint32_t end,
                   uint32_t *numbers)
{
	vec_reserve(ks->store->pool, &ks->hashes, end - from);
	uint64_t *hashes = ks->hashes.items;
	ks->added.count = 0;
	for (uint32_t i = from; i < end; i++) {
		hashes[i - from] = value_hash_atom(names, i, ks->seed);
		numbers[i] = shard_has_atom(ks->shard, names, i) ? 0 : ID_NONE;
		if (numbers[i] != ID_NONE)
			__builtin_prefetch(&ks->slots[hashes[i - from] & ks->mask]);
	}
	for (uint32_t i = from; i < end; i++)
		if (numbers[i] != ID_NONE)
			prefetch(ks, hashes[i - from]);
	for (uint32_t i = from; i < end; i++) {
		if (numbers[i] == ID_NONE)
			continue;
		numbers[i] = find(ks, hashes[i - from], names, i);
		if (numbers[i] == ID_NONE) {
			numbers[i] = add(ks, hashes[i - from], value_take(ks->store, names, i));
			vec_push(ks->store->pool, &ks->added, numbers[i]);
		}
		if (!(keys_at(ks, numbers[i])->use & KEY_USED)) /* not writing the cache line … */
			keys_at(ks, numbers[i])->use |= KEY_USED; /* … is cheaper */
	}
}
