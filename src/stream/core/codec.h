/*
 * codec: the checkpoint codec, state as bytes and back.
 *
 * Each function handles one type in both directions: it writes the value it is given, or reads
 * into it. So the writer and the reader cannot drift apart. A struct has a table of its fields.
 * Integers take as many bytes as they need.
 *
 * A checkpoint ends in a digest of all bytes before it. The digest is checked before anything is
 * read, so a truncated or damaged checkpoint is rejected as a whole. Reads are bounds-checked all
 * the same.
 */
#ifndef ALIBI_STREAM_CORE_CODEC_H
#define ALIBI_STREAM_CORE_CODEC_H

#include "history/digest.h"
#include "stream/core/value.h"

enum { CODEC_BUFFER = 1 << 16 };

struct codec {
	struct guard *guard;
	struct store *store; /* owns the values that are read */
	struct digest digest;
	/* writing */
	alibi_write_fn *write; /* NULL: reading */
	void *data;
	unsigned char *buffer;
	size_t filled;
	/* reading */
	const unsigned char *at, *end;
};

void codec_write(struct codec *c, struct pool *pool, struct store *store, alibi_write_fn *write,
                 void *data);
void codec_read(struct codec *c, struct pool *pool, struct store *store, const unsigned char *bytes,
                size_t length);
void codec_end(struct codec *c);

/* Records without a digest: passes on the bytes written so far; reads one record. */
void codec_flush(struct codec *c);
void codec_open_record(struct codec *c, struct pool *pool, struct store *store, const void *bytes,
                       size_t length);

enum codec_error {
	CODEC_DAMAGED,
	CODEC_OTHER_SHARDS,  /* the keys were divided differently */
	CODEC_OTHER_OPTIONS, /* another level, session order or fence */
	CODEC_UNWRITTEN,
};
_Noreturn void codec_fail(struct guard *g, enum codec_error error);
/* The option had another value when the checkpoint was written. */
_Noreturn void codec_fail_option(struct guard *g, const char *option);
_Noreturn void codec_reject(const struct codec *c); /* damaged */

void codec_bytes(struct codec *c, void *bytes, size_t length);
void codec_u64(struct codec *c, uint64_t *n);
void codec_u32(struct codec *c, uint32_t *n);
void codec_u8(struct codec *c, uint8_t *n);
void codec_bool(struct codec *c, bool *flag);
void codec_stamp(struct codec *c, alibi_stamp *stamp);
/* Lists too. The previous value is not dropped. */
void codec_value(struct codec *c, struct value *v);
/* A value whose word and kind are apart. */
void codec_split_value(struct codec *c, uint64_t *word, uint8_t *kind);
/* The number of items that follow, each of at least one byte. */
void codec_count(struct codec *c, uint64_t *count);

enum codec_type { CODEC_U64, CODEC_U32, CODEC_U8, CODEC_BOOL, CODEC_STAMP, CODEC_VALUE };

struct codec_field {
	uint16_t offset;
	uint8_t type; /* enum codec_type */
};

/* clang-format off */
#define CODEC_FIELD(type, member)                                                                  \
	{offsetof(type, member),                                                                   \
	 _Generic(((type *)0)->member, uint64_t: CODEC_U64, uint32_t: CODEC_U32,                   \
	          uint8_t: CODEC_U8, bool: CODEC_BOOL, alibi_stamp: CODEC_STAMP,                   \
	          struct value: CODEC_VALUE)}
/* clang-format on */
#define codec_struct(c, object, fields)                                                            \
	codec_fields(c, object, fields, sizeof(fields) / sizeof *(fields))
void codec_fields(struct codec *c, void *object, const struct codec_field *fields, size_t count);

#endif
