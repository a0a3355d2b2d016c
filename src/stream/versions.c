/* versions: see versions.h. */
#include "stream/versions.h"

#include "base/bisect.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct version) == 64, "a version is a cache line");

void versions_init(struct versions *vs, struct store *store, struct shard shard, uint64_t seed)
{
	*vs = (struct versions){.store = store};
	keys_init(&vs->keys, store, shard, seed);
}

static struct value base_value(const struct key *k)
{
	return (struct value){.word = k->value, .kind = k->value_kind};
}

static struct value value_of(const struct version *v)
{
	return (struct value){.word = v->value, .kind = v->value_kind};
}

static struct value writer_of(const struct version *v)
{
	return (struct value){.word = v->writer, .kind = v->writer_kind};
}

static void set_base_value(struct versions *vs, struct key *k, struct value value)
{
	value_drop(vs->store, base_value(k));
	k->value = value.word;
	k->value_kind = value.kind;
}

void versions_initial(struct versions *vs, uint32_t key, struct value value)
{
	struct key *k = versions_key(vs, key);
	set_base_value(vs, k, value);
	k->state |= HELD_INITIAL;
	k->use &= (uint8_t)~KEY_STORED;
}

void versions_leave(struct versions *vs, uint32_t key, struct value value, struct value writer)
{
	struct key *k = versions_key(vs, key);
	struct value copy = value_copy(vs->store, writer);
	value_drop(vs->store, (struct value){.word = k->writer, .kind = k->writer_kind});
	set_base_value(vs, k, value_copy(vs->store, value));
	k->writer = copy.word;
	k->writer_kind = copy.kind;
	k->state |= HELD_WRITTEN;
}

struct held_list *versions_list(struct versions *vs, struct key *k)
{
	if (!(k->state & HELD_LIST)) {
		assert(!(k->state & (HELD_WRITTEN | HELD_INITIAL)) && !k->count);
		k->value = (uintptr_t)pool_zalloc(vs->store->pool, sizeof(struct held_list));
		k->value_kind = ALIBI_NULL;
		k->state |= HELD_LIST;
	}
	return (struct held_list *)(uintptr_t)k->value;
}

void versions_drop(struct versions *vs, uint32_t key)
{
	struct key *k = versions_key(vs, key);
	assert(!k->count);
	if (k->state & HELD_LIST) {
		struct held_list *list = versions_list(vs, k);
		for (size_t i = 0; i < list->items.count; i++)
			value_drop(vs->store, list->items.items[i]);
		pool_free(vs->store->pool, list->items.items);
		pool_free(vs->store->pool, list);
	} else {
		value_drop(vs->store, base_value(k));
	}
	value_drop(vs->store, (struct value){.word = k->writer, .kind = k->writer_kind});
	keys_remove(&vs->keys, key);
}

/* ---- writing ---- */

static void drop_version(struct versions *vs, struct key *k, struct version *v)
{
	if (!(k->state & HELD_LIST))
		value_drop(vs->store, value_of(v));
	value_drop(vs->store, writer_of(v));
	vs->kept--;
}

static struct version *insert(struct versions *vs, struct key *k, size_t at)
{
	size_t room = k->recent ? (size_t)1 << k->room : 0;
	if (k->count == room) {
		size_t more = room ? 2 * room : 1;
		struct version *moved = store_take(vs->store, more * sizeof *moved);
		if (room) {
			memcpy(moved, k->recent, room * sizeof *moved);
			store_give(vs->store, k->recent, room * sizeof *moved);
		}
		k->recent = moved;
		k->room = (uint8_t)__builtin_ctzll(more);
	}
	memmove(k->recent + at + 1, k->recent + at, (k->count - at) * sizeof *k->recent);
	k->count++;
	vs->kept++;
	return &k->recent[at];
}

static void insert_element(struct versions *vs, struct key *k, size_t place, struct value value)
{
	struct held_list *list = versions_list(vs, k);
	vec_push(vs->store->pool, &list->items, value);
	memmove(list->items.items + place + 1, list->items.items + place,
	        (list->items.count - 1 - place) * sizeof *list->items.items);
	list->items.items[place] = value_copy(vs->store, value);
}

static size_t elements(const struct held_list *list, const struct key *k, size_t visible)
{
	size_t sum = list->base;
	for (size_t i = 0; i < visible; i++)
		sum += k->recent[i].value;
	return sum;
}

/* An append older than the base: where its element stands is not known any more. */
static void append_to_base(struct versions *vs, struct key *k, struct value value)
{
	struct held_list *list = versions_list(vs, k);
	insert_element(vs, k, list->base++, value);
	list->tied = true;
}

static struct version *add_version(struct versions *vs, struct key *k, const struct writing *w,
                                   size_t at)
{
	struct value writer = value_copy(vs->store, w->writer);
	struct version *v = insert(vs, k, at);
	*v = (struct version){.commit = w->commit,
	                      .start = w->start,
	                      .number = w->number,
	                      .writer = writer.word,
	                      .writer_kind = writer.kind};
	return v;
}

/* It came before, and comes again when its id is forgotten. */
static bool is_base(const struct key *k, const struct writing *w)
{
	struct value writer = {.word = k->writer, .kind = k->writer_kind};
	return !stamp_compare(k->commit, w->commit) && value_same(writer, w->writer);
}

struct version *versions_write(struct versions *vs, struct key *k, const struct writing *w,
                               struct value value, bool append)
{
	size_t at = k->count;
	k->use &= (uint8_t)~KEY_STORED;
	while (at && stamp_compare(k->recent[at - 1].commit, w->commit) > 0)
		at--;
	if (!at && k->state & HELD_WRITTEN && stamp_compare(k->commit, w->commit) >= 0) {
		if (append && !is_base(k, w))
			append_to_base(vs, k, value);
		return NULL;
	}
	bool again = at && k->recent[at - 1].number == w->number;
	struct version *v = again ? &k->recent[at - 1] : add_version(vs, k, w, at);
	if (append) {
		struct held_list *list = versions_list(vs, k);
		insert_element(vs, k, elements(list, k, (size_t)(v - k->recent) + 1), value);
		v->value++;
	} else {
		value_drop(vs->store, value_of(v));
		value = value_copy(vs->store, value);
		v->value = value.word;
		v->value_kind = value.kind;
	}
	return v;
}

/* ---- reading ---- */

size_t versions_visible(const struct key *k, alibi_stamp at, uint64_t number, bool all)
{
	size_t low;
	bisect(low, 0, k->count, stamp_compare(k->recent[low].commit, at) <= 0);
	while (!all && low && k->recent[low - 1].number >= number &&
	       !stamp_compare(k->recent[low - 1].commit, at))
		low--;
	if (low && k->recent[low - 1].number == number)
		low--;
	return low;
}

struct held versions_held(const struct versions *vs, const struct key *k, size_t visible)
{
	struct held h = {0};
	if (visible) {
		const struct version *v = &k->recent[visible - 1];
		h = (struct held){.value = value_of(v),
		                  .writer = writer_of(v),
		                  .commit = v->commit,
		                  .tied = v->tied};
	} else {
		h.value = k->state & (HELD_WRITTEN | HELD_INITIAL) ? base_value(k) : vs->initial;
		h.writer = (struct value){.word = k->writer, .kind = k->writer_kind};
		h.commit = k->state & HELD_WRITTEN
		                   ? k->commit
		                   : (alibi_stamp){.physical = INT64_MIN, .logical = INT64_MIN};
		h.tied = k->state & HELD_TIED;
	}
	if (k->state & HELD_LIST) {
		const struct held_list *list = (const struct held_list *)(uintptr_t)k->value;
		h.elements = elements(list, k, visible);
		h.tied = list->tied;
	}
	return h;
}

/* ---- collapsing ---- */

static void become_base(struct versions *vs, struct key *k, struct version *v)
{
	k->commit = v->commit;
	value_drop(vs->store, (struct value){.word = k->writer, .kind = k->writer_kind});
	k->writer = v->writer;
	k->writer_kind = v->writer_kind;
	if (!(k->state & HELD_LIST))
		set_base_value(vs, k, value_of(v));
	k->state = (uint8_t)((k->state & ~(HELD_TIED | HELD_INITIAL)) | HELD_WRITTEN |
	                     (v->tied ? HELD_TIED : 0));
	vs->kept--;
}

void versions_collapse_some(struct versions *vs, struct key *k, alibi_stamp base)
{
	size_t passed = 1;
	while (passed < k->count && stamp_compare(k->recent[passed].commit, base) <= 0)
		passed++;
	if (k->state & HELD_LIST) {
		struct held_list *list = versions_list(vs, k);
		list->base = elements(list, k, passed);
	}
	for (size_t i = 0; i + 1 < passed; i++)
		drop_version(vs, k, &k->recent[i]);
	become_base(vs, k, &k->recent[passed - 1]);
	k->count -= (uint32_t)passed;
	if (k->count) {
		memmove(k->recent, k->recent + passed, k->count * sizeof *k->recent);
		return;
	}
	store_give(vs->store, k->recent, sizeof *k->recent << k->room);
	k->recent = NULL;
}
