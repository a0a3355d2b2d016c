/* codec: see codec.h. */
#include "stream/core/codec.h"

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

void codec_fail(struct guard *g, enum codec_error error)
{
	static const struct {
		enum alibi_code code;
		const char *text;
	} errors[] = {
	        [CODEC_DAMAGED] = {ALIBI_INPUT,
	                           "the checkpoint is damaged, or from another version of Alibi"},
	        [CODEC_OTHER_SHARDS] =
	                {ALIBI_USAGE,
	                 "the checkpoint is of a watch with another number of shards or threads, "
	                 "and these divide the keys; resume with the same number, or start over "
	                 "without it"},
	        [CODEC_OTHER_OPTIONS] =
	                {ALIBI_USAGE,
	                 "the checkpoint is of a watch at another level, with another session "
	                 "order, or with other fences; resume with the same options, or start over "
	                 "without it"},
	        [CODEC_UNWRITTEN] = {ALIBI_IO, "the checkpoint could not be written"},
	};
	guard_fail(g, errors[error].code, NULL, "%s", errors[error].text);
}

void codec_fail_option(struct guard *g, const char *option)
{
	guard_fail(g, ALIBI_USAGE, NULL,
	           "the checkpoint is of a watch with another %s, and its state depends on that; "
	           "resume with the same, or start over without the checkpoint",
	           option);
}

void codec_reject(const struct codec *c)
{
	codec_fail(c->guard, CODEC_DAMAGED);
}

void codec_write(struct codec *c, struct pool *pool, struct store *store, alibi_write_fn *write,
                 void *data)
{
	*c = (struct codec){.guard = pool_guard(pool),
	                    .store = store,
	                    .digest = first_digest,
	                    .write = write,
	                    .data = data,
	                    .buffer = pool_alloc(pool, CODEC_BUFFER)};
}

void codec_read(struct codec *c, struct pool *pool, struct store *store, const unsigned char *bytes,
                size_t length)
{
	unsigned char wanted[DIGEST_BYTES];
	*c = (struct codec){.guard = pool_guard(pool),
	                    .store = store,
	                    .digest = first_digest,
	                    .at = bytes,
	                    .end = bytes + length};
	if (length < DIGEST_BYTES)
		codec_reject(c);
	c->end -= DIGEST_BYTES;
	for (const unsigned char *at = bytes; at < c->end;) {
		size_t left = (size_t)(c->end - at), n = left < CODEC_BUFFER ? left : CODEC_BUFFER;
		c->digest = digest_add(c->digest, (const char *)at, n);
		at += n;
	}
	digest_to(&c->digest, wanted);
	if (memcmp(wanted, c->end, DIGEST_BYTES) != 0)
		codec_reject(c);
}

static void hand_over(struct codec *c, const void *bytes, size_t length)
{
	if (!c->write(c->data, bytes, length))
		codec_fail(c->guard, CODEC_UNWRITTEN);
}

void codec_flush(struct codec *c)
{
	hand_over(c, c->buffer, c->filled);
	c->filled = 0;
}

static void flush(struct codec *c)
{
	c->digest = digest_add(c->digest, (const char *)c->buffer, c->filled);
	codec_flush(c);
}

void codec_open_record(struct codec *c, struct pool *pool, struct store *store, const void *bytes,
                       size_t length)
{
	*c = (struct codec){.guard = pool_guard(pool), .store = store, .at = bytes};
	c->end = c->at + length;
}

void codec_end(struct codec *c)
{
	unsigned char bytes[DIGEST_BYTES];
	if (!c->write) {
		if (c->at != c->end)
			codec_reject(c);
		return;
	}
	if (c->filled)
		flush(c);
	digest_to(&c->digest, bytes);
	hand_over(c, bytes, sizeof bytes);
	pool_free(c->store->pool, c->buffer);
}

static unsigned char next_byte(struct codec *c)
{
	if (c->at == c->end)
		codec_reject(c);
	return *c->at++;
}

static void put_byte(struct codec *c, unsigned char byte)
{
	if (c->filled == CODEC_BUFFER)
		flush(c);
	c->buffer[c->filled++] = byte;
}

void codec_bytes(struct codec *c, void *bytes, size_t length)
{
	unsigned char *b = bytes;
	if (!c->write && (size_t)(c->end - c->at) < length)
		codec_reject(c);
	for (size_t i = 0; i < length; i++) {
		if (c->write)
			put_byte(c, b[i]);
		else
			b[i] = next_byte(c);
	}
}

void codec_u64(struct codec *c, void *object)
{
	uint64_t *n = object;
	guard_tick(c->guard);
	if (c->write) {
		uint64_t left = *n;
		for (; left > 0x7f; left >>= 7)
			put_byte(c, (unsigned char)(left | 0x80));
		put_byte(c, (unsigned char)left);
		return;
	}
	*n = 0;
	for (unsigned shift = 0;; shift += 7) {
		unsigned char byte = next_byte(c);
		if (shift > 63 || (shift == 63 && byte > 1))
			codec_reject(c);
		*n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return;
	}
}

void codec_count(struct codec *c, uint64_t *count)
{
	codec_u64(c, count);
	if (!c->write && *count > (size_t)(c->end - c->at))
		codec_reject(c);
}

void codec_u32(struct codec *c, void *object)
{
	uint32_t *n = object;
	uint64_t wide = *n;
	codec_u64(c, &wide);
	if (wide > UINT32_MAX)
		codec_reject(c);
	*n = (uint32_t)wide;
}

void codec_u8(struct codec *c, void *object)
{
	codec_bytes(c, object, 1);
}

void codec_bool(struct codec *c, void *object)
{
	bool *flag = object;
	uint8_t byte = *flag;
	codec_u8(c, &byte);
	if (byte > 1)
		codec_reject(c);
	*flag = byte;
}

/* Zigzag: numbers near 0 are short, whatever their sign. */
static void codec_signed(struct codec *c, int64_t *n)
{
	uint64_t folded = (uint64_t)*n << 1 ^ (*n < 0 ? UINT64_MAX : 0);
	codec_u64(c, &folded);
	*n = (int64_t)(folded >> 1 ^ (0 - (folded & 1)));
}

void codec_stamp(struct codec *c, void *object)
{
	alibi_stamp *stamp = object;
	codec_signed(c, &stamp->physical);
	codec_signed(c, &stamp->logical);
}

static void codec_text(struct codec *c, struct value *v)
{
	uint64_t length = c->write ? value_text(*v)->length : 0;
	codec_count(c, &length);
	if (!c->write) {
		struct value_text *text = store_take(c->store, sizeof *text + length);
		text->length = length;
		v->word = (uintptr_t)text;
	}
	codec_bytes(c, ((struct value_text *)(uintptr_t)v->word)->bytes, length);
}

static void codec_list(struct codec *c, struct value *v)
{
	struct value_list *list = (struct value_list *)(uintptr_t)v->word;
	uint64_t count = c->write ? list->count : 0;
	codec_count(c, &count);
	if (!c->write) {
		list = store_take(c->store, sizeof *list + count * sizeof *list->items);
		list->count = count;
		memset(list->items, 0, count * sizeof *list->items);
		v->word = (uintptr_t)list;
	}
	for (size_t i = 0; i < count; i++) {
		if (!c->write && c->at < c->end && *c->at == ALIBI_LIST)
			codec_reject(c); /* an item is not a list */
		codec_value(c, &list->items[i]);
	}
}

void codec_value(struct codec *c, void *object)
{
	struct value *v = object;
	codec_u8(c, &v->kind);
	if (v->kind == ALIBI_LIST)
		codec_list(c, v);
	else if (v->kind == ALIBI_INT)
		codec_signed(c, (int64_t *)&v->word);
	else if (v->kind == (ALIBI_STRING | ATOM_SHORT))
		codec_bytes(c, &v->word, sizeof v->word); /* text, as memory has it */
	else if (v->kind > ALIBI_ROW && v->kind != ALIBI_DECIMAL)
		codec_reject(c);
	else if (value_in_word(*v))
		codec_u64(c, &v->word);
	else
		codec_text(c, v);
}

void codec_split_value(struct codec *c, uint64_t *word, uint8_t *kind)
{
	struct value v = {.word = *word, .kind = *kind};
	codec_value(c, &v);
	*word = v.word;
	*kind = v.kind;
}

void codec_fields(struct codec *c, void *object, const struct codec_field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fields[i].function(c, (char *)object + fields[i].offset);
}
