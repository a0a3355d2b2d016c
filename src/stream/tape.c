/* tape: see tape.h. */
#include "stream/tape.h"

#include "base/guard.h"

#include <assert.h>
#include <string.h>

enum { DIGEST_BYTES = 16 };
static const struct digest first_digest = {1, 2};

static void digest_to(const struct digest *d, unsigned char bytes[DIGEST_BYTES])
{
	for (int i = 0; i < 8; i++) {
		bytes[i] = (unsigned char)(d->high >> 8 * i);
		bytes[8 + i] = (unsigned char)(d->low >> 8 * i);
	}
}

void tape_damaged(struct guard *g)
{
	guard_fail(g, ALIBI_INPUT, NULL,
	           "the checkpoint is damaged, or from another version of Alibi");
}

void tape_of_others(struct guard *g)
{
	guard_fail(g, ALIBI_USAGE, NULL,
	           "the checkpoint is of a watch with another number of shards or threads, and "
	           "these divide the keys; go on with as many, or start anew without it");
}

void tape_of_another(struct guard *g)
{
	guard_fail(g, ALIBI_USAGE, NULL,
	           "the checkpoint is of a watch at another level, with another session order, or "
	           "with other fences; go on as it was, or start anew without it");
}

void tape_of_option(struct guard *g, const char *option)
{
	guard_fail(
	        g, ALIBI_USAGE, NULL,
	        "the checkpoint is of a watch with another %s, and what was judged rests on that; "
	        "go on with the same, or start anew without the checkpoint",
	        option);
}

void tape_refuse(struct tape *t)
{
	tape_damaged(t->guard);
}

void tape_unwritten(struct guard *g)
{
	guard_fail(g, ALIBI_IO, NULL, "the checkpoint could not be written");
}

void tape_write(struct tape *t, struct pool *pool, struct store *store, alibi_write_fn *write,
                void *data)
{
	*t = (struct tape){.guard = pool_guard(pool),
	                   .store = store,
	                   .digest = first_digest,
	                   .write = write,
	                   .data = data,
	                   .buffer = pool_alloc(pool, TAPE_BUFFER)};
}

void tape_read(struct tape *t, struct pool *pool, struct store *store, const unsigned char *bytes,
               size_t length)
{
	unsigned char wanted[DIGEST_BYTES];
	*t = (struct tape){.guard = pool_guard(pool),
	                   .store = store,
	                   .digest = first_digest,
	                   .at = bytes,
	                   .end = bytes + length};
	if (length < DIGEST_BYTES)
		tape_refuse(t);
	t->end -= DIGEST_BYTES;
	for (const unsigned char *at = bytes; at < t->end;) {
		size_t left = (size_t)(t->end - at), n = left < TAPE_BUFFER ? left : TAPE_BUFFER;
		t->digest = digest_add(t->digest, (const char *)at, n);
		at += n;
	}
	digest_to(&t->digest, wanted);
	if (memcmp(wanted, t->end, DIGEST_BYTES) != 0)
		tape_refuse(t);
}

static void hand_over(struct tape *t, const void *bytes, size_t length)
{
	if (!t->write(t->data, bytes, length))
		tape_unwritten(t->guard);
}

void tape_flush(struct tape *t)
{
	hand_over(t, t->buffer, t->filled);
	t->filled = 0;
}

static void flush(struct tape *t)
{
	t->digest = digest_add(t->digest, (const char *)t->buffer, t->filled);
	tape_flush(t);
}

void tape_open(struct tape *t, struct pool *pool, struct store *store, const void *bytes,
               size_t length)
{
	*t = (struct tape){.guard = pool_guard(pool), .store = store, .at = bytes};
	t->end = t->at + length;
}

void tape_end(struct tape *t)
{
	unsigned char bytes[DIGEST_BYTES];
	if (!t->write) {
		if (t->at != t->end)
			tape_refuse(t);
		return;
	}
	if (t->filled)
		flush(t);
	digest_to(&t->digest, bytes);
	hand_over(t, bytes, sizeof bytes);
	pool_free(t->store->pool, t->buffer);
}

static unsigned char next_byte(struct tape *t)
{
	if (t->at == t->end)
		tape_refuse(t);
	return *t->at++;
}

static void put_byte(struct tape *t, unsigned char byte)
{
	if (t->filled == TAPE_BUFFER)
		flush(t);
	t->buffer[t->filled++] = byte;
}

void tape_bytes(struct tape *t, void *bytes, size_t length)
{
	unsigned char *b = bytes;
	if (!t->write && (size_t)(t->end - t->at) < length)
		tape_refuse(t);
	for (size_t i = 0; i < length; i++) {
		if (t->write)
			put_byte(t, b[i]);
		else
			b[i] = next_byte(t);
	}
}

void tape_count(struct tape *t, uint64_t *n)
{
	guard_tick(t->guard);
	if (t->write) {
		uint64_t left = *n;
		for (; left > 0x7f; left >>= 7)
			put_byte(t, (unsigned char)(left | 0x80));
		put_byte(t, (unsigned char)left);
		return;
	}
	*n = 0;
	for (unsigned shift = 0;; shift += 7) {
		unsigned char byte = next_byte(t);
		if (shift > 63 || (shift == 63 && byte > 1))
			tape_refuse(t);
		*n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return;
	}
}

void tape_u32(struct tape *t, uint32_t *n)
{
	uint64_t wide = *n;
	tape_count(t, &wide);
	if (wide > UINT32_MAX)
		tape_refuse(t);
	*n = (uint32_t)wide;
}

void tape_u8(struct tape *t, uint8_t *n)
{
	tape_bytes(t, n, 1);
}

void tape_flag(struct tape *t, bool *flag)
{
	uint8_t byte = *flag;
	tape_u8(t, &byte);
	if (byte > 1)
		tape_refuse(t);
	*flag = byte;
}

/* Numbers near 0 are short, of whatever sign. */
static void tape_signed(struct tape *t, int64_t *n)
{
	uint64_t folded = (uint64_t)*n << 1 ^ (*n < 0 ? UINT64_MAX : 0);
	tape_count(t, &folded);
	*n = (int64_t)(folded >> 1 ^ (0 - (folded & 1)));
}

void tape_stamp(struct tape *t, alibi_stamp *stamp)
{
	tape_signed(t, &stamp->physical);
	tape_signed(t, &stamp->logical);
}

static void tape_text(struct tape *t, struct value *v)
{
	uint64_t length = t->write ? value_text(*v)->length : 0;
	tape_count(t, &length);
	if (!t->write) {
		if (length > (size_t)(t->end - t->at))
			tape_refuse(t);
		struct value_text *text = store_take(t->store, sizeof *text + length);
		text->length = length;
		v->word = (uintptr_t)text;
	}
	tape_bytes(t, ((struct value_text *)(uintptr_t)v->word)->bytes, length);
}

static void tape_plain(struct tape *t, struct value *v)
{
	tape_u8(t, &v->kind);
	bool known = v->kind <= ALIBI_ROW || v->kind == (ALIBI_STRING | ATOM_SHORT);
	if (!known)
		tape_refuse(t);
	if (v->kind == ALIBI_INT)
		tape_signed(t, (int64_t *)&v->word);
	else if (v->kind & ATOM_SHORT)
		tape_bytes(t, &v->word, sizeof v->word); /* text, as memory has it */
	else if (value_in_word(*v))
		tape_count(t, &v->word);
	else
		tape_text(t, v);
}

void tape_value(struct tape *t, struct value *v)
{
	bool is_list = v->kind == ALIBI_LIST;
	uint64_t count = 0;
	tape_flag(t, &is_list);
	if (!is_list) {
		tape_plain(t, v);
		return;
	}
	struct value_list *list = (struct value_list *)(uintptr_t)v->word;
	count = t->write ? list->count : 0;
	tape_count(t, &count);
	if (!t->write) {
		if (count > (size_t)(t->end - t->at))
			tape_refuse(t);
		list = store_take(t->store, sizeof *list + count * sizeof *list->items);
		list->count = count;
		memset(list->items, 0, count * sizeof *list->items);
		*v = (struct value){.word = (uintptr_t)list, .kind = ALIBI_LIST};
	}
	for (size_t i = 0; i < count; i++)
		tape_plain(t, &list->items[i]);
}
