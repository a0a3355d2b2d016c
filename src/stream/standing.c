/*
 * standing: violations that nothing that came after them may explain.
 *
 * Problem. A read is judged when all that it may have seen should have come. If somebody
 * comes after all who wrote the key before that, too late, or without saying when, what
 * was told of the read may be wrong. It cannot be taken back, but the verdict must not
 * rest on it.
 *
 * Idea. Of each key that a violating read was of, the moment of the first such read is
 * kept. It is the one that is the hardest to explain: who may explain it may explain all
 * later ones. When such a transaction comes, the key is taken out. Overlapping writers,
 * the order of a session, and what a transaction read of its own stay wrong whatever
 * comes.
 *
 * Cost. A block for each key that was misread, for up to STANDING_MAX of them; of more it
 * is not claimed that they stand.
 */
#include "stream/inside.h"
#include "stream/tape.h"

enum { STANDING_MAX = 1 << 16 };

struct standing {
	uint32_t key;
	alibi_stamp first;
};

static bool same_key(const void *item, const void *wanted)
{
	return ((const struct standing *)item)->key == *(const uint32_t *)wanted;
}

static uint64_t hash_key(const struct stream *s, uint32_t key)
{
	return value_hash(value_integer(key), s->seed);
}

static struct standing *find(const struct stream *s, uint32_t key)
{
	return table_find(&s->standing, hash_key(s, key), same_key, &key);
}

void standing_add(struct stream *s, uint32_t key, alibi_stamp moment)
{
	struct standing *at = find(s, key);
	if (at && stamp_compare(moment, at->first) < 0)
		at->first = moment;
	if (at || s->standing.used >= STANDING_MAX)
		return;
	spill_pin(versions_key(&s->versions, key));
	at = store_take(&s->store, sizeof *at);
	*at = (struct standing){.key = key, .first = moment};
	table_add(&s->standing, hash_key(s, key), at);
}

void standing_doubt(struct stream *s, const struct waiting *t, const alibi_stamp *from)
{
	for (uint32_t op = 0; op < t->op_count && s->standing.used; op++) {
		uint32_t key = t->ops[op].key;
		struct standing *at = t->ops[op].kind == ALIBI_READ ? NULL : find(s, key);
		guard_tick(s->guard);
		if (!at || (from && stamp_compare(*from, at->first) > 0))
			continue;
		table_remove(&s->standing, hash_key(s, key), at);
		store_give(&s->store, at, sizeof *at);
	}
}

static bool give_back(void *data, void *item)
{
	struct stream *s = data;
	store_give(&s->store, item, sizeof(struct standing));
	return true;
}

void standing_clear(struct stream *s)
{
	table_filter(&s->standing, give_back, s);
	s->order_stands = false;
}

bool standing_any(const struct stream *s)
{
	const alibi_watch_stats *n = &s->stats;
	return s->standing.used || n->by_session || n->by_int || n->by_noconflict ||
	       s->order_stands;
}

void tape_standing(struct tape *t, struct stream *s)
{
	uint64_t count = s->standing.used;
	tape_flag(t, &s->order_stands);
	tape_count(t, &count);
	for (size_t i = 0; t->write && i <= s->standing.mask; i++) {
		struct standing *at = s->standing.slots[i].item;
		if (!at)
			continue;
		tape_known_key(t, s, &at->key);
		tape_stamp(t, &at->first);
	}
	for (uint64_t i = 0; !t->write && i < count; i++) {
		struct standing at = {0};
		tape_known_key(t, s, &at.key);
		tape_stamp(t, &at.first);
		standing_add(s, at.key, at.first);
	}
}
