/* versions: see versions.h. */
#include "stream/core/versions.h"

#include "base/bisect.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct version) == 64, "a version is a cache line");

void versions_init(struct versions *vs, struct store *store, struct shard shard, uint64_t seed)
{
	*vs = (struct versions){.store = store};
	keys_init(&vs->keys, store, shard, seed);
}

static struct value base_writer(const struct key *k)
{
	return (struct value){.word = k->writer, .kind = k->writer_kind};
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
	k->state |= BASE_INITIAL;
	k->use &= (uint8_t)~KEY_STORED;
}

void versions_set_base(struct versions *vs, uint32_t key, struct value value, struct value writer)
{
	struct key *k = versions_key(vs, key);
	struct value copy = value_copy(vs->store, writer);
	value_drop(vs->store, base_writer(k));
	set_base_value(vs, k, value_copy(vs->store, value));
	k->writer = copy.word;
	k->writer_kind = copy.kind;
	k->state |= BASE_WRITTEN;
}

struct list_versions *versions_list(struct versions *vs, struct key *k)
{
	if (!(k->state & KEY_IS_LIST)) {
		assert(!(k->state & (BASE_WRITTEN | BASE_INITIAL)) && !k->count);
		k->value = (uintptr_t)pool_zalloc(vs->store->pool, sizeof(struct list_versions));
		k->value_kind = ALIBI_NULL;
		k->state |= KEY_IS_LIST;
	}
	return (struct list_versions *)(uintptr_t)k->value;
}

void versions_drop(struct versions *vs, uint32_t key)
{
	struct key *k = versions_key(vs, key);
	assert(!k->count);
	if (k->state & KEY_IS_LIST) {
		struct list_versions *list = versions_list(vs, k);
		for (size_t i = 0; i < list->items.count; i++)
			value_drop(vs->store, list->items.items[i]);
		pool_free(vs->store->pool, list->items.items);
		pool_free(vs->store->pool, list);
	} else {
		value_drop(vs->store, base_value(k));
	}
	value_drop(vs->store, base_writer(k));
	keys_remove(&vs->keys, key);
}

/* ---- writing ---- */

static void drop_version(struct versions *vs, struct key *k, struct version *v)
{
	if (!(k->state & KEY_IS_LIST))
		value_drop(vs->store, value_of(v));
	value_drop(vs->store, writer_of(v));
	vs->count--;
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
	vs->count++;
	return &k->recent[at];
}

static void insert_element(struct versions *vs, struct key *k, size_t place, struct value value)
{
	struct list_versions *list = versions_list(vs, k);
	vec_push(vs->store->pool, &list->items, value);
	memmove(list->items.items + place + 1, list->items.items + place,
	        (list->items.count - 1 - place) * sizeof *list->items.items);
	list->items.items[place] = value_copy(vs->store, value);
}

static size_t elements(const struct list_versions *list, const struct key *k, size_t visible)
{
	size_t sum = list->base;
	for (size_t i = 0; i < visible; i++)
		sum += k->recent[i].value;
	return sum;
}

/* An append older than the base: the place of its element is no longer known. */
static void append_to_base(struct versions *vs, struct key *k, struct value value)
{
	struct list_versions *list = versions_list(vs, k);
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

/* A duplicate that arrives after its id was dropped. */
static bool is_base(const struct key *k, const struct writing *w)
{
	return !stamp_compare(k->commit, w->commit) && value_same(base_writer(k), w->writer);
}

struct version *versions_write(struct versions *vs, struct key *k, const struct writing *w,
                               struct value value, bool append)
{
	size_t at = k->count;
	k->use &= (uint8_t)~KEY_STORED;
	while (at && stamp_compare(k->recent[at - 1].commit, w->commit) > 0)
		at--;
	if (!at && k->state & BASE_WRITTEN && stamp_compare(k->commit, w->commit) >= 0) {
		if (append && !is_base(k, w))
			append_to_base(vs, k, value);
		return NULL;
	}
	bool extends = at && k->recent[at - 1].number == w->number;
	struct version *v = extends ? &k->recent[at - 1] : add_version(vs, k, w, at);
	if (append) {
		struct list_versions *list = versions_list(vs, k);
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

struct visible versions_read(const struct versions *vs, const struct key *k, size_t count)
{
	struct visible h = {0};
	if (count) {
		const struct version *v = &k->recent[count - 1];
		h = (struct visible){.value = value_of(v),
		                     .writer = writer_of(v),
		                     .commit = v->commit,
		                     .tied = v->tied};
	} else {
		h.value = k->state & (BASE_WRITTEN | BASE_INITIAL) ? base_value(k) : vs->initial;
		h.writer = base_writer(k);
		h.commit = k->state & BASE_WRITTEN
		                   ? k->commit
		                   : (alibi_stamp){.physical = INT64_MIN, .logical = INT64_MIN};
		h.tied = k->state & BASE_TIED;
	}
	if (k->state & KEY_IS_LIST) {
		const struct list_versions *list =
		        (const struct list_versions *)(uintptr_t)k->value;
		h.elements = elements(list, k, count);
		h.tied = list->tied;
	}
	return h;
}

/* ---- collapsing ---- */

static void become_base(struct versions *vs, struct key *k, struct version *v)
{
	k->commit = v->commit;
	value_drop(vs->store, base_writer(k));
	k->writer = v->writer;
	k->writer_kind = v->writer_kind;
	if (!(k->state & KEY_IS_LIST))
		set_base_value(vs, k, value_of(v));
	k->state = (uint8_t)((k->state & ~(BASE_TIED | BASE_INITIAL)) | BASE_WRITTEN |
	                     (v->tied ? BASE_TIED : 0));
	vs->count--;
}

void versions_collapse_some(struct versions *vs, struct key *k, alibi_stamp horizon)
{
	size_t passed = 1;
	while (passed < k->count && stamp_compare(k->recent[passed].commit, horizon) <= 0)
		passed++;
	if (k->state & KEY_IS_LIST) {
		struct list_versions *list = versions_list(vs, k);
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

/* ---- checkpoints ---- */

static void codec_list(struct versions *vs, struct codec *c, struct key *k)
{
	struct list_versions *list = versions_list(vs, k);
	uint64_t count = list->items.count, base = list->base;
	codec_any(c, &count);
	codec_any(c, &base);
	codec_any(c, &list->tied);
	list->base = base;
	for (uint64_t i = 0; i < count; i++) {
		struct value v = {0};
		if (c->write)
			v = list->items.items[i];
		codec_any(c, &v);
		if (!c->write)
			vec_push(vs->store->pool, &list->items, v);
	}
}

static void codec_version(struct codec *c, const struct key *k, struct version *v)
{
	codec_any(c, &v->commit);
	codec_any(c, &v->start);
	codec_any(c, &v->number);
	if (k->state & KEY_IS_LIST)
		codec_any(c, &v->value);
	else
		codec_split_value(c, &v->value, &v->value_kind);
	codec_split_value(c, &v->writer, &v->writer_kind);
	codec_any(c, &v->tied);
}

void versions_codec_key(struct versions *vs, struct codec *c, struct key *k)
{
	uint8_t state = k->state;
	uint64_t count = k->count;
	codec_any(c, &k->flags);
	codec_any(c, &state);
	codec_any(c, &count);
	codec_any(c, &k->commit);
	codec_split_value(c, &k->writer, &k->writer_kind);
	if (state & KEY_IS_LIST)
		codec_list(vs, c, k);
	else
		codec_split_value(c, &k->value, &k->value_kind);
	k->state = state;
	if (!c->write && count) {
		if (count > (size_t)(c->end - c->at) || count > UINT32_MAX)
			codec_reject(c);
		while ((uint64_t)1 << k->room < count)
			k->room++;
		k->recent = store_take(vs->store, sizeof *k->recent << k->room);
		memset(k->recent, 0, sizeof *k->recent << k->room);
		k->count = (uint32_t)count;
		vs->count += count;
	}
	for (uint32_t i = 0; i < count; i++)
		codec_version(c, k, &k->recent[i]);
}

/* Free numbers are written, too, so that keys keep their numbers. */
void versions_codec(struct versions *vs, struct codec *c)
{
	struct pool *pool = vs->store->pool;
	uint32_t count = vs->keys.count;
	VEC(uint32_t) free_numbers = {0};
	codec_any(c, &count);
	for (uint32_t i = 0; i < count; i++) {
		bool used = c->write && !(versions_key(vs, i)->use & KEY_FREE);
		struct value name = {0};
		if (used)
			name = key_name(versions_key(vs, i));
		codec_any(c, &used);
		codec_any(c, &name);
		if (name.kind == ALIBI_LIST)
			codec_reject(c);
		if (!c->write)
			keys_add(&vs->keys, name);
		if (used)
			versions_codec_key(vs, c, versions_key(vs, i));
		else
			vec_push(pool, &free_numbers, i);
	}
	while (!c->write && free_numbers.count)
		keys_remove(&vs->keys, free_numbers.items[--free_numbers.count]);
	pool_free(pool, free_numbers.items);
}

bool versions_valid(const struct versions *vs)
{
	uint64_t count = 0;
	for (uint32_t key = 0; key < vs->keys.count; key++) {
		const struct key *k = versions_key(vs, key);
		if (k->use & KEY_FREE)
			continue;
		count += k->count;
		for (uint32_t i = 1; i < k->count; i++)
			if (stamp_compare(k->recent[i - 1].commit, k->recent[i].commit) > 0)
				return false;
	}
	return count == vs->count;
}
