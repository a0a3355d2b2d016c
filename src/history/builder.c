/* builder: see builder.h. */
#include "history/builder.h"

#include "base/bisect.h"
#include "history/opaque_update.h"
#include "history/render.h"
#include "history/validate.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct builder *builder_new(struct pool *pool)
{
	struct builder *b = pool_zalloc(pool, sizeof *b);
	b->pool = pool;
	b->guard = pool_guard(pool);
	b->h = pool_zalloc(pool, sizeof *b->h);
	b->h->pool = pool;
	b->keys = &b->h->keys;
	b->values = &b->h->values;
	b->names = &b->h->names;
	atoms_init(b->keys, pool, false);
	atoms_init(b->values, pool, true);
	atoms_init(b->names, pool, false);
	b->h->initial_default = ATOM_NULL;
	b->h->empty_list = ID_NONE;
	return b;
}

void builder_reject(struct builder *b, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	guard_say(b->guard, ALIBI_INPUT, &b->place, format, args);
	va_end(args);
	guard_out(b->guard);
}

static void flag_key(struct builder *b, uint32_t key, uint8_t flag)
{
	if (key >= b->key_flags.count) {
		if (key >= KEY_LIMIT)
			builder_reject(b, "more than %d distinct keys", KEY_LIMIT);
		vec_reserve(b->pool, &b->key_flags, (size_t)key + 1);
		memset(b->key_flags.items + b->key_flags.count, 0,
		       (size_t)key + 1 - b->key_flags.count);
		b->key_flags.count = (size_t)key + 1;
	}
	b->key_flags.items[key] |= flag;
}

void builder_op(struct builder *b, enum alibi_op_kind kind, uint32_t key, uint32_t value)
{
	bool list = kind == ALIBI_APPEND ||
	            (kind == ALIBI_READ && atoms_kind(b->values, value) == ALIBI_LIST);
	assert(kind == ALIBI_READ || atoms_kind(b->values, value) != ALIBI_LIST);
	flag_key(b, key, list ? KEY_LIST : kind == ALIBI_WRITE ? KEY_REGISTER : 0);
	b->any_list |= list;
	vec_push(b->pool, &b->ops,
	         ((struct op){.kind_and_key = (uint32_t)kind << KIND_SHIFT | key, .value = value}));
}

void builder_from(struct builder *b, uint32_t id)
{
	assert(b->ops.count > 0);
	vec_push(b->pool, &b->from,
	         ((struct pending_from){.op = (uint32_t)(b->ops.count - 1), .id = id}));
}

void builder_mention(struct builder *b, uint32_t key)
{
	flag_key(b, key, KEY_MENTION);
}

struct query *builder_query(struct builder *b, enum query_kind kind, row_reader *read_row)
{
	if (!b->h->queries)
		queries_init(b->h, read_row);
	struct queries *x = b->h->queries;
	builder_op(b, ALIBI_READ, x->key, ATOM_NULL);
	vec_push(b->pool, &x->list,
	         ((struct query){.op = (uint32_t)(b->ops.count - 1),
	                         .kind = kind,
	                         .relation = ID_NONE,
	                         .comparison = (uint32_t)x->comparisons.count,
	                         .assignment = (uint32_t)x->assignments.count,
	                         .except = (uint32_t)x->except.count}));
	return &x->list.items[x->list.count - 1];
}

static uint32_t new_session(struct builder *b, uint32_t name)
{
	vec_push(b->pool, &b->session_name, name);
	return (uint32_t)(b->session_name.count - 1);
}

static uint32_t session_named(struct builder *b, uint32_t name)
{
	if (name == ID_NONE)
		return new_session(b, name);
	while (b->session_of_name.count <= name)
		vec_push(b->pool, &b->session_of_name, 0);
	uint32_t *session = &b->session_of_name.items[name];
	if (!*session)
		*session = new_session(b, name) + 1;
	return *session - 1;
}

/* Columns that start late are filled up to the transaction being closed. */
#define fill_column(b, column, count_wanted, filler)                                               \
	while ((b)->column.count < (count_wanted))                                                 \
	vec_push((b)->pool, &(b)->column, filler)

static void add_columns(struct builder *b, const struct txn_head *head, size_t txn)
{
	if (head->id != ID_NONE || b->any_id) {
		b->any_id = true;
		fill_column(b, txn_id, txn, ID_NONE);
		vec_push(b->pool, &b->txn_id, head->id);
	}
	if (head->has & BOTH_TIMES) {
		fill_column(b, times, txn, (struct client_times){0});
		vec_push(b->pool, &b->times, head->times);
	}
	if (head->has & (ALIBI_HAS_START_TS | ALIBI_HAS_COMMIT_TS)) {
		fill_column(b, stamps, txn, (struct stamps){0});
		vec_push(b->pool, &b->stamps, head->stamps);
	}
}

static uint64_t add_text(struct builder *b, const char *text, size_t length)
{
	uint64_t offset = b->h->texts.count;
	if (length > UINT32_MAX)
		builder_reject(b, "a text of more than 4 GiB");
	vec_reserve(b->pool, &b->h->texts, offset + length);
	memcpy(b->h->texts.items + offset, text, length);
	b->h->texts.count += length;
	return offset;
}

/* So that a transaction is added as a whole or not at all. */
static void reserve_columns(struct builder *b, const struct txn_head *head, size_t count)
{
	vec_reserve(b->pool, &b->txns, count);
	if (head->id != ID_NONE || b->any_id)
		vec_reserve(b->pool, &b->txn_id, count);
	if (head->has & BOTH_TIMES)
		vec_reserve(b->pool, &b->times, count);
	if (head->has & (ALIBI_HAS_START_TS | ALIBI_HAS_COMMIT_TS))
		vec_reserve(b->pool, &b->stamps, count);
	if (head->info)
		vec_reserve(b->pool, &b->h->info, b->h->info.count + 1);
}

uint32_t builder_end(struct builder *b, const struct txn_head *head)
{
	size_t txn = b->txns.count;
	uint32_t first = 0;
	guard_tick(b->guard);
	if (txn >= KEY_LIMIT || b->ops.count >= UINT32_MAX - 1)
		builder_reject(b, "more than %d transactions or four billion operations",
		               KEY_LIMIT);
	reserve_columns(b, head, txn + 1);
	uint32_t session = session_named(b, head->session);
	uint64_t info = head->info ? add_text(b, head->info, head->info_length) : 0;
	if (txn)
		first = b->h->op_count;
	b->h->op_count = (uint32_t)b->ops.count;
	vec_push(b->pool, &b->txns,
	         ((struct txn){.first_op = first,
	                       .session = session,
	                       .number = head->number,
	                       .status = (uint8_t)head->status,
	                       .has = (uint8_t)head->has}));
	add_columns(b, head, txn);
	if (head->info)
		vec_push(b->pool, &b->h->info,
		         ((struct txn_info){.txn = (uint32_t)txn,
		                            .length = (uint32_t)head->info_length,
		                            .offset = info}));
	return (uint32_t)txn;
}

void builder_annotation(struct builder *b, const char *json, size_t length, const int64_t *at)
{
	struct annotation a = {.at = at ? *at : 0,
	                       .has_at = at != NULL,
	                       .before_txn = (uint32_t)b->txns.count,
	                       .length = (uint32_t)length,
	                       .offset = add_text(b, json, length)};
	vec_push(b->pool, &b->h->annotations, a);
	guard_tick(b->guard);
}

void builder_initial(struct builder *b, uint32_t key, uint32_t value)
{
	flag_key(b, key, KEY_INITIAL);
	vec_push(b->pool, &b->h->initial, ((struct initial_value){.key = key, .value = value}));
}

void builder_clear(struct builder *b)
{
	struct history *h = b->h;
	b->ops.count = b->txns.count = b->txn_id.count = b->times.count = b->stamps.count = 0;
	b->from.count = b->session_name.count = b->session_of_name.count = b->key_flags.count = 0;
	b->any_id = b->any_list = false;
	h->op_count = 0;
	h->info.count = h->annotations.count = h->texts.count = h->initial.count = 0;
	h->initial_default = ATOM_NULL;
	atoms_clear(b->keys);
	atoms_clear(b->values);
	atoms_clear(b->names);
}

void builder_drop(struct builder *b, size_t first)
{
	struct queries *x = b->h->queries;
	assert(b->h->op_count <= first && first <= b->ops.count);
	b->ops.count = first;
	while (b->from.count && b->from.items[b->from.count - 1].op >= first)
		b->from.count--;
	while (x && x->list.count && x->list.items[x->list.count - 1].op >= first)
		x->list.count--;
}

/* ---- finish ---- */

/* An error about a transaction that was closed long ago. */
static _Noreturn void reject_txn(struct builder *b, uint32_t txn, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
static void reject_txn(struct builder *b, uint32_t txn, const char *format, ...)
{
	char text[ERROR_TEXT_MAX];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	uint32_t number = b->txns.items[txn].number;
	b->place.column = 0;
	b->place.line = b->numbered_by_line ? number : 0;
	if (b->numbered_by_line)
		builder_reject(b, "%s", text);
	builder_reject(b, "transaction %u: %s", number, text);
}

static const char *shown_key(struct builder *b, uint32_t key)
{
	return render_value(b->pool, atoms_value(b->keys, key));
}

static void check_list_keys(struct builder *b)
{
	struct history *h = b->h;
	uint32_t txn = 0;
	for (size_t i = 0; i < h->initial.count; i++)
		if (h->key_is_list[h->initial.items[i].key])
			builder_reject(b, "key %s is a list and cannot have an initial value",
			               shown_key(b, h->initial.items[i].key));
	if (!b->any_list)
		return;
	h->empty_list = atoms_list(b->values, NULL, 0);
	for (uint32_t i = 0; i < h->op_count; i++) {
		struct op *o = &h->ops[i];
		while (b->txns.items[txn + 1].first_op <= i)
			txn++;
		guard_tick(b->guard);
		if (!h->key_is_list[op_key(*o)])
			continue;
		if (op_kind(*o) == ALIBI_WRITE)
			reject_txn(b, txn,
			           "key %s is a list (it is appended to, or read as one), so it "
			           "cannot be written or deleted; expected only appends and reads",
			           shown_key(b, op_key(*o)));
		if (op_kind(*o) == ALIBI_READ && o->value == ATOM_NULL)
			o->value = h->empty_list;
		if (op_kind(*o) == ALIBI_READ && atoms_kind(b->values, o->value) != ALIBI_LIST)
			reject_txn(b, txn, "key %s is a list, but was read as %s; expected a list",
			           shown_key(b, op_key(*o)),
			           render_value(b->pool, atoms_value(b->values, o->value)));
	}
}

/* The keys that queries ask for: all that the history names, but lists. A refused operation
 * leaves keys among the atoms; the history does not name them. */
static const bool *asked_keys(struct builder *b)
{
	const struct history *h = b->h;
	bool *asked = pool_zarray(b->pool, atoms_count(b->keys) + 1, sizeof *asked);
	for (uint32_t i = 0; i < h->op_count; i++) {
		asked[op_key(h->ops[i])] = true;
		guard_tick(b->guard);
	}
	for (size_t i = 0; i < h->initial.count; i++)
		asked[h->initial.items[i].key] = true;
	for (size_t i = 0; i < h->queries->list.count; i++) {
		const struct query *q = &h->queries->list.items[i];
		for (uint32_t j = 0; j < q->excepts; j++)
			asked[query_except(h, q)[j]] = true;
	}
	for (size_t key = 0; key < b->key_flags.count; key++) {
		asked[key] |= (b->key_flags.items[key] & KEY_MENTION) != 0;
		asked[key] &= !h->key_is_list[key];
	}
	asked[h->queries->key] = false;
	return asked;
}

static void finish_queries(struct builder *b)
{
	struct history *h = b->h;
	size_t which;
	uint32_t key, txn = 0;
	if (!h->queries)
		return;
	h->queries->asked = asked_keys(b);
	const char *wrong = queries_finish(h, &which, &key);
	if (wrong) {
		while (b->txns.items[txn + 1].first_op <= h->queries->list.items[which].op)
			txn++;
		reject_txn(b, txn, "key %s %s", shown_key(b, key), wrong);
	}
	opaque_update_finish(h, b->txns.items);
	where_rank(h);
	queries_seal(h);
}

static int by_initial_key(const void *x, const void *y)
{
	const struct initial_value *a = x, *b = y;
	return a->key < b->key ? -1 : a->key > b->key;
}

void builder_sort_initial(struct history *h)
{
	if (h->initial.count)
		qsort(h->initial.items, h->initial.count, sizeof *h->initial.items, by_initial_key);
}

static void sort_initial(struct builder *b)
{
	struct history *h = b->h;
	builder_sort_initial(h);
	for (size_t i = 1; i < h->initial.count; i++)
		if (h->initial.items[i - 1].key == h->initial.items[i].key)
			builder_reject(b, "key %s has two initial values",
			               shown_key(b, h->initial.items[i].key));
}

static void group_by_session(struct builder *b)
{
	struct history *h = b->h;
	h->session_count = (uint32_t)b->session_name.count;
	h->session_first = pool_zarray(b->pool, (size_t)h->session_count + 1, sizeof(uint32_t));
	h->session_txns = pool_array(b->pool, (size_t)h->txn_count + 1, sizeof(uint32_t));
	for (uint32_t t = 0; t < h->txn_count; t++)
		h->session_first[b->txns.items[t].session]++;
	uint32_t total = 0;
	for (uint32_t s = 0; s <= h->session_count; s++) {
		uint32_t count = h->session_first[s];
		h->session_first[s] = total;
		total += count;
	}
	for (uint32_t t = 0; t < h->txn_count; t++)
		h->session_txns[h->session_first[b->txns.items[t].session]++] = t;
	for (uint32_t s = h->session_count; s > 0; s--)
		h->session_first[s] = h->session_first[s - 1];
	h->session_first[0] = 0;
}

static const char *shown_name(struct builder *b, uint32_t name)
{
	return render_value(b->pool, atoms_value(b->names, name));
}

/* The transaction without an id whose number is n. Numbers rise in the file. */
static uint32_t txn_numbered(const struct builder *b, int64_t n)
{
	uint32_t t;
	bisect(t, 0, b->h->txn_count, b->txns.items[t].number < n);
	if (t == b->h->txn_count || b->txns.items[t].number != n)
		return ID_NONE;
	bool named = t < b->txn_id.count && b->txn_id.items[t] != ID_NONE;
	return named ? ID_NONE : t;
}

/* Who has an id: by name, txn + 1. Rejects ids that two transactions share. */
static uint32_t *owners_of_ids(struct builder *b)
{
	uint32_t *owner = pool_zarray(b->pool, atoms_count(b->names) + 1, sizeof *owner);
	for (uint32_t t = 0; t < b->txn_id.count; t++) {
		uint32_t id = b->txn_id.items[t];
		guard_tick(b->guard);
		if (id == ID_NONE)
			continue;
		if (owner[id])
			reject_txn(b, t,
			           "duplicate id %s, also used by the transaction at %u; ids must "
			           "be unique",
			           shown_name(b, id), b->txns.items[owner[id] - 1].number);
		owner[id] = t + 1;
	}
	for (uint32_t name = 0; name < atoms_count(b->names); name++) {
		guard_tick(b->guard);
		if (atoms_kind(b->names, name) != ALIBI_INT)
			continue;
		uint32_t t = txn_numbered(b, atoms_value(b->names, name).integer);
		if (t == ID_NONE)
			continue;
		if (owner[name])
			reject_txn(
			        b, owner[name] - 1,
			        "id %s is also the number of the transaction at %u, which has no "
			        "id of its own; give that one an id, or change this one",
			        shown_name(b, name), b->txns.items[t].number);
		owner[name] = t + 1;
	}
	return owner;
}

static void resolve_ids(struct builder *b)
{
	struct history *h = b->h;
	if (!b->any_id && !b->from.count)
		return;
	uint32_t *owner = owners_of_ids(b);
	uint32_t txn = 0;
	for (size_t i = 0; i < b->from.count; i++) {
		struct pending_from f = b->from.items[i];
		uint32_t writer = ID_NONE;
		while (b->txns.items[txn + 1].first_op <= f.op)
			txn++;
		if (f.id != ID_NONE && !owner[f.id])
			reject_txn(b, txn,
			           "\"from\" names transaction %s, which is not in the history",
			           shown_name(b, f.id));
		if (f.id != ID_NONE)
			writer = owner[f.id] - 1;
		vec_push(b->pool, &h->from, ((struct read_from){.op = f.op, .writer = writer}));
		guard_tick(b->guard);
	}
	pool_free(b->pool, owner);
	pool_free(b->pool, b->from.items);
}

/* Gives a column to the history, filled up to the last transaction. */
static void hand_over_columns(struct builder *b)
{
	struct history *h = b->h;
	if (b->any_id) {
		fill_column(b, txn_id, h->txn_count, ID_NONE);
		h->txn_id = vec_trim(b->pool, &b->txn_id);
	}
	if (b->times.count) {
		fill_column(b, times, h->txn_count, (struct client_times){0});
		h->times = vec_trim(b->pool, &b->times);
	}
	if (b->stamps.count) {
		fill_column(b, stamps, h->txn_count, (struct stamps){0});
		h->stamps = vec_trim(b->pool, &b->stamps);
	}
	h->session_name = vec_trim(b->pool, &b->session_name);
	h->txns = vec_trim(b->pool, &b->txns);
	vec_trim(b->pool, &h->texts);
}

struct history *builder_finish(struct builder *b)
{
	struct history *h = b->h;
	assert(h->op_count == b->ops.count); /* the last transaction was closed */
	h->txn_count = (uint32_t)b->txns.count;
	vec_push(b->pool, &b->txns, ((struct txn){.first_op = h->op_count}));
	h->ops = vec_trim(b->pool, &b->ops);
	h->key_is_list = pool_zarray(b->pool, atoms_count(b->keys) + 1, sizeof(bool));
	for (size_t k = 0; k < b->key_flags.count; k++)
		h->key_is_list[k] = b->key_flags.items[k] & KEY_LIST;
	check_list_keys(b);
	sort_initial(b);
	finish_queries(b);
	resolve_ids(b);
	group_by_session(b);
	hand_over_columns(b);
	pool_free(b->pool, b->key_flags.items);
	pool_free(b->pool, b->session_of_name.items);
	atoms_seal(b->keys);
	atoms_seal(b->values);
	atoms_seal(b->names);
	assert(h->op_count > VALIDATE_OPS || history_validate(h));
	return h;
}
